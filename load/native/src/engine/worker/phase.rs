//! A phase as one worker sees it.

use crate::engine::crew::{Crew, Rest};
use crate::engine::pacer::Arrivals;
use crate::engine::stop::Stop;
use crate::engine::tally::Tally;

const SECOND_NS: u64 = 1_000_000_000;

/// What a worker tells while a phase runs.
pub trait Witness {
    /// A second of the phase is over.
    fn second(&mut self, second: u64, tally: Tally);
}

/// A phase as one worker sees it.
#[derive(Debug)]
pub struct Share {
    pub users: u32,
    pub rest: Rest,
    pub arrivals: Option<Arrivals>,
    pub stop: Stop,
    pub start_ns: u64,
    pub is_scheduled: bool,
}

/// A request that is about to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub tag: u32,
    /// When it was due.
    pub scheduled_ns: u64,
    /// When it was due and its user was free.
    pub ready_ns: u64,
}

/// How a phase went for one worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseOutcome {
    pub unsent: u64,
    /// When the last reply came; not before the planned end where a request failed without one after it.
    pub ended_ns: u64,
    pub connections_opened: u64,
}

/// A phase under way.
pub(super) struct Phase {
    pub share: Share,
    pub second: u64,
    /// Runs ahead of the arrivals that are sent, to count what is due.
    horizon: Option<Arrivals>,
    scheduled: u64,
    /// Requests that were begun and were still waiting for their connection when the time was over.
    pub forgotten: u64,
    /// When requests were no longer begun.
    pub stopped_ns: Option<u64>,
}

impl Phase {
    pub fn begin(share: Share) -> Self {
        let horizon = share.arrivals.clone();
        Self { share, second: 0, horizon, scheduled: 0, forgotten: 0, stopped_ns: None }
    }

    pub fn next_second_ns(&self) -> u64 {
        self.share.start_ns + (self.second + 1) * SECOND_NS
    }

    /// Counts what was scheduled since the last count and is not sent by `end_ns`. Returns all that is not sent.
    pub fn count_unsent(&mut self, crew: &mut Crew, end_ns: u64) -> u64 {
        let (Some(horizon), Some(arrivals)) = (&mut self.horizon, &self.share.arrivals) else {
            return 0;
        };
        let end_ns = end_ns.min(self.stopped_ns.unwrap_or(u64::MAX));
        let scheduled = horizon.pass_until(end_ns.saturating_sub(self.share.start_ns));
        let sent = arrivals.count() - self.forgotten - crew.waiting as u64;
        let unsent = scheduled.saturating_sub(sent);
        crew.tally.unsent += unsent.min(scheduled - self.scheduled);
        crew.tally.late = unsent;
        self.scheduled = scheduled;
        unsent
    }
}
