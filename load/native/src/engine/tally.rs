//! Counters of one second of one worker.

use hdrhistogram::Histogram;

use super::call_counts::{CallCounts, add_histogram, histogram_of};
use crate::failure::Failure;

/// Counters and histograms that a worker reports each second.
#[derive(Debug, Clone)]
pub struct Tally {
    /// Outcomes by operation, in the plan's order.
    pub calls: Vec<CallCounts<u32>>,
    /// Messages acknowledged.
    pub operations: u64,
    /// Those of them that were acknowledged after the planned end of their phase.
    pub operations_late: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub unsent: u64,
    /// Requests due by the end of the second and not sent by then, however long overdue.
    pub late: u64,
    pub send_lag: Option<Histogram<u32>>,
    /// Connections closed because bytes came that no request had asked for.
    pub surplus: u64,
    /// Requests sent again because the target had certainly not processed them.
    pub resent: u64,
    /// The first reason of each kind of failure that has more to say than its name.
    pub reasons: Vec<(Failure, Box<str>)>,
    is_scheduled: bool,
}

impl Tally {
    /// An empty tally of so many operations; `is_scheduled` where requests have an instant at which they are due.
    #[must_use]
    pub fn new(operations: usize, is_scheduled: bool) -> Self {
        Self {
            calls: (0..operations).map(|_| CallCounts::default()).collect(),
            operations: 0,
            operations_late: 0,
            bytes_sent: 0,
            bytes_received: 0,
            unsent: 0,
            late: 0,
            send_lag: None,
            surplus: 0,
            resent: 0,
            reasons: Vec::new(),
            is_scheduled,
        }
    }

    /// Counts a request that was answered as expected, and the messages in it; `is_late` after its phase's planned end.
    #[inline]
    pub fn count_ok(&mut self, call: usize, operations: u64, is_late: bool) {
        self.calls[call].ok += 1;
        self.operations += operations;
        if is_late {
            self.calls[call].ok_late += 1;
            self.operations_late += operations;
        }
    }

    /// Records the duration of a request that was answered, successfully or not, or timed out.
    #[inline]
    pub fn record_times(&mut self, call: usize, service_ns: Option<u64>, response_ns: u64) {
        self.calls[call].record_times(service_ns, self.is_scheduled.then_some(response_ns));
    }

    /// Counts a request that was written, and how long after it could have been, where that is known.
    #[inline]
    pub fn count_sent(&mut self, call: usize, lag_ns: Option<u64>) {
        self.calls[call].sent += 1;
        if let Some(lag_ns) = lag_ns {
            self.send_lag.get_or_insert_with(histogram_of).saturating_record(lag_ns.max(1));
        }
    }

    /// Keeps the first reason of a kind of failure.
    pub fn note_reason(&mut self, failure: Failure, reason: &str) {
        if !self.reasons.iter().any(|(known, _)| *known == failure) {
            self.reasons.push((failure, reason.into()));
        }
    }

    /// Whether requests have an instant at which they are due.
    #[must_use]
    pub fn is_scheduled(&self) -> bool {
        self.is_scheduled
    }

    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.unsent == 0 && self.bytes_received == 0 && self.calls.iter().all(CallCounts::is_empty)
    }

    /// The outcomes of all operations together.
    #[must_use]
    pub fn all(&self) -> CallCounts<u32> {
        let mut all = CallCounts::default();
        self.calls.iter().for_each(|call| all.add(call));
        all
    }

    /// Adds another worker's counters of the same second.
    pub fn add(&mut self, other: &Self) {
        self.calls.iter_mut().zip(&other.calls).for_each(|(call, others)| call.add(others));
        self.operations += other.operations;
        self.operations_late += other.operations_late;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.unsent += other.unsent;
        self.late += other.late;
        self.surplus += other.surplus;
        self.resent += other.resent;
        other.reasons.iter().for_each(|(failure, reason)| self.note_reason(*failure, reason));
        add_histogram(&mut self.send_lag, other.send_lag.as_ref());
    }
}
