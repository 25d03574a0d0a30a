//! When no further request is begun.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// The end of a phase.
#[derive(Debug, Clone)]
pub struct Stop {
    /// Shared by all clones, so that all workers end together when it is brought forward.
    until_ns: Arc<AtomicU64>,
    /// Requests that may still be begun, by all workers together.
    left: Option<Arc<AtomicU64>>,
    interrupted: Arc<AtomicBool>,
}

impl Stop {
    /// A phase that lasts until an instant, or for a number of requests.
    #[must_use]
    pub fn new(until_ns: Option<u64>, left: Option<Arc<AtomicU64>>, interrupted: Arc<AtomicBool>) -> Self {
        Self { until_ns: Arc::new(AtomicU64::new(until_ns.unwrap_or(u64::MAX))), left, interrupted }
    }

    /// Ends the phase at this instant, unless it ends earlier.
    pub fn bring_forward(&self, instant_ns: u64) {
        self.until_ns.fetch_min(instant_ns, Ordering::Relaxed);
    }

    /// Whether one more request may begin; counts it where the number of requests is limited.
    #[inline]
    #[must_use]
    pub fn admits(&self, now: u64) -> bool {
        if self.is_over(now) {
            return false;
        }
        match &self.left {
            None => true,
            Some(left) => left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok(),
        }
    }

    /// Whether no further request may begin.
    #[inline]
    #[must_use]
    pub fn is_reached(&self, now: u64) -> bool {
        self.is_over(now) || self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }

    /// Whether requests that have begun must no longer be written either.
    #[must_use]
    pub fn is_over(&self, now: u64) -> bool {
        now >= self.until_ns() || self.is_interrupted()
    }

    #[inline]
    #[must_use]
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The instant at which the phase ends, if it ends by the clock.
    #[inline]
    #[must_use]
    pub fn until_ns(&self) -> u64 {
        self.until_ns.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stop(until: Option<u64>, left: Option<u64>) -> Stop {
        Stop::new(until, left.map(|left| Arc::new(AtomicU64::new(left))), Arc::default())
    }

    #[test]
    fn a_phase_ends_by_the_clock() {
        let stop = stop(Some(100), None);
        for (now, admitted) in [(0, true), (99, true), (100, false), (u64::MAX, false)] {
            assert_eq!((stop.admits(now), stop.is_reached(now)), (admitted, !admitted), "{now}");
        }
    }

    #[test]
    fn a_phase_ends_after_its_requests_across_all_workers() {
        let stop = stop(None, Some(2));
        let other = stop.clone();
        assert!(stop.admits(0) && other.admits(0));
        assert!(!stop.admits(0) && other.is_reached(0));
    }

    #[test]
    fn an_end_that_is_brought_forward_applies_to_all() {
        let stop = stop(Some(100), None);
        let other = stop.clone();
        stop.bring_forward(60);
        assert!(other.admits(59) && !other.admits(60));
        stop.bring_forward(80);
        assert_eq!(other.until_ns(), 60);
    }

    #[test]
    fn an_interruption_ends_everything() {
        let interrupted = Arc::new(AtomicBool::new(false));
        let stop = Stop::new(None, None, Arc::clone(&interrupted));
        assert!(stop.admits(0));
        interrupted.store(true, Ordering::Relaxed);
        assert!(!stop.admits(0) && stop.is_reached(0));
    }
}
