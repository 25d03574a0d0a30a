//! Makes a plan from command-line options.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};

use base64::Engine as _;
use prost::Message as _;

use super::first_request;
use super::request::Request;
use super::target::Target;
use super::variants::{Variant, filled};
use crate::cli::arguments::HitArguments;
use crate::cli::reflection::{self, ReflectionError};
use crate::plan::{
    ArrivingPhase, BodyEncoding, CountedPhase, GrpcCall, HeldPhase, HttpCall, HttpVersion, OneOrMore, Operation, Phase,
    Plan, PlanError, Proto, Protocol, Segment, Stream, Thresholds, Tls, Transport,
};
use crate::template::parse_template;

/// The HTTP status that counts as success until a first request shows another.
const USUAL_STATUS: u16 = 200;
/// Steps in which a ramp raises the load.
const RAMP_STEPS: u64 = 10;
/// Bytes of `{"value":""}`.
const ENVELOPE_BYTES: u64 = 12;

/// The plan that the options describe; of gRPC with the definition of its service.
///
/// # Errors
/// They contradict each other.
pub fn plan(request: &Request, arguments: &HitArguments, proto: Option<Proto>) -> Result<Plan, Box<dyn Error>> {
    let plan = Plan {
        version: crate::plan::VERSION,
        workload: "hit".to_owned(),
        target: request.url.clone(),
        mode: "hit".to_owned(),
        payload: "default".to_owned(),
        run: format!("{:08x}", std::process::id()),
        seed: format!("{:016x}", arguments.seed),
        base_time_ms: now_ms(),
        transport: transport(request, arguments)?,
        proto,
        phases: phases(request, arguments),
        think_time_ms: arguments.think as f64,
        thresholds: Thresholds { p95_ms: 2_000.0, p99_ms: 5_000.0, error_rate: 0.05 },
        keys: Vec::new(),
        size_bytes: None,
        operations: operations(request, arguments)?,
        sessions: Vec::new(),
        batch: None,
        stream: arguments.stream.then(|| Stream { method: request.target.path.clone(), reply: BTreeMap::new() }),
        ledger: None,
        verify_share: 0.0,
        cookies: false,
        preload: 0,
    };
    plan.check()?;
    Ok(plan)
}

fn transport(request: &Request, arguments: &HitArguments) -> Result<Transport, String> {
    let target = &request.target;
    Ok(Transport {
        connections: request.connections,
        stream: arguments.stream,
        window: arguments.window,
        timeout_ms: request.timeout_ms,
        keep_alive: !arguments.disable_keepalive,
        http_version: if arguments.http2 { HttpVersion::Two } else { HttpVersion::One },
        address: resolved(target, &arguments.resolve)?,
        unix_socket: arguments.unix_socket.as_ref().map(|path| path.display().to_string()),
        headers: metadata(request),
        tls: target.is_encrypted.then(|| tls(arguments)),
        ..target.transport()
    })
}

fn tls(arguments: &HitArguments) -> Tls {
    let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.display().to_string());
    Tls {
        ca_file: path(&arguments.ca_file),
        server_name: arguments.server_name.clone(),
        insecure: arguments.insecure,
        cert_file: path(&arguments.cert),
        key_file: path(&arguments.key),
    }
}

fn now_ms() -> i64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// Of HTTP requests the headers are the operations' own.
fn metadata(request: &Request) -> BTreeMap<String, String> {
    match request.target.protocol {
        Protocol::Http => BTreeMap::new(),
        // Several values of a name are one list (RFC 9110).
        Protocol::Grpc => request.headers.iter().map(|(name, values)| (name.clone(), values.join(", "))).collect(),
    }
}

/// The address that a --resolve gives for the URL's host and port.
fn resolved(target: &Target, options: &[String]) -> Result<Option<String>, String> {
    for option in options {
        let mut parts = option.splitn(3, ':');
        let (host, port, address) = (parts.next(), parts.next(), parts.next());
        let (Some(host), Some(port), Some(address)) = (host, port.and_then(|port| port.parse::<u16>().ok()), address)
        else {
            return Err(format!("--resolve {option}: write HOST:PORT:ADDRESS."));
        };
        if host.eq_ignore_ascii_case(&target.host) && target.port == port {
            return Ok(Some(address.trim_matches(['[', ']']).to_owned()));
        }
    }
    match options.first() {
        Some(option) => Err(format!("--resolve {option} is not for {}.", target.address())),
        None => Ok(None),
    }
}

fn phases(request: &Request, arguments: &HitArguments) -> Vec<Phase> {
    let mut phases = warm_up(request, arguments.ramp);
    let name = "Measured".to_owned();
    phases.push(match request.requests {
        Some(iterations) => Phase::Counted(CountedPhase { name, virtual_users: request.users, iterations }),
        None => timed(request, name, request.duration_ms, 1.0),
    });
    phases
}

/// What comes before the measured phase: the whole load, or a part that grows.
fn warm_up(request: &Request, ramp: Option<u64>) -> Vec<Phase> {
    match (ramp, request.warm_up_ms) {
        (_, 0) => Vec::new(),
        (None, ms) => vec![timed(request, "Warm-up".to_owned(), ms, 1.0)],
        (Some(ramp), _) => {
            let step = |number: u64| {
                timed(request, format!("Ramp {number}"), (ramp / RAMP_STEPS).max(1), number as f64 / RAMP_STEPS as f64)
            };
            (1..=RAMP_STEPS).map(step).collect()
        }
    }
}

/// A phase of a fraction of the load.
fn timed(request: &Request, name: String, duration_ms: u64, fraction: f64) -> Phase {
    let until_steady = None;
    let users = ((f64::from(request.users) * fraction).round() as u32).max(1);
    match request.rate {
        None => Phase::Held(HeldPhase { name, virtual_users: users, duration_ms, until_steady }),
        Some(rate) => Phase::Arriving(ArrivingPhase {
            name,
            rate: rate * fraction,
            arrival: request.arrival,
            max_virtual_users: request.users,
            duration_ms,
            until_steady,
        }),
    }
}

fn operations(request: &Request, arguments: &HitArguments) -> Result<Vec<Operation>, PlanError> {
    let several = request.variants.len() > 1;
    let name = |index: usize| if several { format!("Request {}", index + 1) } else { "Request".to_owned() };
    let of = |(index, variant): (usize, &Variant)| operation(name(index), request, variant, arguments);
    request.variants.iter().enumerate().map(of).collect()
}

fn operation(
    name: String,
    request: &Request,
    variant: &Variant,
    arguments: &HitArguments,
) -> Result<Operation, PlanError> {
    let (http, grpc) = match request.target.protocol {
        Protocol::Http => (Some(http_call(request, variant, arguments)?), None),
        Protocol::Grpc => {
            let (reply, capture) = (BTreeMap::new(), BTreeMap::new());
            let expect = OneOrMore::One("OK".to_owned());
            let method = request.target.path.clone();
            let call = GrpcCall {
                method,
                metadata_templates: BTreeMap::new(),
                expect,
                reply,
                reply_templates: BTreeMap::new(),
                capture,
                capture_templates: BTreeMap::new(),
                list: None,
            };
            (None, Some(call))
        }
    };
    let (message, body) = message(variant, arguments)?;
    Ok(Operation {
        name,
        weight: 1,
        key: None,
        http,
        grpc,
        variants: vec![message],
        creates: None,
        needs: None,
        effect: None,
        reads: None,
        login: false,
        pick: None,
        think_time_ms: None,
        body,
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

/// The message, and how it becomes the body: bytes that are no text are kept as base64.
fn message(variant: &Variant, arguments: &HitArguments) -> Result<(Vec<Segment>, Option<BodyEncoding>), PlanError> {
    if let (None, Some(size)) = (&variant.body, arguments.payload) {
        let text = format!("{{\"value\":\"${{alphanumeric {}}}\"}}", size.saturating_sub(ENVELOPE_BYTES));
        return Ok((parse_template(&text)?, None));
    }
    let body = variant.body.as_deref().unwrap_or_default();
    match std::str::from_utf8(body) {
        Ok(text) => Ok((segments(text, arguments.slots)?, None)),
        Err(_) => {
            let base64 = base64::engine::general_purpose::STANDARD.encode(body);
            Ok((vec![Segment::Literal(base64)], Some(BodyEncoding::Binary)))
        }
    }
}

fn http_call(request: &Request, variant: &Variant, arguments: &HitArguments) -> Result<HttpCall, PlanError> {
    let value = |text: &String| filled(text, &variant.values);
    let header = |(name, values): (&String, &Vec<String>)| {
        (name.clone(), OneOrMore::More(values.iter().map(value).collect::<Vec<_>>()))
    };
    Ok(HttpCall {
        method: request.method.clone(),
        path: segments(&variant.path, arguments.slots)?,
        headers: request.headers.iter().map(header).collect(),
        header_templates: BTreeMap::new(),
        expect: OneOrMore::One(USUAL_STATUS),
        reply: BTreeMap::new(),
        reply_templates: BTreeMap::new(),
        capture: BTreeMap::new(),
        capture_templates: BTreeMap::new(),
        list: None,
    })
}

/// The definition of the called service, out of the named file or shown by the server; none for HTTP. The inner error
/// names the server that does not show it.
///
/// # Errors
/// The named file cannot be used, or an option.
pub fn proto(request: &Request, arguments: &HitArguments) -> Result<Result<Option<Proto>, String>, Box<dyn Error>> {
    if request.target.protocol == Protocol::Http {
        return Ok(Ok(None));
    }
    let transport = transport(request, arguments)?;
    let bytes = match (&arguments.proto, &arguments.descriptor_set) {
        (Some(file), _) => {
            let folder = arguments.import_path.as_deref().or(file.parent()).unwrap_or(Path::new("."));
            if !file.exists() && !folder.join(file).exists() {
                return Err(format!("--proto {}: there is no such file.", file.display()).into());
            }
            let compiled = protox::compile([file], [folder]);
            compiled.map_err(|error| format!("cannot use {}: {error}", file.display()))?.encode_to_vec()
        }
        (None, Some(path)) => {
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
        }
        (None, None) => match reflection::definitions_of(&transport, service_of(request)) {
            Ok(files) => files.encode_to_vec(),
            Err(ReflectionError::NoAnswer(none)) => {
                return Ok(Err(first_request::explained(request, &transport, &none)));
            }
            Err(ReflectionError::Refused(reason)) => {
                let address = request.target.address();
                let advice = "Name the service's definition with --proto FILE or --descriptor-set FILE";
                return Ok(Err(format!("{address} does not show what it is sent: {reason}. {advice}.")));
            }
        },
    };
    Ok(Ok(Some(Proto {
        file: String::new(),
        import_path: String::new(),
        descriptor_set: base64::engine::general_purpose::STANDARD.encode(bytes),
    })))
}

fn service_of(request: &Request) -> &str {
    let method = request.target.path.as_str();
    method.split_once('/').map_or(method, |(service, _)| service)
}
