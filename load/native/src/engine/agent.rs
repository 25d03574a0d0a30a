//! Several engines that divide one load: each carries out its part of the same plan.

use super::clock::Clock;
use crate::plan::Phase;

/// Time between the planned end of a phase and the next one, in which agents await last replies and open connections.
const GAP_NS: u64 = 250_000_000;

/// The place of this engine among several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Agent {
    /// From 0.
    pub index: u32,
    /// Number of engines.
    pub of: u32,
    /// When all engines begin their first phase; none: as soon as this one is ready.
    pub start_unix_ms: Option<u64>,
}

impl Default for Agent {
    /// A single engine.
    fn default() -> Self {
        Self { index: 0, of: 1, start_unix_ms: None }
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

    /// The planned begins of the phases, the same for all engines.
    pub(super) fn schedule(&self, clock: Clock) -> Schedule {
        Schedule { next_ns: self.start_unix_ms.map(|ms| clock.instant(ms.saturating_mul(1_000_000))) }
    }
}

/// When phases are due that several engines begin at the same instant; without a first instant nothing is due.
#[derive(Debug)]
pub(super) struct Schedule {
    next_ns: Option<u64>,
}

impl Schedule {
    /// When a phase begins that is ready at `ready_ns`. The next one is scheduled from the planned begin, not the real one:
    /// an engine that was late returns to the schedule.
    pub(super) fn begin_of(&mut self, phase: &Phase, ready_ns: u64) -> u64 {
        let Some(due_ns) = self.next_ns else { return ready_ns };
        self.next_ns = phase.duration_ms().map(|ms| due_ns.saturating_add(ms.saturating_mul(1_000_000)) + GAP_NS);
        ready_ns.max(due_ns)
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
    use crate::plan::{CountedPhase, HeldPhase};

    fn agents(of: u32) -> impl Iterator<Item = Agent> {
        (0..of).map(move |index| Agent { index, of, start_unix_ms: None })
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

    fn held(duration_ms: u64) -> Phase {
        Phase::Held(HeldPhase { name: String::new(), virtual_users: 1, duration_ms, until_steady: None })
    }

    #[test]
    fn phases_follow_the_plan_even_after_a_late_begin() {
        const MS: u64 = 1_000_000;
        let mut schedule = Schedule { next_ns: Some(500 * MS) };
        assert_eq!(schedule.begin_of(&held(1_000), 20 * MS), 500 * MS);
        assert_eq!(schedule.begin_of(&held(1_000), 1_900 * MS), 1_900 * MS, "late");
        assert_eq!(schedule.begin_of(&held(1_000), 2_960 * MS), 3_000 * MS, "on schedule again");
    }

    #[test]
    fn a_phase_without_a_planned_end_leaves_the_next_one_unscheduled() {
        let counted = Phase::Counted(CountedPhase { name: String::new(), virtual_users: 1, iterations: 5 });
        let mut schedule = Schedule { next_ns: Some(50) };
        assert_eq!(schedule.begin_of(&counted, 20), 50);
        assert_eq!(schedule.begin_of(&held(1), 70), 70);
        let mut never = Agent::default().schedule(Clock::start());
        assert_eq!(never.begin_of(&held(1), 20), 20);
    }
}
