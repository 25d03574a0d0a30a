//! Counters of one second of one worker.

use hdrhistogram::Histogram;

use crate::failure::Failure;

/// The histograms' highest value: an hour in nanoseconds.
pub const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant digits of the histograms.
pub const DIGITS: u8 = 3;

/// Counters and histograms that a worker reports each second.
#[derive(Debug, Clone)]
pub struct Tally {
    pub sent: u64,
    pub ok: u64,
    pub failed: u64,
    pub operations: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub unsent: u64,
    /// Requests due by the end of the second and not sent by then, however long overdue.
    pub late: u64,
    pub errors: Vec<(Failure, u64)>,
    pub service: Histogram<u32>,
    /// From the scheduled instant; where requests have a schedule.
    pub response: Option<Histogram<u32>>,
    pub send_lag: Option<Histogram<u32>>,
}

impl Tally {
    /// An empty tally; `is_scheduled` where requests have an instant at which they are due.
    #[must_use]
    pub fn new(is_scheduled: bool) -> Self {
        Self {
            sent: 0,
            ok: 0,
            failed: 0,
            operations: 0,
            bytes_sent: 0,
            bytes_received: 0,
            unsent: 0,
            late: 0,
            errors: Vec::new(),
            service: histogram(),
            response: is_scheduled.then(histogram),
            send_lag: is_scheduled.then(histogram),
        }
    }

    /// Counts a request that was answered as expected.
    #[inline]
    pub fn count_ok(&mut self, operations: u64) {
        self.ok += 1;
        self.operations += operations;
    }

    /// Records the duration of a request that was answered, successfully or not, or timed out; one that timed out before its
    /// service began has only a response time.
    #[inline]
    pub fn record_times(&mut self, service_ns: Option<u64>, response_ns: u64) {
        if let Some(service_ns) = service_ns {
            record(&mut self.service, service_ns);
        }
        if let Some(response) = &mut self.response {
            record(response, response_ns);
        }
    }

    /// Counts a request that failed.
    pub fn count_failed(&mut self, failure: Failure) {
        self.failed += 1;
        match self.errors.iter_mut().find(|(known, _)| *known == failure) {
            Some((_, count)) => *count += 1,
            None => self.errors.push((failure, 1)),
        }
    }

    /// Counts a request that was written, and how long after it could have been.
    #[inline]
    pub fn count_sent(&mut self, lag_ns: u64) {
        self.sent += 1;
        if let Some(send_lag) = &mut self.send_lag {
            record(send_lag, lag_ns);
        }
    }

    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent == 0 && self.ok == 0 && self.failed == 0 && self.unsent == 0 && self.bytes_received == 0
    }

    /// Adds another worker's counters of the same second.
    pub fn add(&mut self, other: &Self) {
        self.sent += other.sent;
        self.ok += other.ok;
        self.failed += other.failed;
        self.operations += other.operations;
        self.bytes_sent += other.bytes_sent;
        self.bytes_received += other.bytes_received;
        self.unsent += other.unsent;
        self.late += other.late;
        for (failure, count) in &other.errors {
            match self.errors.iter_mut().find(|(known, _)| known == failure) {
                Some((_, known)) => *known += count,
                None => self.errors.push((*failure, *count)),
            }
        }
        add(Some(&mut self.service), Some(&other.service));
        add(self.response.as_mut(), other.response.as_ref());
        add(self.send_lag.as_mut(), other.send_lag.as_ref());
    }
}

/// An empty histogram of the contract's range and precision.
#[must_use]
pub fn histogram<T: hdrhistogram::Counter>() -> Histogram<T> {
    Histogram::new_with_bounds(1, HIGHEST_NS, DIGITS).unwrap_or_else(|_| unreachable!("the bounds are constants"))
}

#[inline]
fn record<T: hdrhistogram::Counter>(histogram: &mut Histogram<T>, value_ns: u64) {
    histogram.saturating_record(value_ns.max(1));
}

fn add(into: Option<&mut Histogram<u32>>, from: Option<&Histogram<u32>>) {
    if let (Some(into), Some(from)) = (into, from) {
        // Both have the same bounds, so that every value of one fits the other.
        into.add(from).unwrap_or_else(|_| unreachable!("the bounds are constants"));
    }
}
