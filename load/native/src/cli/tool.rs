//! Makes a plan from command-line options.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use base64::Engine as _;
use prost::Message as _;

use super::arguments::ToolArguments;
use super::target::Target;
use crate::plan::{
    Arrival, ArrivingPhase, CountedPhase, GrpcCall, HeldPhase, HttpCall, HttpVersion, OneOrMore, Operation, Phase,
    Plan, PlanError, Proto, Protocol, Segment, Stream, Thresholds, Tls, Transport, check_header,
};
use crate::template::parse_template;

/// Users where the command line gives no number; a rate needs more.
const DEFAULT_USERS: u32 = 64;
const DEFAULT_USERS_OF_RATE: u32 = 512;
/// The HTTP status that counts as success by default.
const USUAL_STATUS: u16 = 200;
/// Bytes of `{"value":""}`.
const ENVELOPE_BYTES: u64 = 12;

/// The plan that the options describe.
///
/// # Errors
/// They contradict each other, or a file cannot be read.
pub fn plan(url: &str, arguments: &ToolArguments) -> Result<Plan, Box<dyn Error>> {
    let target = Target::parse(url)?;
    target.check(arguments)?;
    let plan = Plan {
        version: crate::plan::VERSION,
        workload: "tool".to_owned(),
        target: url.to_owned(),
        mode: "tool".to_owned(),
        payload: "default".to_owned(),
        run: format!("{:08x}", std::process::id()),
        seed: format!("{:016x}", arguments.seed),
        base_time_ms: now_ms(),
        transport: Transport {
            protocol: target.protocol,
            host: target.host.clone(),
            port: target.port,
            connections: arguments.connections,
            batch: 1,
            stream: arguments.stream,
            window: arguments.window,
            keep_alive: true,
            http_version: HttpVersion::One,
            gzip: false,
            ping: None,
            timeout_ms: arguments.timeout,
            headers: metadata(target.protocol, arguments)?,
            tls: target.is_encrypted.then(|| tls(arguments)),
        },
        proto: proto(target.protocol, arguments)?,
        phases: vec![phase(arguments)],
        think_time_ms: arguments.think as f64,
        thresholds: Thresholds { p95_ms: 2_000.0, p99_ms: 5_000.0, error_rate: 0.05 },
        keys: Vec::new(),
        size_bytes: None,
        operations: vec![operation(&target, arguments)?],
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

fn tls(arguments: &ToolArguments) -> Tls {
    let ca_file = arguments.ca_file.as_ref().map(|path| path.display().to_string());
    Tls { ca_file, server_name: arguments.server_name.clone() }
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

fn phase(arguments: &ToolArguments) -> Phase {
    let name = "load".to_owned();
    match (arguments.rate, arguments.requests) {
        (Some(rate), _) => Phase::Arriving(ArrivingPhase {
            name,
            rate,
            arrival: if arguments.poisson { Arrival::Poisson } else { Arrival::Constant },
            max_virtual_users: arguments.users.unwrap_or(DEFAULT_USERS_OF_RATE),
            duration_ms: arguments.duration,
            until_steady: None,
        }),
        (None, Some(requests)) => Phase::Counted(CountedPhase {
            name,
            virtual_users: arguments.users.unwrap_or(DEFAULT_USERS),
            iterations: u64::from(requests),
        }),
        (None, None) => Phase::Held(HeldPhase {
            name,
            virtual_users: arguments.users.unwrap_or(DEFAULT_USERS),
            duration_ms: arguments.duration,
            until_steady: None,
        }),
    }
}

fn operation(target: &Target, arguments: &ToolArguments) -> Result<Operation, Box<dyn Error>> {
    let body = body(arguments)?;
    let (http, grpc) = match target.protocol {
        Protocol::Http => (Some(http_call(target, arguments, !body.is_empty())?), None),
        Protocol::Grpc => {
            let (reply, capture) = (BTreeMap::new(), BTreeMap::new());
            let expect = OneOrMore::One("OK".to_owned());
            let (metadata_templates, reply_templates) = (BTreeMap::new(), BTreeMap::new());
            let method = target.path.clone();
            (None, Some(GrpcCall { method, metadata_templates, expect, reply, reply_templates, capture, list: None }))
        }
    };
    Ok(Operation {
        name: "request".to_owned(),
        weight: 1,
        key: None,
        http,
        grpc,
        variants: vec![body],
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

fn body(arguments: &ToolArguments) -> Result<Vec<Segment>, Box<dyn Error>> {
    let template = match (&arguments.body, arguments.payload) {
        (Some(body), _) => match body.strip_prefix('@') {
            Some(path) => std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?,
            None => body.clone(),
        },
        (None, Some(size)) => {
            format!("{{\"value\":\"${{alphanumeric {}}}\"}}", size.saturating_sub(ENVELOPE_BYTES))
        }
        (None, None) => String::new(),
    };
    Ok(parse_template(&template)?)
}

fn http_call(target: &Target, arguments: &ToolArguments, has_body: bool) -> Result<HttpCall, PlanError> {
    Ok(HttpCall {
        method: arguments.method.clone().unwrap_or_else(|| if has_body { "POST" } else { "GET" }.to_owned()),
        path: parse_template(&target.path)?,
        headers: arguments.headers.iter().map(|text| header(Protocol::Http, text)).collect::<Result<_, PlanError>>()?,
        header_templates: BTreeMap::new(),
        expect: OneOrMore::One(arguments.expect.unwrap_or(USUAL_STATUS)),
        reply: BTreeMap::new(),
        reply_templates: BTreeMap::new(),
        capture: BTreeMap::new(),
        list: None,
    })
}

/// Metadata of gRPC calls, with lower-case names; HTTP headers keep their spelling.
fn metadata(protocol: Protocol, arguments: &ToolArguments) -> Result<BTreeMap<String, String>, PlanError> {
    match protocol {
        Protocol::Http => Ok(BTreeMap::new()),
        Protocol::Grpc => {
            let lower = |(name, value): (String, String)| (name.to_ascii_lowercase(), value);
            let entry = |text: &String| header(protocol, text).map(lower);
            arguments.headers.iter().map(entry).collect()
        }
    }
}

fn header(protocol: Protocol, text: &str) -> Result<(String, String), PlanError> {
    let wrong = |reason: &str| PlanError::rule(format!("header {text:?}: {reason}"));
    let (name, value) = text.split_once(':').ok_or_else(|| wrong("write it as `Name: value`"))?;
    let (name, value) = (name.trim(), value.trim());
    check_header(protocol, name, value).map_err(|error| wrong(&error.to_string()))?;
    Ok((name.to_owned(), value.to_owned()))
}

fn proto(protocol: Protocol, arguments: &ToolArguments) -> Result<Option<Proto>, Box<dyn Error>> {
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
