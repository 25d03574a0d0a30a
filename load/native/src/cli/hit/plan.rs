//! Makes a plan from command-line options.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use base64::Engine as _;
use prost::Message as _;

use super::request::Request;
use crate::cli::arguments::HitArguments;
use crate::plan::{
    ArrivingPhase, CountedPhase, GrpcCall, HeldPhase, HttpCall, HttpVersion, OneOrMore, Operation, Phase, Plan,
    PlanError, Proto, Protocol, Segment, Stream, Thresholds, Tls, Transport,
};
use crate::template::parse_template;

/// The HTTP status that counts as success until a first request shows another.
const USUAL_STATUS: u16 = 200;
/// Bytes of `{"value":""}`.
const ENVELOPE_BYTES: u64 = 12;

/// The plan that the options describe.
///
/// # Errors
/// They contradict each other, or a file cannot be read.
pub fn plan(request: &Request, arguments: &HitArguments) -> Result<Plan, Box<dyn Error>> {
    let target = &request.target;
    let plan = Plan {
        version: crate::plan::VERSION,
        workload: "hit".to_owned(),
        target: request.url.clone(),
        mode: "hit".to_owned(),
        payload: "default".to_owned(),
        run: format!("{:08x}", std::process::id()),
        seed: format!("{:016x}", arguments.seed),
        base_time_ms: now_ms(),
        transport: Transport {
            protocol: target.protocol,
            host: target.host.clone(),
            port: target.port,
            connections: request.connections,
            batch: 1,
            stream: arguments.stream,
            window: arguments.window,
            keep_alive: true,
            http_version: HttpVersion::One,
            gzip: false,
            ping: None,
            timeout_ms: request.timeout_ms,
            headers: if target.protocol == Protocol::Grpc { request.headers.clone() } else { BTreeMap::new() },
            tls: target.is_encrypted.then(|| tls(arguments)),
        },
        proto: proto(target.protocol, arguments)?,
        phases: phases(request),
        think_time_ms: arguments.think as f64,
        thresholds: Thresholds { p95_ms: 2_000.0, p99_ms: 5_000.0, error_rate: 0.05 },
        keys: Vec::new(),
        size_bytes: None,
        operations: vec![operation(request, arguments)?],
        sessions: Vec::new(),
        batch: None,
        stream: arguments.stream.then(|| Stream { method: target.path.clone(), reply: BTreeMap::new() }),
        ledger: None,
        verify_share: 0.0,
        cookies: false,
        preload: 0,
    };
    plan.check()?;
    Ok(plan)
}

fn tls(arguments: &HitArguments) -> Tls {
    let ca_file = arguments.ca_file.as_ref().map(|path| path.display().to_string());
    Tls { ca_file, server_name: arguments.server_name.clone() }
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn phases(request: &Request) -> Vec<Phase> {
    if let Some(iterations) = request.requests {
        let name = "Requests".to_owned();
        return vec![Phase::Counted(CountedPhase { name, virtual_users: request.users, iterations })];
    }
    let named = [("Warm-up", request.warm_up_ms), ("Measured", request.duration_ms)];
    named.into_iter().filter(|(_, ms)| *ms > 0).map(|(name, ms)| timed(request, name.to_owned(), ms)).collect()
}

fn timed(request: &Request, name: String, duration_ms: u64) -> Phase {
    let until_steady = None;
    match request.rate {
        None => Phase::Held(HeldPhase { name, virtual_users: request.users, duration_ms, until_steady }),
        Some(rate) => Phase::Arriving(ArrivingPhase {
            name,
            rate,
            arrival: request.arrival,
            max_virtual_users: request.users,
            duration_ms,
            until_steady,
        }),
    }
}

fn operation(request: &Request, arguments: &HitArguments) -> Result<Operation, PlanError> {
    let target = &request.target;
    let (http, grpc) = match target.protocol {
        Protocol::Http => (Some(http_call(request, arguments)?), None),
        Protocol::Grpc => {
            let (reply, capture) = (BTreeMap::new(), BTreeMap::new());
            let expect = OneOrMore::One("OK".to_owned());
            let (metadata_templates, reply_templates) = (BTreeMap::new(), BTreeMap::new());
            let method = target.path.clone();
            (None, Some(GrpcCall { method, metadata_templates, expect, reply, reply_templates, capture, list: None }))
        }
    };
    Ok(Operation {
        name: "Request".to_owned(),
        weight: 1,
        key: None,
        http,
        grpc,
        variants: vec![body(request, arguments)?],
        creates: None,
        needs: None,
        effect: None,
        reads: None,
        login: false,
        pick: None,
        think_time_ms: None,
        body: None,
        rate: None,
    })
}

/// The user's text is sent as it is, unless it has slots.
fn segments(text: &str, has_slots: bool) -> Result<Vec<Segment>, PlanError> {
    match text {
        _ if has_slots => parse_template(text),
        "" => Ok(Vec::new()),
        _ => Ok(vec![Segment::Literal(text.to_owned())]),
    }
}

fn body(request: &Request, arguments: &HitArguments) -> Result<Vec<Segment>, PlanError> {
    match (&request.body, arguments.payload) {
        (None, Some(size)) => {
            parse_template(&format!("{{\"value\":\"${{alphanumeric {}}}\"}}", size.saturating_sub(ENVELOPE_BYTES)))
        }
        (body, _) => segments(body.as_deref().unwrap_or_default(), arguments.slots),
    }
}

fn http_call(request: &Request, arguments: &HitArguments) -> Result<HttpCall, PlanError> {
    Ok(HttpCall {
        method: request.method.clone(),
        path: segments(&request.target.path, arguments.slots)?,
        headers: request.headers.clone(),
        header_templates: BTreeMap::new(),
        expect: OneOrMore::One(USUAL_STATUS),
        reply: BTreeMap::new(),
        reply_templates: BTreeMap::new(),
        capture: BTreeMap::new(),
        list: None,
    })
}

fn proto(protocol: Protocol, arguments: &HitArguments) -> Result<Option<Proto>, Box<dyn Error>> {
    if protocol == Protocol::Http {
        return Ok(None);
    }
    let bytes = match (&arguments.proto, &arguments.descriptor_set) {
        (Some(file), _) => {
            let folder = arguments.import_path.as_deref().or(file.parent()).unwrap_or(Path::new("."));
            let compiled = protox::compile([file], [folder]);
            compiled.map_err(|error| format!("cannot use {}: {error}", file.display()))?.encode_to_vec()
        }
        (None, Some(path)) => {
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
        }
        (None, None) => {
            return Err("gRPC needs the service's definition: --proto FILE or --descriptor-set FILE".into());
        }
    };
    Ok(Some(Proto {
        file: String::new(),
        import_path: String::new(),
        descriptor_set: base64::engine::general_purpose::STANDARD.encode(bytes),
    }))
}
