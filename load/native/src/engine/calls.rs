//! The calls of a plan, prepared for a protocol: operations in their order, then the batch or the stream.

use std::collections::BTreeMap;
use std::sync::Arc;

use prost_reflect::MethodDescriptor;
use serde_json::Value;

use super::records::CheckShare;
use super::verified_reads::ReadRules;
use crate::audit::json::Pointer;
use crate::failure::GRPC_CODES;
use crate::list_check::ListRule;
use crate::plan::{GrpcCall, HttpCall, OneOrMore, Operation, Plan, PlanError, Protocol};
use crate::reply::{Format, ReplyRules, Thoroughness, constant_secrets, is_in_headers};
use crate::wire::Code;
use crate::wire::h2::{self, Http2Calls};
use crate::wire::http1;
use crate::workload::Workload;

/// The name of the operation that a request with several messages counts as.
const BATCH: &str = "batch";

/// The HTTP requests of a plan.
pub fn http_calls(plan: &Plan, workload: &Workload, keeps_heads: bool) -> Vec<http1::HttpCall> {
    let authority = plan.transport.authority();
    let operation = |(operation, call): (&crate::workload::Operation, &HttpCall)| {
        let has_message = operation.variants.iter().any(|variant| !variant.json.is_empty());
        let has_body = has_message || matches!(call.method.as_str(), "POST" | "PUT" | "PATCH");
        let keeps_head = keeps_heads
            || plan.cookies
            || accepts_gzip(plan, call)
            || call.capture.values().any(|place| is_in_headers(place));
        let prepared = http1::HttpCall::new(&call.method, &authority, headers(plan, call), has_body);
        prepared.keeping_heads(keeps_head).closing(!plan.transport.keep_alive)
    };
    let calls = || plan.operations.iter().filter_map(|operation| operation.http.as_ref());
    let batch = plan.batch.iter().zip(calls()).map(|(batch, first)| {
        let prepared = http1::HttpCall::new(&batch.method, &authority, headers(plan, first), true);
        prepared.keeping_heads(accepts_gzip(plan, first)).closing(!plan.transport.keep_alive)
    });
    workload.operations.iter().zip(calls()).map(operation).chain(batch).collect()
}

/// The requests of a plan over HTTP/2.
pub fn http2_calls(plan: &Plan, workload: &Workload) -> Http2Calls {
    let prepared = |method: &str, call: &HttpCall, has_body: bool| {
        let headers = headers(plan, call).map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        h2::RestRequest { method: method.to_owned(), headers, has_body }
    };
    let calls = || plan.operations.iter().filter_map(|operation| operation.http.as_ref());
    let operation = |(operation, call): (&crate::workload::Operation, &HttpCall)| {
        let has_message = operation.variants.iter().any(|variant| !variant.json.is_empty());
        prepared(&call.method, call, has_message || matches!(call.method.as_str(), "POST" | "PUT" | "PATCH"))
    };
    let batch = plan.batch.iter().zip(calls()).map(|(batch, first)| prepared(&batch.method, first, true));
    let all: Vec<_> = workload.operations.iter().zip(calls()).map(operation).chain(batch).collect();
    let calls = Http2Calls::rest(&plan.transport.authority(), &all).with_ping(ping(plan));
    if plan.transport.tls.is_some() { calls.over_tls() } else { calls }
}

fn ping(plan: &Plan) -> Option<h2::Ping> {
    let ns = |ms: u64| ms.saturating_mul(1_000_000);
    plan.transport.ping.map(|ping| h2::Ping {
        interval_ns: ns(ping.interval_ms),
        timeout_ns: ns(ping.timeout_ms),
        when_idle: ping.when_idle,
    })
}

/// Whether replies may be compressed.
fn accepts_gzip(plan: &Plan, call: &HttpCall) -> bool {
    headers(plan, call).any(|(name, value)| name.eq_ignore_ascii_case("accept-encoding") && value.contains("gzip"))
}

/// The headers of all requests, replaced by the call's own where names are equal.
fn headers<'a>(plan: &'a Plan, call: &'a HttpCall) -> impl Iterator<Item = (&'a str, &'a str)> {
    let is_own = |name: &str| call.headers.keys().any(|known| known.eq_ignore_ascii_case(name));
    texts(&plan.transport.headers).filter(move |(name, _)| !is_own(name)).chain(repeated(&call.headers))
}

/// The rules for the replies of a plan's requests.
pub fn rules(plan: &Plan, workload: &Workload) -> Result<Vec<ReplyRules>, PlanError> {
    let rules = match plan.transport.protocol {
        Protocol::Http => http_rules(plan, workload),
        Protocol::Grpc => grpc_rules(plan, workload),
    }?;
    let secrets = constant_secrets(plan);
    Ok(rules.into_iter().map(|rule| rule.with_secrets(Arc::clone(&secrets))).collect())
}

/// The rules for the replies of the HTTP requests.
pub fn http_rules(plan: &Plan, workload: &Workload) -> Result<Vec<ReplyRules>, PlanError> {
    let mut rules = Vec::new();
    for operation in &plan.operations {
        let Some(call) = &operation.http else { continue };
        let accepted = call.expect.as_slice().iter().map(|status| Code::Http(*status)).collect();
        let rule = ReplyRules::new(accepted, Format::Json, Thoroughness::Sampled, plan.verify_share);
        let rule = rule.with_values(&call.reply).with_texts(call.reply_templates.keys()).with_captures(&call.capture);
        let rule = rule.with_list(call.list.as_ref().map(|list| ListRule::new(list, &workload.kinds)).transpose()?);
        rules.push(rule.accepting(absent_code(operation, Protocol::Http)?));
    }
    if let Some(batch) = &plan.batch {
        let status = batch.expect.as_u64().and_then(|status| u16::try_from(status).ok());
        let expected = match status {
            Some(status) => Code::Http(status),
            None if plan.transport.batch == 1 => Code::Http(200),
            None => return Err(PlanError::rule("batch.expect: a status for http")),
        };
        rules.push(ReplyRules::new(vec![expected], Format::Json, Thoroughness::Always, 1.0).with_values(&batch.reply));
    }
    Ok(rules)
}

/// The gRPC methods of a plan.
pub fn grpc_calls(plan: &Plan, workload: &Workload) -> Result<Http2Calls, PlanError> {
    let mut methods: Vec<&str> = grpc_operations(plan)?.iter().map(|call| call.method.as_str()).collect();
    match (&plan.stream, &plan.batch) {
        (Some(stream), _) if plan.transport.stream => methods.push(&stream.method),
        (_, Some(batch)) if plan.transport.batch > 1 => methods.push(&batch.method),
        _ => {}
    }
    let calls = Http2Calls::new(&plan.transport.authority(), &methods, plan.transport.stream);
    let calls = calls.with_metadata(&plan.transport.headers).with_gzip(plan.transport.gzip).with_ping(ping(plan));
    let calls = if plan.transport.stream {
        calls
    } else {
        let described = |method: &&str| described(workload, method);
        let described = methods.iter().map(described).collect::<Result<Vec<_>, _>>()?;
        let is_list = described.iter().map(MethodDescriptor::is_server_streaming).collect();
        let is_framed = (0..methods.len()).map(|call| is_message_stream(plan) && call + 1 == methods.len()).collect();
        calls.with_streams(is_list, is_framed)
    };
    Ok(if plan.transport.tls.is_some() { calls.over_tls() } else { calls })
}

/// Whether the first method of a plan replies with a stream, which need not end.
///
/// # Errors
/// The plan does not describe its method.
pub fn has_streamed_replies(plan: &Plan) -> Result<bool, PlanError> {
    let Some(call) = plan.operations.first().and_then(|operation| operation.grpc.as_ref()) else { return Ok(false) };
    Ok(described(&Workload::compile(plan)?, &call.method)?.is_server_streaming() && !plan.transport.stream)
}

fn described(workload: &Workload, method: &str) -> Result<MethodDescriptor, PlanError> {
    workload.descriptors.as_ref().ok_or_else(|| PlanError::rule("proto: required"))?.method(method)
}

/// Whether a batch is a stream of messages: its request has no field that holds them.
pub fn is_message_stream(plan: &Plan) -> bool {
    let batch = plan.batch.as_ref().filter(|_| plan.transport.batch > 1 && plan.transport.protocol == Protocol::Grpc);
    batch.is_some_and(|batch| batch.field.is_none())
}

/// The rules for the replies of the gRPC methods.
pub fn grpc_rules(plan: &Plan, workload: &Workload) -> Result<Vec<ReplyRules>, PlanError> {
    let format = |method: &str| {
        let described = described(workload, method)?;
        let is_list = described.is_server_streaming() && !plan.transport.stream;
        let output = described.output();
        Ok::<_, PlanError>(if is_list {
            Format::ProtobufList { each: output, gzip: plan.transport.gzip }
        } else {
            Format::Protobuf(output)
        })
    };
    let always = |method: &str, expected, values: &BTreeMap<String, Value>| {
        Ok::<_, PlanError>(
            ReplyRules::new(vec![expected], format(method)?, Thoroughness::Always, 1.0).with_values(values),
        )
    };
    let mut rules = Vec::new();
    for (operation, call) in plan.operations.iter().zip(grpc_operations(plan)?) {
        let codes = call.expect.as_slice().iter().map(|name| grpc_code(name).map(Code::Grpc));
        let accepted = codes.collect::<Result<_, _>>()?;
        let rule = ReplyRules::new(accepted, format(&call.method)?, Thoroughness::Sampled, plan.verify_share);
        let rule = rule.with_values(&call.reply).with_texts(call.reply_templates.keys()).with_captures(&call.capture);
        let rule = rule.with_list(call.list.as_ref().map(|list| ListRule::new(list, &workload.kinds)).transpose()?);
        rules.push(rule.accepting(absent_code(operation, Protocol::Grpc)?));
    }
    match (&plan.stream, &plan.batch) {
        (Some(stream), _) if plan.transport.stream => {
            rules.push(always(&stream.method, Code::Grpc(0), &stream.reply)?);
        }
        (_, Some(batch)) if plan.transport.batch > 1 => {
            let expected = grpc_code(batch.expect.as_str().unwrap_or_default())?;
            rules.push(always(&batch.method, Code::Grpc(expected), &batch.reply)?);
        }
        _ => {}
    }
    Ok(rules)
}

/// The calls of a tally: the operations, then the batch where requests are batches of messages.
pub fn operations(plan: &Plan, rules: &[ReplyRules]) -> Vec<CheckShare> {
    let names = plan.operations.iter().map(|operation| operation.name.clone());
    let batch = (plan.transport.batch > 1).then(|| BATCH.to_owned());
    let rule_of = |call: usize| if plan.transport.stream { plan.operations.len() } else { call };
    let share = |call| rules.get(rule_of(call)).map_or(0.0, ReplyRules::check_share);
    // Reads are verified for a fraction of the documents.
    let verified = |call: usize| plan.operations.get(call).is_some_and(|operation| operation.reads.is_some());
    let reads = |call| if verified(call) { plan.verify_share } else { 0.0 };
    let share_of = |call: usize| f64::max(share(call), reads(call));
    names.chain(batch).enumerate().map(|(call, name)| CheckShare { name, share: share_of(call) }).collect()
}

/// Where the replies of each operation show a stored document.
pub fn read_rules(plan: &Plan) -> Result<Vec<Option<ReadRules>>, PlanError> {
    let rules = |operation: &Operation| {
        let Some(reads) = &operation.reads else { return Ok(None) };
        let absent = absent_code(operation, plan.transport.protocol)?;
        Ok(Some(ReadRules { document: Pointer::new(&reads.document), place: reads.document.clone(), absent }))
    };
    plan.operations.iter().map(rules).collect()
}

/// The status that stands for a document that does not exist.
fn absent_code(operation: &Operation, protocol: Protocol) -> Result<Option<Code>, PlanError> {
    let Some(absent) = operation.reads.as_ref().and_then(|reads| reads.absent.as_ref()) else { return Ok(None) };
    let code = match protocol {
        Protocol::Http => absent.as_u64().and_then(|status| u16::try_from(status).ok()).map(Code::Http),
        Protocol::Grpc => absent.as_str().map(grpc_code).transpose()?.map(Code::Grpc),
    };
    let wrong = || PlanError::rule(format!("operation {}: reads.absent: a status of the protocol", operation.name));
    code.map(Some).ok_or_else(wrong)
}

fn grpc_operations(plan: &Plan) -> Result<Vec<&GrpcCall>, PlanError> {
    let call = |operation: &Operation| operation.grpc.is_some();
    if !plan.operations.iter().all(call) {
        return Err(PlanError::rule("operations: an operation has no gRPC call"));
    }
    Ok(plan.operations.iter().filter_map(|operation| operation.grpc.as_ref()).collect())
}

fn grpc_code(name: &str) -> Result<u8, PlanError> {
    let found = GRPC_CODES.iter().position(|known| *known == name);
    found.map(|code| code as u8).ok_or_else(|| PlanError::rule(format!("expect: {name:?} is not a gRPC status")))
}

fn repeated(headers: &BTreeMap<String, OneOrMore<String>>) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().flat_map(|(name, values)| values.as_slice().iter().map(|value| (name.as_str(), value.as_str())))
}

fn texts(headers: &BTreeMap<String, String>) -> impl Iterator<Item = (&str, &str)> {
    headers.iter().map(|(name, value)| (name.as_str(), value.as_str()))
}
