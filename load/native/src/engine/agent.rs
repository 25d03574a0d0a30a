//! Several engines that divide one load: each carries out its part of the same plan.

/// The place of this engine among several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// From 0.
    pub index: u32,
    /// Number of engines.
    pub of: u32,
}

impl Default for Agent {
    /// A single engine.
    fn default() -> Self {
        Self { index: 0, of: 1 }
    }
}

impl Agent {
    /// The number of one of this engine's workers among the workers of all engines, and how many those are. Each engine
    /// has as many.
    #[must_use]
    pub fn place(&self, worker: u32, workers: u32) -> (u32, u32) {
        (self.index + worker * self.of, workers * self.of)
    }

    /// This engine's share of a total, divided evenly.
    #[must_use]
    pub fn share_of(&self, total: u64) -> u64 {
        let (index, of) = (u64::from(self.index), u64::from(self.of));
        total / of + u64::from(index < total % of)
    }
}

/// The share of one of several in a total, divided evenly.
#[must_use]
pub fn share_of_one(total: u32, (index, of): (u32, u32)) -> u32 {
    total / of + u32::from(index < total % of)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agents(of: u32) -> impl Iterator<Item = Agent> {
        (0..of).map(move |index| Agent { index, of })
    }

    #[test]
    fn workers_of_all_engines_have_a_number_each() {
        for (of, workers) in [(1, 1), (1, 4), (3, 1), (3, 2)] {
            let mut places: Vec<u32> = agents(of)
                .flat_map(|agent| (0..workers).map(move |worker| agent.place(worker, workers)))
                .map(|(index, all)| {
                    assert_eq!(all, of * workers);
                    index
                })
                .collect();
            places.sort_unstable();
            assert_eq!(places, (0..of * workers).collect::<Vec<_>>());
        }
    }

    #[test]
    fn shares_add_up_to_the_total() {
        for (total, of) in [(0, 1), (1, 3), (3, 3), (10, 3), (11, 3)] {
            assert_eq!(agents(of).map(|agent| agent.share_of(u64::from(total))).sum::<u64>(), u64::from(total));
            let places = (0..of).map(|index| share_of_one(total, (index, of)));
            assert_eq!(places.sum::<u32>(), total);
        }
        assert_eq!(agents(3).map(|agent| agent.share_of(11)).collect::<Vec<_>>(), [4, 4, 3]);
    }
}
