//! A phase's totals out of its seconds.

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::engine::{Tally, histogram};
use crate::failure::Failure;

/// Sums of a phase.
#[derive(Debug)]
pub struct PhaseTotals {
    pub sent: u64,
    pub ok: u64,
    pub failed: u64,
    pub operations: u64,
    pub bytes_sent: u64,
    pub bytes_received: u64,
    pub errors: Vec<(Failure, u64)>,
    pub service: Histogram<u64>,
    pub response: Option<Histogram<u64>>,
    pub send_lag: Option<Histogram<u64>>,
}

impl Default for PhaseTotals {
    fn default() -> Self {
        Self {
            sent: 0,
            ok: 0,
            failed: 0,
            operations: 0,
            bytes_sent: 0,
            bytes_received: 0,
            errors: Vec::new(),
            service: histogram(),
            response: None,
            send_lag: None,
        }
    }
}

impl PhaseTotals {
    /// Adds a second.
    pub fn add(&mut self, tally: &Tally) {
        self.sent += tally.sent;
        self.ok += tally.ok;
        self.failed += tally.failed;
        self.operations += tally.operations;
        self.bytes_sent += tally.bytes_sent;
        self.bytes_received += tally.bytes_received;
        for (failure, count) in &tally.errors {
            match self.errors.iter_mut().find(|(known, _)| known == failure) {
                Some((_, known)) => *known += count,
                None => self.errors.push((*failure, *count)),
            }
        }
        merge(&mut self.service, &tally.service);
        for (into, from) in [(&mut self.response, &tally.response), (&mut self.send_lag, &tally.send_lag)] {
            if let Some(from) = from {
                merge(into.get_or_insert_with(histogram), from);
            }
        }
    }

    /// Latency as a user of the target would see it: from the scheduled instant where there is one.
    #[must_use]
    pub fn latency(&self) -> &Histogram<u64> {
        self.response.as_ref().unwrap_or(&self.service)
    }
}

fn merge(into: &mut Histogram<u64>, from: &Histogram<u32>) {
    for value in from.iter_recorded() {
        into.saturating_record_n(value.value_iterated_to(), u64::from(value.count_at_value()));
    }
}

/// V2 compressed encoding in base64; none when the histogram is empty.
#[must_use]
pub fn encode<T: hdrhistogram::Counter>(histogram: &Histogram<T>) -> Option<String> {
    if histogram.is_empty() {
        return None;
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(histogram, &mut bytes).ok()?;
    Some(base64::engine::general_purpose::STANDARD.encode(bytes))
}
