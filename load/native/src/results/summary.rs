//! The end of a run, for a person or as JSON.

use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::totals::PhaseTotals;
use crate::engine::PhaseRecord;

/// Percentiles that are shown.
const PERCENTILES: [(&str, f64); 6] =
    [("p50", 0.5), ("p75", 0.75), ("p90", 0.9), ("p99", 0.99), ("p99.9", 0.999), ("max", 1.0)];
const SKETCH_ROWS: usize = 10;
const SKETCH_WIDTH: u64 = 40;

/// A phase that is over, ready to be shown.
#[derive(Debug)]
pub struct Summary {
    pub totals: PhaseTotals,
    pub unsent: u64,
    pub connections_opened: u64,
    pub seconds: f64,
}

impl Summary {
    #[must_use]
    pub fn new(totals: PhaseTotals, record: &PhaseRecord) -> Self {
        Self {
            totals,
            unsent: record.unsent,
            connections_opened: record.connections_opened,
            seconds: record.duration_ns as f64 / 1e9,
        }
    }

    fn rate(&self, count: u64) -> f64 {
        if self.seconds > 0.0 { count as f64 / self.seconds } else { 0.0 }
    }

    /// Everything as JSON; latencies in milliseconds.
    #[must_use]
    pub fn json(&self) -> Value {
        let totals = &self.totals;
        let quantile = |(name, at): &(&str, f64)| {
            let value_ns = totals.latency().value_at_quantile(*at);
            ((*name).to_owned(), json!(value_ns as f64 / 1e6))
        };
        let errors = totals.errors.iter().map(|(failure, count)| (failure.name().into_owned(), json!(count)));
        json!({
            "seconds": self.seconds,
            "requests_per_second": self.rate(totals.ok),
            "sent": totals.sent,
            "ok": totals.ok,
            "failed": totals.failed,
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
        let mut text =
            format!("{} requests in {:.2} s: {:.0} a second\n", totals.ok, self.seconds, self.rate(totals.ok));
        for (failure, count) in &totals.errors {
            let _ = writeln!(text, "  failed  {count:>10}  {}", failure.name());
        }
        if self.unsent > 0 {
            let _ = writeln!(text, "  unsent  {:>10}  scheduled, and nobody was free to send", self.unsent);
        }
        let megabytes = |bytes: u64| self.rate(bytes) / 1e6;
        let _ = writeln!(
            text,
            "  sent {:.2} MB/s, received {:.2} MB/s, {} connections opened\n",
            megabytes(totals.bytes_sent),
            megabytes(totals.bytes_received),
            self.connections_opened
        );
        if !totals.latency().is_empty() {
            text.push_str(&self.latency_text());
        }
        text
    }

    fn latency_text(&self) -> String {
        let latency = self.totals.latency();
        let mut text = String::from("latency");
        for (name, at) in PERCENTILES {
            let _ = write!(text, "  {name} {}", duration(latency.value_at_quantile(at)));
        }
        if let Some(lag) = &self.totals.send_lag {
            let _ = write!(text, "\nsent late by  p99 {}", duration(lag.value_at_quantile(0.99)));
        }
        text.push_str("\n\n");
        for (up_to, count) in self.sketch() {
            let share = count as f64 / latency.len() as f64;
            let bar = "█".repeat((share * SKETCH_WIDTH as f64).ceil() as usize);
            let _ = writeln!(text, "  ≤ {:>9} {:>6.2}% {bar}", duration(up_to), share * 100.0);
        }
        text
    }

    /// Counts between bounds that grow evenly in proportion, from the fastest to the slowest.
    fn sketch(&self) -> Vec<(u64, u64)> {
        let latency = self.totals.latency();
        let (low, high) = (latency.min().max(1) as f64, latency.max().max(2) as f64);
        let ratio = (high / low).powf(1.0 / SKETCH_ROWS as f64);
        let mut below = 0;
        (1..=SKETCH_ROWS)
            .map(|row| {
                let bound = if row == SKETCH_ROWS { latency.max() } else { (low * ratio.powi(row as i32)) as u64 };
                let count = latency.count_between(0, bound);
                let added = count - below;
                below = count;
                (bound, added)
            })
            .collect()
    }
}

/// Nanoseconds as a person reads them.
#[must_use]
pub fn duration(ns: u64) -> String {
    match ns {
        0..1_000_000 => format!("{:.0} µs", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.2} ms", ns as f64 / 1e6),
        _ => format!("{:.2} s", ns as f64 / 1e9),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_fitting_units() {
        for (ns, text) in [(0, "0 µs"), (1_500, "2 µs"), (2_340_000, "2.34 ms"), (12_000_000_000, "12.00 s")] {
            assert_eq!(duration(ns), text);
        }
    }

    #[test]
    fn a_sketch_counts_everything_once() {
        let mut totals = PhaseTotals::default();
        (1..=1_000_u64).for_each(|value| totals.service.saturating_record(value * 1_000));
        let summary = Summary { totals, unsent: 0, connections_opened: 1, seconds: 1.0 };
        assert_eq!(summary.sketch().iter().map(|(_, count)| count).sum::<u64>(), 1_000);
    }

    #[test]
    fn an_empty_run_can_be_shown() {
        let summary = Summary { totals: PhaseTotals::default(), unsent: 3, connections_opened: 0, seconds: 0.0 };
        assert!(summary.text().contains("3  scheduled"), "{}", summary.text());
        assert_eq!(summary.json()["requests_per_second"], json!(0.0));
    }
}
