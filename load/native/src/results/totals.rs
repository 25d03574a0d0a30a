//! A phase's totals, summed over its seconds.

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::engine::{CallCounts, Tally, add_histogram};

/// Sums of a phase.
#[derive(Debug, Default)]
pub struct PhaseTotals {
    /// The outcomes of all operations together.
    pub all: CallCounts<u64>,
    /// Outcomes by operation, in the plan's order.
    pub calls: Vec<CallCounts<u64>>,
    /// Messages acknowledged.
    pub operations: u64,
    /// Those of them that were acknowledged after the planned end.
    pub operations_late: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub send_lag: Option<Histogram<u64>>,
}

impl PhaseTotals {
    /// Adds a second.
    pub fn add(&mut self, tally: &Tally) {
        self.calls.resize_with(tally.calls.len().max(self.calls.len()), CallCounts::default);
        for (total, call) in self.calls.iter_mut().zip(&tally.calls) {
            total.add(call);
            self.all.add(call);
        }
        self.operations += tally.operations;
        self.operations_late += tally.operations_late;
        self.bytes_sent += tally.bytes_sent;
        self.bytes_received += tally.bytes_received;
        add_histogram(&mut self.send_lag, tally.send_lag.as_ref());
    }
}

/// V2 compressed encoding in base64; none when the histogram is empty.
#[must_use]
pub fn encode<T: hdrhistogram::Counter>(histogram: Option<&Histogram<T>>) -> Option<String> {
    let histogram = histogram.filter(|histogram| !histogram.is_empty())?;
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).ok()?;
    Some(base64::engine::general_purpose::STANDARD.encode(bytes))
}
