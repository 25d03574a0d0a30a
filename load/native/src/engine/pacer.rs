//! When requests are due: pure functions of the time.

use crate::plan::Arrival;
use crate::random::Draws;
use crate::workload::Wanted;

/// Instants at which requests arrive in the open model, in nanoseconds since the phase began.
#[derive(Debug, Clone)]
pub struct Arrivals {
    next_ns: f64,
    end_ns: f64,
    count: u64,
    spacing: Spacing,
}

#[derive(Debug, Clone)]
enum Spacing {
    /// Every `every`-th arrival of the whole rate, from `first` on. Each instant is computed from its number: gaps
    /// that are summed drift, and may add one arrival at the end.
    Even {
        first: u32,
        every: u32,
        rate: f64,
    },
    Random {
        mean_gap_ns: f64,
        draws: Draws,
    },
}

impl Arrivals {
    /// The share that worker `worker` of `workers` has in a rate (requests a second) held for `duration_ns`.
    #[must_use]
    pub fn new(arrival: Arrival, rate: f64, duration_ns: u64, worker: u32, workers: u32, seed: u64) -> Self {
        let spacing = match arrival {
            Arrival::Constant => Spacing::Even { first: worker, every: workers, rate },
            Arrival::Poisson => Spacing::Random {
                mean_gap_ns: 1e9 / rate * f64::from(workers),
                draws: Draws::of_event(seed, worker, u32::MAX),
            },
        };
        let mut arrivals = Self { next_ns: 0.0, end_ns: duration_ns as f64, count: 0, spacing };
        arrivals.step();
        arrivals
    }

    /// The next arrival; none once the phase is over.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<u64> {
        (self.next_ns < self.end_ns).then_some(self.next_ns as u64)
    }

    /// Takes the next arrival.
    #[inline]
    pub fn advance(&mut self) {
        self.count += 1;
        self.step();
    }

    fn step(&mut self) {
        match &mut self.spacing {
            Spacing::Even { first, every, rate } => {
                let number = u64::from(*first) + self.count * u64::from(*every);
                self.next_ns = number as f64 * 1e9 / *rate;
            }
            // 1 - u is never zero, so that the logarithm is finite.
            Spacing::Random { mean_gap_ns, draws } => self.next_ns -= (1.0 - draws.unit()).ln() * *mean_gap_ns,
        }
    }
}

/// Arrivals of several operations, merged in the order of time.
#[derive(Debug, Clone)]
pub struct Schedule {
    shares: Vec<(Wanted, Arrivals)>,
    count: u64,
}

impl Schedule {
    /// The share of one worker (its number, of how many) in rates (requests a second) held for `duration_ns`.
    #[must_use]
    pub fn new(rates: &[(Wanted, f64)], arrival: Arrival, duration_ns: u64, place: (u32, u32), seed: u64) -> Self {
        let share = |(number, (wanted, rate)): (usize, &(Wanted, f64))| {
            // Random arrivals of different operations are drawn apart.
            let seed = seed.wrapping_add(number as u64);
            (*wanted, Arrivals::new(arrival, *rate, duration_ns, place.0, place.1, seed))
        };
        Self { shares: rates.iter().enumerate().map(share).collect(), count: 0 }
    }

    /// The next arrival; none once the phase is over.
    #[inline]
    #[must_use]
    pub fn peek(&self) -> Option<u64> {
        self.shares.iter().filter_map(|(_, arrivals)| arrivals.peek()).min()
    }

    /// How many arrivals have been taken.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Takes the next arrival, and returns what is to be sent.
    #[inline]
    pub fn advance(&mut self) -> Wanted {
        self.count += 1;
        let next = self.shares.iter_mut().filter(|(_, arrivals)| arrivals.peek().is_some());
        match next.min_by_key(|(_, arrivals)| arrivals.peek()) {
            Some((wanted, arrivals)) => {
                arrivals.advance();
                *wanted
            }
            None => Wanted::Drawn,
        }
    }

    /// Skips all arrivals before an instant and returns how many there have been in total.
    pub fn pass_until(&mut self, instant_ns: u64) -> u64 {
        while self.peek().is_some_and(|next| next < instant_ns) {
            self.advance();
        }
        self.count
    }
}

/// Delay before a connection is tried again, after this many failures in a row.
#[must_use]
pub fn reconnect_delay_ns(failures: u32) -> u64 {
    const FIRST_NS: u64 = 10_000_000;
    const LONGEST_NS: u64 = 1_000_000_000;
    match failures {
        0 => 0,
        failures => (FIRST_NS << (failures - 1).min(10)).min(LONGEST_NS),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instants(arrivals: &mut Arrivals) -> Vec<u64> {
        std::iter::from_fn(|| {
            let next = arrivals.peek()?;
            arrivals.advance();
            Some(next)
        })
        .collect()
    }

    #[test]
    fn constant_arrivals_are_evenly_spaced() {
        let cases: [(f64, u64, &[u64]); 4] = [
            (4.0, 1_000_000_000, &[0, 250_000_000, 500_000_000, 750_000_000]),
            (0.5, 4_000_000_000, &[0, 2_000_000_000]),
            (1e9, 3, &[0, 1, 2]),
            (1.0, 1, &[0]),
        ];
        for (rate, duration, expected) in cases {
            assert_eq!(instants(&mut Arrivals::new(Arrival::Constant, rate, duration, 0, 1, 1)), expected);
        }
    }

    #[test]
    fn constant_arrivals_do_not_drift() {
        for rate in [3.0, 7.0, 30.0, 300.0, 333.0, 7_000.0, 99_999.0] {
            for seconds in [1, 10] {
                let all = instants(&mut Arrivals::new(Arrival::Constant, rate, seconds * 1_000_000_000, 0, 1, 1));
                assert_eq!(all.len(), rate as usize * seconds as usize, "{rate}/s for {seconds} s");
            }
        }
    }

    #[test]
    fn workers_share_constant_arrivals_without_gaps() {
        let share = |worker| instants(&mut Arrivals::new(Arrival::Constant, 1000.0, 1_000_000_000, worker, 3, 1));
        let mut all: Vec<u64> = (0..3).flat_map(share).collect();
        all.sort_unstable();
        assert_eq!(all, (0..1000).map(|n| n * 1_000_000).collect::<Vec<_>>());
    }

    #[test]
    fn poisson_arrivals_have_their_rate_and_vary() {
        let all = instants(&mut Arrivals::new(Arrival::Poisson, 10_000.0, 10_000_000_000, 0, 1, 7));
        assert!((99_000..101_000).contains(&all.len()), "{}", all.len());
        let gaps: Vec<f64> = all.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
        let mean = gaps.iter().sum::<f64>() / gaps.len() as f64;
        let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / gaps.len() as f64;
        assert!((variance.sqrt() / mean - 1.0).abs() < 0.05, "an exponential's deviation is its mean");
        assert_eq!(all, instants(&mut Arrivals::new(Arrival::Poisson, 10_000.0, 10_000_000_000, 0, 1, 7)));
    }

    #[test]
    fn passing_counts_what_was_due() {
        let mut arrivals = Schedule::new(&[(Wanted::Drawn, 10.0)], Arrival::Constant, 1_000_000_000, (0, 1), 1);
        assert_eq!(arrivals.pass_until(0), 0);
        assert_eq!(arrivals.pass_until(250_000_000), 3);
        assert_eq!(arrivals.pass_until(u64::MAX), 10);
    }

    #[test]
    fn operations_with_a_rate_of_their_own_arrive_between_the_others() {
        let rates = [(Wanted::DrawnWithoutRates, 8.0), (Wanted::Operation(3), 2.0)];
        let mut schedule = Schedule::new(&rates, Arrival::Constant, 1_000_000_000, (0, 1), 1);
        let mut ahead = schedule.clone();
        let mut taken = Vec::new();
        while let Some(at) = schedule.peek() {
            taken.push((at / 1_000_000, schedule.advance()));
        }
        let own: Vec<u64> = taken.iter().filter(|(_, w)| *w == Wanted::Operation(3)).map(|(at, _)| *at).collect();
        assert_eq!((own, taken.len(), schedule.count()), (vec![0, 500], 10, 10));
        assert!(taken.is_sorted_by_key(|(at, _)| *at));
        assert_eq!(ahead.pass_until(500_000_000), 5, "four of the others and one of its own");
    }

    #[test]
    fn random_arrivals_of_operations_differ() {
        let rates = [(Wanted::Operation(0), 100.0), (Wanted::Operation(1), 100.0)];
        let mut schedule = Schedule::new(&rates, Arrival::Poisson, 10_000_000_000, (0, 1), 7);
        let mut at = [Vec::new(), Vec::new()];
        while let Some(next) = schedule.peek() {
            match schedule.advance() {
                Wanted::Operation(index) => at[usize::from(index)].push(next),
                other => panic!("{other:?}"),
            }
        }
        assert!(at.iter().all(|instants| (800..1_200).contains(&instants.len())) && at[0] != at[1]);
    }

    #[test]
    fn reconnecting_backs_off_and_is_bounded() {
        for (failures, delay_ms) in [(0, 0), (1, 10), (2, 20), (5, 160), (8, 1_000), (1_000, 1_000)] {
            assert_eq!(reconnect_delay_ns(failures), delay_ms * 1_000_000);
        }
    }
}
