//! One worker's view of a phase.

use crate::engine::pacer::Schedule;
use crate::engine::stop::Stop;
use crate::engine::tally::Tally;
use crate::engine::users::{Rest, Users};
use crate::workload::Wanted;

const SECOND_NS: u64 = 1_000_000_000;

/// Receives what a worker reports while a phase runs.
pub trait PhaseObserver {
    /// A second of the phase has ended.
    fn second(&mut self, second: u64, tally: Tally);
}

/// One worker's share of a phase.
#[derive(Debug)]
pub struct Share {
    pub users: u32,
    pub rest: Rest,
    pub arrivals: Option<Schedule>,
    pub stop: Stop,
    pub start_ns: u64,
    pub is_scheduled: bool,
}

/// A request that is about to begin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Turn {
    pub tag: u32,
    pub wanted: Wanted,
    /// When it was due.
    pub scheduled_ns: u64,
    /// When it was due and its user was free, where that is known.
    pub ready_ns: Option<u64>,
}

/// One worker's outcome of a phase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhaseOutcome {
    pub unsent: u64,
    /// When the last reply arrived; the planned end where a request failed without a reply after it.
    pub ended_ns: u64,
    pub connections_opened: u64,
}

/// A running phase.
pub(super) struct Phase {
    pub share: Share,
    pub second: u64,
    /// A copy of the arrivals that runs ahead, to count what is due.
    horizon: Option<Schedule>,
    scheduled: u64,
    /// Requests that had begun and still waited for their connection at the end.
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
    pub fn count_unsent(&mut self, users: &mut Users, end_ns: u64) -> u64 {
        let (Some(horizon), Some(arrivals)) = (&mut self.horizon, &self.share.arrivals) else {
            return 0;
        };
        let end_ns = end_ns.min(self.stopped_ns.unwrap_or(u64::MAX));
        let scheduled = horizon.pass_until(end_ns.saturating_sub(self.share.start_ns));
        let sent = arrivals.count() - self.forgotten - users.waiting as u64;
        let unsent = scheduled.saturating_sub(sent);
        users.tally.unsent += unsent.min(scheduled - self.scheduled);
        users.tally.late = unsent;
        self.scheduled = scheduled;
        unsent
    }
}
