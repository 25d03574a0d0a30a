//! The result, in the words and the order of oha, wrk and hey, and as JSON.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde::{Serialize, Serializer};

use super::request::Request;
use crate::failure::Failure;
use crate::plan::{Arrival, Protocol};
use crate::results::{PhaseTotals, Summary, encode, grouped, known_at, value_at};

const PERCENTILES: [(&str, f64); 8] = [
    ("p10", 0.1),
    ("p25", 0.25),
    ("p50", 0.5),
    ("p75", 0.75),
    ("p90", 0.9),
    ("p95", 0.95),
    ("p99", 0.99),
    ("p99.9", 0.999),
];
/// Above this share of what the generator can do, the figure may be the generator's.
const GENERATOR_BOUND: f64 = 2.0 / 3.0;
/// A send lag above this share of the latency at the same quantile makes that the generator's, unless it is shorter
/// than this. The lab's finding `generator-lagged` has the same rule.
const LAG_SHARE: f64 = 0.1;
const LEAST_LAG_MS: f64 = 0.1;
/// Columns beside the subjects.
const WIDTH: usize = 66;
const UNITS: [&str; 4] = ["B", "kB", "MB", "GB"];

/// Results of one phase, as `hit.schema.json` describes them. Latencies are milliseconds, in the open model from each
/// request's scheduled instant; one that does not exist is null. `errors` counts failures by kind, an unexpected status
/// among them, and `reasons` has more about kinds.
#[derive(Debug, Serialize)]
pub struct Report {
    url: String,
    method: String,
    users: u32,
    rate_per_s: Option<f64>,
    duration_s: f64,
    requests: u64,
    ok: u64,
    failed: u64,
    unsent: u64,
    bytes_sent: u64,
    bytes_received: u64,
    expected: String,
    statuses: BTreeMap<String, u64>,
    errors: BTreeMap<String, u64>,
    reasons: BTreeMap<String, String>,
    /// Connections that were closed because bytes came that no request had asked for.
    surplus: u64,
    /// Requests sent again because the server had certainly not processed them.
    resent: u64,
    min_ms: Option<f64>,
    mean_ms: Option<f64>,
    max_ms: Option<f64>,
    #[serde(serialize_with = "as_object")]
    percentiles_ms: Vec<(&'static str, Option<f64>)>,
    send_lag_p99_ms: Option<f64>,
    capacity_per_s: Option<f64>,
    interrupted: bool,
    /// Wall clock at the last reply.
    ended_unix_ms: u64,
    window_s: Option<f64>,
    ok_late: u64,
    requests_per_s: f64,
    /// Latencies in nanoseconds, as the result stream holds them.
    histogram: Option<String>,
    warnings: Vec<String>,
}

impl Report {
    pub fn new(
        request: &Request,
        measured: &Summary,
        expected: &str,
        capacity_per_s: Option<f64>,
        warnings: Vec<String>,
    ) -> Self {
        let (totals, latency) = (&measured.totals, measured.totals.all.latency());
        let at = |quantile| latency.and_then(|latency| known_at(latency, quantile)).map(|ns| ns as f64 / 1e6);
        let (statuses, errors) = divided(expected, totals.all.ok, &totals.all.errors);
        let mut report = Self {
            url: request.url.clone(),
            method: if request.target.protocol == Protocol::Http { request.method.clone() } else { "gRPC".to_owned() },
            users: request.users,
            rate_per_s: request.rate,
            duration_s: measured.seconds(),
            requests: totals.all.sent,
            ok: totals.all.ok,
            failed: totals.all.failed,
            unsent: measured.phase.unsent,
            bytes_sent: totals.bytes_sent,
            bytes_received: totals.bytes_received,
            expected: expected.to_owned(),
            statuses,
            errors,
            reasons: reasons_of(totals),
            surplus: totals.surplus,
            resent: totals.resent,
            min_ms: latency.map(|latency| latency.min() as f64 / 1e6),
            mean_ms: latency.map(|latency| latency.mean() / 1e6),
            max_ms: latency.map(|latency| latency.max() as f64 / 1e6),
            percentiles_ms: PERCENTILES.iter().map(|(name, quantile)| (*name, at(*quantile))).collect(),
            send_lag_p99_ms: totals.send_lag.as_ref().map(|lag| value_at(lag, 0.99) as f64 / 1e6),
            capacity_per_s,
            interrupted: measured.phase.interrupted,
            ended_unix_ms: measured.phase.unix_ns / 1_000_000,
            window_s: measured.window_seconds(),
            ok_late: totals.operations_late,
            requests_per_s: measured.requests_per_second(),
            histogram: encode(latency),
            warnings,
        };
        let found = totals.connection_warnings().into_iter().chain(report.bound()).chain(lag(totals));
        report.warnings.extend(found.collect::<Vec<_>>());
        report
    }

    fn bound(&self) -> Option<String> {
        let is_bound = self.capacity_per_s.is_some_and(|limit| self.requests_per_s > GENERATOR_BOUND * limit);
        let text = "The load generator was near its own limit: the server may be faster than this.";
        is_bound.then(|| text.to_owned())
    }

    /// A line for each subject.
    pub fn text(&self, request: &Request) -> String {
        let interrupted = if self.interrupted { " (interrupted)" } else { "" };
        let mut text = format!("{} {}\n", self.method, self.url);
        let _ = writeln!(text, "  {}, {:.2} s{interrupted}\n", load(request), self.duration_s);
        self.counts().iter().for_each(|(name, value)| text += &block(name, value));
        text.push('\n');
        text += &self.latency();
        text += if self.rate_per_s.is_some() {
            "              from the instant at which each request was due\n\n"
        } else {
            "\n"
        };
        self.outcomes().iter().for_each(|(name, value)| text += &block(name, value));
        self.warnings.iter().for_each(|warning| text += &block("warning", warning));
        text
    }

    fn counts(&self) -> Vec<(&str, String)> {
        let share = if self.requests > 0 { self.failed as f64 / self.requests as f64 } else { 0.0 };
        let [sent, good, failed, unsent] = [self.requests, self.ok, self.failed, self.unsent].map(grouped);
        let mut lines = vec![
            ("requests/s", whole(self.requests_per_s)),
            ("requests", format!("{sent} sent, {good} good, {failed} failed ({:.2}%)", share * 100.0)),
        ];
        if self.unsent > 0 {
            lines.push(("unsent", format!("{unsent} requests were due and found no free user: raise --users")));
        }
        let [received, sent] = [self.bytes_received, self.bytes_sent].map(|bytes| self.size(bytes));
        lines.push(("data", format!("{received} received, {sent} sent")));
        lines
    }

    fn latency(&self) -> String {
        let mut figures = vec![("min", self.min_ms), ("mean", self.mean_ms)];
        figures.extend(&self.percentiles_ms);
        figures.push(("max", self.max_ms));
        let rows = figures.chunks(figures.len().div_ceil(2)).enumerate().map(|(row, figures)| {
            let names: String = figures.iter().map(|(name, _)| format!("{name:>10}")).collect();
            let values: String = figures.iter().map(|(_, value)| format!("{:>10}", milliseconds(*value))).collect();
            format!("  {:<12}{names}\n  {:<12}{values}\n", if row == 0 { "latency, ms" } else { "" }, "")
        });
        let mut text: String = rows.collect();
        // Without any latency there is nothing to explain.
        if self.max_ms.is_some() && self.percentiles_ms.iter().any(|(_, value)| value.is_none()) {
            let _ = writeln!(text, "  {:<12}–: fewer than 20 samples beyond p99 or 100 samples beyond p99.9", "");
        }
        text
    }

    fn outcomes(&self) -> Vec<(&str, String)> {
        let named = |counts: &BTreeMap<String, u64>| {
            let shown = counts.iter().filter(|(_, count)| **count > 0);
            shown.map(|(name, count)| format!("{name}: {}", grouped(*count))).collect::<Vec<_>>().join(", ")
        };
        let statuses = named(&self.statuses);
        let mut lines = vec![("status", if statuses.is_empty() { "no reply".to_owned() } else { statuses })];
        for (name, count) in &self.errors {
            let reason = self.reason(name).map(|reason| format!(" ({reason})")).unwrap_or_default();
            lines.push((if lines.len() == 1 { "errors" } else { "" }, format!("{name}: {}{reason}", grouped(*count))));
        }
        lines.push(("generator", self.generator()));
        lines
    }

    /// More about a kind of failure.
    fn reason(&self, kind: &str) -> Option<String> {
        if kind.starts_with("status_") || kind.starts_with("grpc_") {
            return Some(format!("expected {}", self.expected));
        }
        self.reasons.get(kind).cloned()
    }

    /// The text format of Prometheus.
    pub fn prometheus(&self) -> String {
        let labels = format!("url=\"{}\",method=\"{}\"", escaped(&self.url), self.method);
        let mut text = String::new();
        let mut metric = |name: &str, kind: &str, samples: &[(String, f64)]| {
            let _ = writeln!(text, "# TYPE bakeoff_hit_{name} {kind}");
            for (more, value) in samples {
                let _ = writeln!(text, "bakeoff_hit_{name}{{{labels}{more}}} {value}");
            }
        };
        let alone = |value: f64| vec![(String::new(), value)];
        metric("requests_total", "counter", &alone(self.requests as f64));
        metric("good_total", "counter", &alone(self.ok as f64));
        metric("unsent_total", "counter", &alone(self.unsent as f64));
        let failure = |(kind, count): (&String, &u64)| (format!(",kind=\"{kind}\""), *count as f64);
        metric("failures_total", "counter", &self.errors.iter().map(failure).collect::<Vec<_>>());
        metric("sent_bytes_total", "counter", &alone(self.bytes_sent as f64));
        metric("received_bytes_total", "counter", &alone(self.bytes_received as f64));
        metric("duration_seconds", "gauge", &alone(self.duration_s));
        metric("requests_per_second", "gauge", &alone(self.requests_per_s));
        // A quantile that does not exist is left out.
        let quantiles = PERCENTILES.iter().zip(&self.percentiles_ms);
        let quantile = |((_, at), (_, ms)): (&(&str, f64), &(&str, Option<f64>))| {
            ms.map(|ms| (format!(",quantile=\"{at}\""), ms / 1e3))
        };
        metric("latency_seconds", "gauge", &quantiles.filter_map(quantile).collect::<Vec<_>>());
        text
    }

    fn generator(&self) -> String {
        let Some(limit) = self.capacity_per_s else { return "its own limit was not measured".to_owned() };
        let used = self.requests_per_s / limit * 100.0;
        format!("sends {}/s of these requests to a server that does nothing; {used:.0}% of it used", whole(limit))
    }

    fn size(&self, bytes: u64) -> String {
        let mut value = if self.duration_s > 0.0 { bytes as f64 / self.duration_s } else { 0.0 };
        let mut units = UNITS.iter();
        let mut unit = units.next();
        while value >= 1000.0 && units.len() > 0 {
            value /= 1000.0;
            unit = units.next();
        }
        format!("{value:.1} {}/s", unit.unwrap_or(&""))
    }
}

/// The lag of requests that left late enough to show in a figure.
fn lag(totals: &PhaseTotals) -> Option<String> {
    let (lag, latency) = (totals.send_lag.as_ref()?, totals.all.latency()?);
    [("p99", 0.99), ("p50", 0.5)].into_iter().find_map(|(name, at)| {
        let [lag_ms, latency_ms] = [value_at(lag, at), value_at(latency, at)].map(|ns| ns as f64 / 1e6);
        (lag_ms > LEAST_LAG_MS && lag_ms > LAG_SHARE * latency_ms).then(|| {
            format!("The generator ran late ({name} {lag_ms:.1} ms): distrust latency. This machine lacks spare CPU.")
        })
    })
}

/// A subject and its words, folded to the width of a terminal of 80 columns.
fn block(name: &str, value: &str) -> String {
    let mut lines = vec![String::new()];
    for word in value.split(' ') {
        let last = lines.last().map_or(0, |line| line.chars().count());
        if last > 0 && last + 1 + word.chars().count() > WIDTH {
            lines.push(word.to_owned());
        } else if let Some(line) = lines.last_mut() {
            line.push_str(if last > 0 { " " } else { "" });
            line.push_str(word);
        }
    }
    format!("  {name:<12}{}\n", lines.join(&format!("\n{:14}", "")))
}

/// A label's value.
fn escaped(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n")
}

/// More about the kinds of failure that occurred: what was seen first, or what the kind means.
fn reasons_of(totals: &PhaseTotals) -> BTreeMap<String, String> {
    let seen = |failure: Failure| totals.reasons.iter().find(|(known, _)| *known == failure).map(|(_, text)| &**text);
    let reason = |(failure, _): &(Failure, u64)| {
        let text = seen(*failure).or_else(|| failure.meaning())?;
        Some((failure.name().into_owned(), text.to_owned()))
    };
    totals.all.errors.iter().filter_map(reason).collect()
}

/// Counts of replies by status, and of failures by kind.
fn divided(expected: &str, ok: u64, errors: &[(Failure, u64)]) -> (BTreeMap<String, u64>, BTreeMap<String, u64>) {
    let mut statuses = BTreeMap::from([(expected.to_owned(), ok)]);
    let mut others = BTreeMap::new();
    for (failure, count) in errors {
        if let Failure::Status(status) = failure {
            statuses.insert(status.to_string(), *count);
        }
        others.insert(failure.name().into_owned(), *count);
    }
    (statuses, others)
}

fn load(request: &Request) -> String {
    let users = grouped(u64::from(request.users));
    if let Some(rate) = request.rate {
        let arrival = if request.arrival == Arrival::Poisson { "poisson" } else { "constant" };
        return format!("{} requests/s ({arrival}), at most {users} in flight", general(rate));
    }
    let plural = if request.users == 1 { "" } else { "s" };
    let shared = request.connections.map(|count| format!(" on {} connections", grouped(u64::from(count))));
    let warm_up =
        (request.warm_up_ms > 0).then(|| format!(", warm-up of {} s before", general(request.warm_up_ms as f64 / 1e3)));
    format!("{users} user{plural}{}{}", shared.unwrap_or_default(), warm_up.unwrap_or_default())
}

/// Six significant digits, without zeros at the end.
fn general(value: f64) -> String {
    let decimals = 5 - (value.max(1e-4).log10().floor() as i32).min(5);
    let text = format!("{value:.*}", decimals as usize);
    let (number, fraction) = text.split_once('.').unwrap_or((&text, ""));
    let number = grouped(number.parse().unwrap_or_default());
    match fraction.trim_end_matches('0') {
        "" => number,
        fraction => format!("{number}.{fraction}"),
    }
}

fn whole(value: f64) -> String {
    grouped(value.round_ties_even() as u64)
}

/// A dash where there is no figure.
fn milliseconds(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value @ 1000.0..) => whole(value),
        Some(value @ 100.0..) => format!("{value:.1}"),
        Some(value) => format!("{value:.3}"),
    }
}

fn as_object<S: Serializer>(entries: &[(&'static str, Option<f64>)], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(entries.iter().copied())
}
