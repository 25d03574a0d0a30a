//! The end of a run, for a person or as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::figures::{grouped, quantile, sketch};
use super::totals::PhaseTotals;
use crate::engine::PhaseRecord;

/// Percentiles that are shown.
const PERCENTILES: [(&str, f64); 6] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];

/// A phase that is over, ready to be shown.
#[derive(Debug)]
pub struct Summary {
    pub totals: PhaseTotals,
    pub unsent: u64,
    pub connections_opened: u64,
    pub seconds: f64,
    /// The planned duration: replies after it count for latency alone.
    pub window_seconds: Option<f64>,
}

impl Summary {
    #[must_use]
    pub fn new(totals: PhaseTotals, record: &PhaseRecord) -> Self {
        Self {
            totals,
            unsent: record.unsent,
            connections_opened: record.connections_opened,
            seconds: record.duration_ns as f64 / 1e9,
            window_seconds: record.planned_ns.map(|planned_ns| planned_ns as f64 / 1e9),
        }
    }

    fn rate(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    /// Requests answered within the planned duration, a second; within the whole where none was planned.
    fn throughput(&self) -> f64 {
        let all = &self.totals.all;
        match self.window_seconds {
            Some(seconds) if seconds > 0.0 => (all.ok - all.ok_late) as f64 / seconds,
            _ => self.rate(all.ok),
        }
    }

    /// Everything as JSON; latencies in milliseconds.
    #[must_use]
    pub fn json(&self) -> Value {
        let totals = &self.totals;
        let quantile = |(name, at): &(&str, f64)| {
            let value_ns = totals.all.latency().map_or(0, |latency| latency.value_at_quantile(*at));
            ((*name).to_owned(), json!(value_ns as f64 / 1e6))
        };
        let errors = totals.all.errors.iter().map(|(failure, count)| (failure.name().into_owned(), json!(count)));
        json!({
            "seconds": self.seconds,
            "requests_per_second": self.throughput(),
            "sent": totals.all.sent,
            "ok": totals.all.ok,
            "failed": totals.all.failed,
            "unsent": self.unsent,
            "errors": errors.collect::<Map<_, _>>(),
            "bytes_sent": totals.bytes_sent,
            "bytes_received": totals.bytes_received,
            "connections_opened": self.connections_opened,
            "latency_ms": PERCENTILES.iter().map(quantile).collect::<Map<_, _>>(),
            "send_lag_p99_ms": totals.send_lag.as_ref().map(|lag| lag.value_at_quantile(0.99) as f64 / 1e6),
        })
    }

    /// Everything as text, with a sketch of the latencies.
    #[must_use]
    pub fn text(&self) -> String {
        let totals = &self.totals;
        let rate = grouped(self.throughput().round() as u64);
        let mut text = format!("{} requests in {:.2} s: {rate} a second\n", grouped(totals.all.ok), self.seconds);
        for (failure, count) in &totals.all.errors {
            let name = failure.name();
            let meaning = failure.meaning().map_or_else(String::new, |meaning| format!(": {meaning}"));
            let _ = writeln!(text, "  failed  {:>10}  {name}{meaning}", grouped(*count));
        }
        if self.unsent > 0 {
            let _ =
                writeln!(text, "  unsent  {:>10}  scheduled, and no user was free to send them", grouped(self.unsent));
        }
        let megabytes = |bytes: u64| self.rate(bytes) / 1e6;
        let _ = writeln!(
            text,
            "  sent {:.2} MB/s, received {:.2} MB/s, {} connections opened\n",
            megabytes(totals.bytes_sent),
            megabytes(totals.bytes_received),
            grouped(self.connections_opened)
        );
        if totals.all.latency().is_some() {
            text.push_str(&self.latency_text());
        }
        text
    }

    fn latency_text(&self) -> String {
        let latency = self.totals.all.latency();
        let mut text = String::from("latency");
        for (name, at) in PERCENTILES {
            let _ = write!(text, "  {name} {}", quantile(latency, at));
        }
        if let Some(lag) = &self.totals.send_lag {
            let _ = write!(text, "\nsent late by  p99 {}", quantile(Some(lag), 0.99));
        }
        text.push_str("\n\n");
        for row in sketch(latency) {
            text.push_str(&row);
            text.push('\n');
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::failure::Failure;

    #[test]
    fn an_empty_run_can_be_shown() {
        let summary = Summary {
            totals: PhaseTotals::default(),
            unsent: 3,
            connections_opened: 0,
            seconds: 0.0,
            window_seconds: None,
        };
        assert!(summary.text().contains("3  scheduled"), "{}", summary.text());
        assert_eq!(summary.json()["requests_per_second"], json!(0.0));
    }

    #[test]
    fn failures_are_counted_and_explained() {
        let mut totals = PhaseTotals::default();
        totals.all.errors = vec![(Failure::Refused, 1_200), (Failure::Status(503), 7)];
        let text = Summary { totals, unsent: 0, connections_opened: 0, seconds: 1.0, window_seconds: None }.text();
        assert!(text.contains("failed       1,200  refused: nothing listens on this port\n"), "{text}");
        assert!(text.contains("failed           7  status_503\n"), "{text}");
    }
}
