//! A phase's totals, summed over its seconds.

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};

use crate::engine::{CallCounts, Tally, add_histogram};
use crate::failure::Failure;

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
    /// Connections closed because bytes came that no request had asked for.
    pub surplus: u64,
    /// Requests sent again because the target had certainly not processed them.
    pub resent: u64,
    /// The first reason of each kind of failure that has one.
    pub reasons: Vec<(Failure, Box<str>)>,
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
        self.surplus += tally.surplus;
        self.resent += tally.resent;
        for (failure, reason) in &tally.reasons {
            if !self.reasons.iter().any(|(known, _)| known == failure) {
                self.reasons.push((*failure, reason.clone()));
            }
        }
        add_histogram(&mut self.send_lag, tally.send_lag.as_ref());
    }
}

impl PhaseTotals {
    /// Conditions of the connections that a person should know of.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let reasons = self.reasons.iter().map(|(failure, reason)| format!("{}: {reason}", failure.name()));
        self.connection_warnings().into_iter().chain(reasons).collect()
    }

    /// Replies that are longer than they say, and requests that were refused unprocessed.
    #[must_use]
    pub fn connection_warnings(&self) -> Vec<String> {
        let surplus = (self.surplus > 0).then(|| {
            format!(
                "Bytes that no request had asked for came on {} connections, after the end of a reply or on an idle \
                 connection. Such a connection is not used again: correct the length of the replies.",
                self.surplus
            )
        });
        let resent = (self.resent > 0).then(|| {
            format!(
                "{} requests that the server refused unprocessed (GOAWAY, REFUSED_STREAM) were sent again.",
                self.resent
            )
        });
        surplus.into_iter().chain(resent).collect()
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
