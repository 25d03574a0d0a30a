//! Outcomes of the requests of one operation: counters and histograms.

use hdrhistogram::{Counter, Histogram};

use crate::failure::Failure;
use crate::mismatch::Mismatch;
use crate::reply::FailedReply;
use crate::wire::Code;

/// The histograms' highest value: an hour in nanoseconds.
const HIGHEST_NS: u64 = 3_600_000_000_000;
/// Significant digits of the histograms.
const DIGITS: u8 = 3;

/// Outcomes of the requests of one operation, or of all of them. Histograms exist once they hold a value: most seconds
/// of most operations need none.
#[derive(Debug, Clone)]
pub struct CallCounts<C: Counter> {
    /// Requests begun.
    pub sent: u64,
    pub ok: u64,
    /// Those of them that were answered after the planned end of their phase.
    pub ok_late: u64,
    pub failed: u64,
    /// Replies whose content was checked.
    pub checked: u64,
    /// Replies whose content failed its check.
    pub checks_failed: u64,
    /// The error of the first failed check.
    pub failed_check: Option<Box<Mismatch>>,
    /// The first reply that failed, by its status or its content.
    pub failed_reply: Option<Box<FailedReply>>,
    pub errors: Vec<(Failure, u64)>,
    /// Replies by their status, expected or not.
    pub statuses: Vec<(Code, u64)>,
    pub service: Option<Histogram<C>>,
    /// From the scheduled instant; where requests have a schedule.
    pub response: Option<Histogram<C>>,
}

impl<C: Counter> Default for CallCounts<C> {
    fn default() -> Self {
        Self {
            sent: 0,
            ok: 0,
            ok_late: 0,
            failed: 0,
            checked: 0,
            checks_failed: 0,
            failed_check: None,
            failed_reply: None,
            errors: Vec::new(),
            statuses: Vec::new(),
            service: None,
            response: None,
        }
    }
}

impl<C: Counter> CallCounts<C> {
    /// Counts a reply by its status.
    #[inline]
    pub fn count_status(&mut self, code: Code) {
        add_to(&mut self.statuses, code, 1);
    }

    /// Counts a request that failed.
    pub fn count_failed(&mut self, failure: Failure) {
        self.failed += 1;
        add_to(&mut self.errors, failure, 1);
    }

    /// Records the duration of a request that was answered, successfully or not, or timed out; one that timed out
    /// before its service began has only a response time.
    #[inline]
    pub fn record_times(&mut self, service_ns: Option<u64>, response_ns: Option<u64>) {
        for (histogram, value_ns) in [(&mut self.service, service_ns), (&mut self.response, response_ns)] {
            if let Some(value_ns) = value_ns {
                histogram.get_or_insert_with(histogram_of).saturating_record(value_ns.max(1));
            }
        }
    }

    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sent == 0 && self.ok == 0 && self.failed == 0
    }

    /// Adds others.
    pub fn add<D: Counter>(&mut self, other: &CallCounts<D>) {
        self.sent += other.sent;
        self.ok += other.ok;
        self.ok_late += other.ok_late;
        self.failed += other.failed;
        self.checked += other.checked;
        self.checks_failed += other.checks_failed;
        if self.failed_check.is_none() {
            self.failed_check.clone_from(&other.failed_check);
        }
        if self.failed_reply.is_none() {
            self.failed_reply.clone_from(&other.failed_reply);
        }
        other.errors.iter().for_each(|(failure, count)| add_to(&mut self.errors, *failure, *count));
        other.statuses.iter().for_each(|(code, count)| add_to(&mut self.statuses, *code, *count));
        add_histogram(&mut self.service, other.service.as_ref());
        add_histogram(&mut self.response, other.response.as_ref());
    }

    /// Latency as a user of the target sees it: from the scheduled instant where there is one.
    #[must_use]
    pub fn latency(&self) -> Option<&Histogram<C>> {
        self.response.as_ref().or(self.service.as_ref())
    }
}

/// An empty histogram of the contract's range and precision.
#[must_use]
pub fn histogram_of<C: Counter>() -> Histogram<C> {
    Histogram::new_with_bounds(1, HIGHEST_NS, DIGITS).unwrap_or_else(|_| unreachable!("the bounds are constants"))
}

/// Adds a histogram, if there is one.
pub fn add_histogram<C: Counter, D: Counter>(into: &mut Option<Histogram<C>>, from: Option<&Histogram<D>>) {
    let Some(from) = from else { return };
    let into = into.get_or_insert_with(histogram_of);
    for value in from.iter_recorded() {
        let count = C::from_u64(value.count_at_value().as_u64()).unwrap_or_else(C::zero);
        into.saturating_record_n(value.value_iterated_to(), count);
    }
}

fn add_to<K: PartialEq>(counts: &mut Vec<(K, u64)>, key: K, count: u64) {
    match counts.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known += count,
        None => counts.push((key, count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_by_kind_and_status() {
        let mut one = CallCounts::<u32> { sent: 2, ok: 1, ..CallCounts::default() };
        one.count_failed(Failure::Timeout);
        one.count_status(Code::Http(200));
        one.record_times(Some(5_000), None);
        let mut all = CallCounts::<u64>::default();
        all.add(&one);
        all.add(&one);
        assert_eq!((all.sent, all.ok, all.failed), (4, 2, 2));
        assert_eq!(
            (all.errors.as_slice(), all.statuses.as_slice()),
            (&[(Failure::Timeout, 2)][..], &[(Code::Http(200), 2)][..])
        );
        assert_eq!(all.service.map(|service| (service.len(), service.max() >= 5_000)), Some((2, true)));
        assert!(all.response.is_none(), "nothing was scheduled");
    }
}
