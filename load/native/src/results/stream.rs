//! The result stream: JSON lines as specified in `lab/src/bakeoff/formats/stream.schema.json`.

use std::io::Write;

use hdrhistogram::Counter;
use serde_json::{Map, Value, json};

use super::totals::{PhaseTotals, encode};
use crate::engine::{CallCounts, Observer, PhaseRecord, SecondRecord, StartRecord, Steadiness};
use crate::failure::Failure;
use crate::mismatch::Mismatch;
use crate::reply::FailedReply;

/// The version of the stream.
const VERSION: u32 = 1;

/// Writes the stream, a line for each record.
#[derive(Debug)]
pub struct StreamWriter<W: Write> {
    out: W,
    totals: PhaseTotals,
    /// Names of the operations, in the order of a tally's calls.
    operations: Vec<String>,
    /// The first failure to write: the stream is not to be trusted after it.
    pub failure: Option<std::io::Error>,
}

impl<W: Write> StreamWriter<W> {
    pub fn new(out: W) -> Self {
        Self { out, totals: PhaseTotals::default(), operations: Vec::new(), failure: None }
    }

    fn line(&mut self, record: &Value) {
        let written = writeln!(self.out, "{record}").and_then(|()| self.out.flush());
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }

    /// The outcomes of each operation that had any.
    fn by_operation<C: Counter>(&self, calls: &[CallCounts<C>]) -> Value {
        let named = self.operations.iter().zip(calls).filter(|(_, call)| !call.is_empty());
        Value::Object(named.map(|(name, call)| (name.clone(), outcomes(call))).collect())
    }

    /// Ends a stream whose plan could not be carried out.
    pub fn fail(&mut self, message: &str, unix_ns: u64) {
        self.line(&json!({"type": "end", "reason": "failed", "message": message, "time_unix_ns": unix_ns}));
    }
}

impl<W: Write> Observer for StreamWriter<W> {
    fn start(&mut self, record: &StartRecord) {
        self.operations = record.operations.iter().map(|operation| operation.name.clone()).collect();
        let checks = record.operations.iter().map(|operation| (operation.name.clone(), json!(operation.share)));
        self.line(&json!({
            "type": "start",
            "version": VERSION,
            "engine": {"name": "native", "version": env!("CARGO_PKG_VERSION")},
            "workload": record.workload,
            "target": record.target,
            "protocol": record.protocol.name(),
            "connections": record.connections,
            "checks": checks.collect::<Map<_, _>>(),
            "time_unix_ns": record.unix_ns,
        }));
    }

    fn ready(&mut self, phase: usize, unix_ns: u64) {
        self.line(&json!({"type": "ready", "phase": phase, "time_unix_ns": unix_ns}));
    }

    fn clock(&mut self, id: u64, unix_ns: u64) {
        self.line(&json!({"type": "clock", "id": id, "time_unix_ns": unix_ns}));
    }

    fn phase_start(&mut self, phase: usize, name: &str, users: u32, unix_ns: u64) {
        self.totals = PhaseTotals::default();
        self.line(&json!({
            "type": "phase_start", "phase": phase, "name": name, "virtual_users": users, "time_unix_ns": unix_ns,
        }));
    }

    fn second(&mut self, record: &SecondRecord) {
        let tally = &record.tally;
        let all = tally.all();
        self.totals.add(tally);
        self.line(&json!({
            "type": "second",
            "phase": record.phase,
            "second": record.second,
            "time_unix_ns": record.unix_ns,
            "sent": all.sent,
            "ok": all.ok,
            "failed": all.failed,
            "errors": errors(&all.errors),
            "operations": tally.operations,
            "bytes_sent": tally.bytes_sent,
            "bytes_received": tally.bytes_received,
            "unsent": tally.unsent,
            "service_histogram": encode(all.service.as_ref()),
            "response_histogram": encode(all.response.as_ref()),
            "by_operation": self.by_operation(&tally.calls),
        }));
    }

    fn phase_end(&mut self, record: &PhaseRecord) {
        let totals = std::mem::take(&mut self.totals);
        let mut line = json!({
            "type": "phase_end",
            "phase": record.phase,
            "time_unix_ns": record.unix_ns,
            "duration_ns": record.duration_ns,
            "planned_ns": record.planned_ns,
            "sent": totals.all.sent,
            "ok": totals.all.ok,
            "failed": totals.all.failed,
            "errors": errors(&totals.all.errors),
            "operations": totals.operations,
            "operations_late": totals.operations_late,
            "bytes_sent": totals.bytes_sent,
            "bytes_received": totals.bytes_received,
            "unsent": record.unsent,
            "connections_opened": record.connections_opened,
            "interrupted": record.interrupted,
            "service_histogram": encode(totals.all.service.as_ref()),
            "response_histogram": encode(totals.all.response.as_ref()),
            "send_lag_histogram": encode(totals.send_lag.as_ref()),
            "by_operation": self.by_operation(&totals.calls),
        });
        if let Some(steadiness) = record.steadiness {
            line["steady_after_s"] = match steadiness {
                Steadiness::Never => Value::Null,
                Steadiness::AfterSeconds(seconds) => json!(seconds),
            };
        }
        self.line(&line);
        totals.warnings().iter().for_each(|warning| self.warning(warning));
    }

    fn warning(&mut self, message: &str) {
        self.line(&json!({"type": "note", "level": "warning", "message": message}));
    }

    fn end(&mut self, interrupted: bool, unix_ns: u64) {
        let reason = if interrupted { "interrupted" } else { "completed" };
        self.line(&json!({"type": "end", "reason": reason, "message": "", "time_unix_ns": unix_ns}));
    }
}

fn outcomes<C: Counter>(call: &CallCounts<C>) -> Value {
    let statuses = call.statuses.iter().map(|(code, count)| (code.name().into_owned(), json!(count)));
    let mut outcomes = json!({
        "sent": call.sent,
        "ok": call.ok,
        "ok_late": call.ok_late,
        "failed": call.failed,
        "errors": errors(&call.errors),
        "statuses": statuses.collect::<Map<_, _>>(),
        "checked": call.checked,
        "checks_failed": call.checks_failed,
        "service_histogram": encode(call.service.as_ref()),
        "response_histogram": encode(call.response.as_ref()),
    });
    if let Some(Mismatch { pointer, expected, received }) = call.failed_check.as_deref() {
        outcomes["failed_check"] = json!({"pointer": pointer, "expected": expected, "received": received});
    }
    if let Some(FailedReply { expected, received, content }) = call.failed_reply.as_deref() {
        outcomes["failed_reply"] = json!({"expected": expected, "received": received, "content": content});
    }
    outcomes
}

fn errors(counts: &[(Failure, u64)]) -> Value {
    Value::Object(
        counts.iter().map(|(failure, count)| (failure.name().into_owned(), json!(count))).collect::<Map<_, _>>(),
    )
}
