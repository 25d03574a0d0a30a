//! Figures as a person reads them.

use hdrhistogram::Histogram;

/// Fewer samples beyond a quantile say nothing of it. The lab's reports have the same rule.
const FEWEST_BEYOND: [(f64, u64); 2] = [(0.999, 100), (0.99, 20)];
const SKETCH_ROWS: usize = 10;
const SKETCH_WIDTH: f64 = 40.0;

/// Nanoseconds with a fitting unit.
#[must_use]
pub fn duration(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{:.0} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", ns as f64 / 1e6),
        _ => format!("{:.2} s", ns as f64 / 1e9),
    }
}

/// A percentile, or a dash where there is nothing to take it of.
#[must_use]
pub fn quantile<T: hdrhistogram::Counter>(latency: Option<&Histogram<T>>, at: f64) -> String {
    latency.map_or_else(|| "–".to_owned(), |latency| duration(value_at(latency, at)))
}

/// The smallest recorded value that at least this fraction of all do not exceed (nearest rank).
#[must_use]
pub fn value_at<T: hdrhistogram::Counter>(latency: &Histogram<T>, at: f64) -> u64 {
    let rank = rank(latency.len(), at);
    let mut reached = 0;
    let holder = latency.iter_recorded().find(|value| {
        reached += u128::from(value.count_at_value().as_u64());
        reached >= rank
    });
    holder.map_or(0, |value| latency.highest_equivalent(value.value_iterated_to()))
}

/// The same where enough values lie beyond it.
#[must_use]
pub fn known_at<T: hdrhistogram::Counter>(latency: &Histogram<T>, at: f64) -> Option<u64> {
    let fewest = FEWEST_BEYOND.iter().find(|(limited, _)| at >= *limited).map_or(0, |(_, fewest)| *fewest);
    let beyond = u128::from(latency.len()).saturating_sub(rank(latency.len(), at));
    (beyond >= u128::from(fewest)).then(|| value_at(latency, at))
}

/// The place of a quantile among so many values, from 1, rounded up.
fn rank(count: u64, at: f64) -> u128 {
    // The fraction has four decimals at most: as a float, 0.07 of 100 would be more than 7.
    let parts = (at * 10_000.0).round() as u128;
    (parts * u128::from(count)).div_ceil(10_000).max(1)
}

/// A whole number, its digits in groups of three.
#[must_use]
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (position, digit) in digits.char_indices() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Latencies as bars, from the fastest to the slowest; nothing when there are none.
#[must_use]
pub fn sketch(latency: Option<&Histogram<u64>>) -> Vec<String> {
    let Some(latency) = latency else { return Vec::new() };
    let row = |(up_to, count): (u64, u64)| {
        let share = count as f64 / latency.len() as f64;
        let bar = "█".repeat((share * SKETCH_WIDTH).ceil() as usize);
        format!("  ≤ {:>9} {:>6.2}% {bar}", duration(up_to), share * 100.0)
    };
    counts(latency).into_iter().map(row).collect()
}

/// Counts between bounds that grow evenly in proportion.
fn counts(latency: &Histogram<u64>) -> Vec<(u64, u64)> {
    let (low, high) = (latency.min().max(1) as f64, latency.max().max(2) as f64);
    let ratio = (high / low).powf(1.0 / SKETCH_ROWS as f64);
    let mut below = 0;
    (1..=SKETCH_ROWS)
        .map(|row| {
            let bound = if row == SKETCH_ROWS { latency.max() } else { (low * ratio.powi(row as i32)) as u64 };
            let count = latency.count_between(0, bound);
            let added = count - below;
            below = count;
            (bound, added)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::histogram_of;

    #[test]
    fn durations_have_fitting_units() {
        for (ns, text) in [(0, "0 µs"), (1_500, "2 µs"), (2_340_000, "2.34 ms"), (12_000_000_000, "12.00 s")] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn digits_are_grouped() {
        for (number, text) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(grouped(number), text);
        }
    }

    #[test]
    fn percentiles_are_nearest_ranks_rounded_up() {
        for (count, at, expected) in [
            (6, 0.9, 6),
            (6, 0.5, 3),
            (3, 0.75, 3),
            (1, 0.1, 1),
            (1, 0.0, 1),
            (100, 0.07, 7),
            (100, 0.99, 99),
            (100, 0.999, 100),
            (1_000, 0.999, 999),
            (6, 1.0, 6),
        ] {
            let mut latency = histogram_of::<u64>();
            (1..=count).for_each(|value| latency.saturating_record(value));
            assert_eq!(value_at(&latency, at), expected, "{at} of {count}");
        }
    }

    #[test]
    fn a_percentile_is_known_where_enough_values_lie_beyond_it() {
        let cases = [(0.99, 1_999, false), (0.99, 2_000, true), (0.999, 99_999, false), (0.999, 100_000, true)];
        for (at, count, known) in [(0.5, 1, true), (0.95, 19, true)].into_iter().chain(cases) {
            let mut latency = histogram_of::<u64>();
            latency.saturating_record_n(7, count);
            assert_eq!(known_at(&latency, at), known.then_some(7), "{at} of {count}");
        }
    }

    #[test]
    fn a_sketch_counts_everything_once() {
        let mut latency = histogram_of();
        (1..=1_000_u64).for_each(|value| latency.saturating_record(value * 1_000));
        assert_eq!(counts(&latency).iter().map(|(_, count)| count).sum::<u64>(), 1_000);
        assert_eq!(sketch(Some(&latency)).len(), SKETCH_ROWS);
    }

    #[test]
    fn no_replies_have_neither_percentiles_nor_a_sketch() {
        assert_eq!((quantile::<u64>(None, 0.5).as_str(), sketch(None).len()), ("–", 0));
    }
}
