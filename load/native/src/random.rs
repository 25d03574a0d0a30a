//! The draws of an event: sfc32, as `lab/src/bakeoff/formats/README.md` prescribes it.

/// A stream of 32-bit draws that every engine reproduces from (seed, user, sequence).
#[derive(Clone, Debug)]
pub struct Draws {
    a: u32,
    b: u32,
    c: u32,
    d: u32,
}

const SCRAMBLE: u32 = 0x9E37_79B9;
const WARM_UP: usize = 12;
const RANGE: f64 = 4_294_967_296.0;

impl Draws {
    /// The draws of one event.
    #[must_use]
    pub fn of_event(seed: u64, user: u32, sequence: u32) -> Self {
        let mut draws = Self { a: seed as u32, b: user, c: sequence, d: (seed >> 32) as u32 ^ SCRAMBLE };
        for _ in 0..WARM_UP {
            draws.draw();
        }
        draws
    }

    /// The next draw.
    #[inline]
    pub fn draw(&mut self) -> u32 {
        let sum = self.a.wrapping_add(self.b).wrapping_add(self.d);
        self.d = self.d.wrapping_add(1);
        self.a = self.b ^ (self.b >> 9);
        self.b = self.c.wrapping_add(self.c << 3);
        self.c = self.c.rotate_left(21).wrapping_add(sum);
        sum
    }

    /// The next draw as a share of one: [0, 1).
    #[inline]
    pub fn unit(&mut self) -> f64 {
        f64::from(self.draw()) / RANGE
    }

    /// The next draw as a whole number below `n`.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        (self.unit() * n as f64) as u64
    }
}

/// Index of the chosen one of `n`, from a draw `u` in [0, 1), where the oldest is the hottest.
#[must_use]
pub fn zipf_index(u: f64, n: usize, exponent: f64) -> usize {
    let ranks = n as f64 + 1.0;
    let x = if (exponent - 1.0).abs() < f64::EPSILON {
        ranks.powf(u)
    } else {
        let power = 1.0 - exponent;
        (1.0 + u * (ranks.powf(power) - 1.0)).powf(1.0 / power)
    };
    (x.floor() as usize).saturating_sub(1).min(n.saturating_sub(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn draws_depend_on_seed_user_and_sequence() {
        let first = |seed, user, sequence| Draws::of_event(seed, user, sequence).draw();
        assert_eq!(first(7, 1, 2), first(7, 1, 2));
        let others = [first(8, 1, 2), first(7, 2, 2), first(7, 1, 3), first(7 | 1 << 40, 1, 2)];
        assert!(others.iter().all(|other| *other != first(7, 1, 2)));
    }

    #[test]
    fn below_stays_below_and_reaches_both_ends() {
        let mut draws = Draws::of_event(1, 0, 0);
        let seen: std::collections::BTreeSet<u64> = (0..200).map(|_| draws.below(5)).collect();
        assert_eq!(seen.into_iter().collect::<Vec<_>>(), [0, 1, 2, 3, 4]);
    }

    #[test]
    fn zipf_prefers_the_oldest_and_stays_in_range() {
        for exponent in [0.5, 1.0, 1.1, 2.0] {
            assert_eq!(zipf_index(0.0, 10, exponent), 0);
            assert!(zipf_index(1.0 - 1e-12, 10, exponent) <= 9);
            assert!(zipf_index(0.3, 1000, exponent) < 500);
            assert_eq!(zipf_index(0.9, 1, exponent), 0);
        }
    }
}
