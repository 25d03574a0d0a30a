//! A phase that is over.

use super::totals::PhaseTotals;
use crate::engine::PhaseRecord;

/// A phase that is over.
#[derive(Debug)]
pub struct Summary {
    pub totals: PhaseTotals,
    pub phase: PhaseRecord,
}

impl Summary {
    #[must_use]
    pub fn seconds(&self) -> f64 {
        self.phase.duration_ns as f64 / 1e9
    }

    /// The planned duration: replies after it count for latency alone.
    #[must_use]
    pub fn window_seconds(&self) -> Option<f64> {
        self.phase.planned_ns.map(|planned_ns| planned_ns as f64 / 1e9)
    }

    /// Requests answered within the planned duration, a second; within the whole where none was planned.
    #[must_use]
    pub fn requests_per_second(&self) -> f64 {
        let ok = self.totals.all.ok;
        match self.window_seconds().filter(|seconds| *seconds > 0.0) {
            Some(seconds) => (ok - self.totals.operations_late) as f64 / seconds,
            None if self.phase.duration_ns > 0 => ok as f64 / self.seconds(),
            None => 0.0,
        }
    }
}
