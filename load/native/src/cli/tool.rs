//! A plan out of command-line options.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;

use base64::Engine as _;
use prost::Message as _;

use super::ToolArguments;
use crate::plan::{
    Arrival, ArrivingPhase, CountedPhase, GrpcCall, HeldPhase, HttpCall, Operation, Phase, Plan, PlanError, Proto,
    Protocol, Stream, Thresholds, Tls, Transport,
};
use crate::template::{Segment, parse_template};

/// Users when none are asked for; more when a rate needs them.
const DEFAULT_USERS: u32 = 64;
const DEFAULT_USERS_OF_RATE: u32 = 512;
/// Bytes of `{"value":""}`.
const ENVELOPE_BYTES: u64 = 12;

/// The plan that does what the options say.
///
/// # Errors
/// They contradict each other, or a file cannot be read.
pub fn plan(url: &str, arguments: &ToolArguments) -> Result<Plan, Box<dyn Error>> {
    let target = Target::parse(url)?;
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
        batch: None,
        stream: arguments.stream.then(|| Stream { method: target.path.clone(), reply: BTreeMap::new() }),
        ledger: None,
        verify_share: 0.0,
        preload: 0,
    };
    plan.check()?;
    Ok(plan)
}

#[derive(Debug, PartialEq)]
struct Target {
    protocol: Protocol,
    is_encrypted: bool,
    host: String,
    port: u16,
    path: String,
}

impl Target {
    fn parse(url: &str) -> Result<Self, PlanError> {
        let wrong = || {
            PlanError::rule(format!(
                "{url}: write http(s)://host:port/path or grpc(s)://host:port/package.Service/Method"
            ))
        };
        let (scheme, rest) = url.split_once("://").ok_or_else(wrong)?;
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, Some(port.parse().map_err(|_| wrong())?)),
            _ => (authority, None),
        };
        let host = host.trim_matches(['[', ']']).to_owned();
        if host.is_empty() {
            return Err(wrong());
        }
        let (protocol, is_encrypted, usual_port) = match scheme {
            "http" => (Protocol::Http, false, Some(80)),
            "https" => (Protocol::Http, true, Some(443)),
            "grpc" => (Protocol::Grpc, false, None),
            "grpcs" => (Protocol::Grpc, true, Some(443)),
            _ => return Err(wrong()),
        };
        let path = match protocol {
            Protocol::Http if path.is_empty() => "/",
            Protocol::Http => path,
            Protocol::Grpc => path.trim_start_matches('/'),
        };
        let port = port.or(usual_port).ok_or_else(wrong)?;
        Ok(Self { protocol, is_encrypted, host, port, path: path.to_owned() })
    }
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
        }),
        (None, Some(iterations)) => {
            Phase::Counted(CountedPhase { name, virtual_users: arguments.users.unwrap_or(DEFAULT_USERS), iterations })
        }
        (None, None) => Phase::Held(HeldPhase {
            name,
            virtual_users: arguments.users.unwrap_or(DEFAULT_USERS),
            duration_ms: arguments.duration,
        }),
    }
}

fn operation(target: &Target, arguments: &ToolArguments) -> Result<Operation, Box<dyn Error>> {
    let body = body(arguments)?;
    let (http, grpc) = match target.protocol {
        Protocol::Http => (Some(http_call(target, arguments, !body.is_empty())?), None),
        Protocol::Grpc => {
            let (reply, capture) = (BTreeMap::new(), BTreeMap::new());
            (None, Some(GrpcCall { method: target.path.clone(), expect: "OK".to_owned(), reply, capture }))
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
        headers: arguments.headers.iter().map(|text| header(text)).collect::<Result<_, PlanError>>()?,
        expect: arguments.expect,
        reply: BTreeMap::new(),
        capture: BTreeMap::new(),
    })
}

/// Headers of gRPC calls, whose names are lower-case; those of HTTP go with the request as they were written.
fn metadata(protocol: Protocol, arguments: &ToolArguments) -> Result<BTreeMap<String, String>, PlanError> {
    match protocol {
        Protocol::Http => Ok(BTreeMap::new()),
        Protocol::Grpc => {
            let entry = |text: &String| header(text).map(|(name, value)| (name.to_ascii_lowercase(), value));
            arguments.headers.iter().map(entry).collect()
        }
    }
}

fn header(text: &str) -> Result<(String, String), PlanError> {
    let (name, value) =
        text.split_once(':').ok_or_else(|| PlanError::rule(format!("header {text:?}: write it as `Name: value`")))?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

fn proto(protocol: Protocol, arguments: &ToolArguments) -> Result<Option<Proto>, Box<dyn Error>> {
    if protocol == Protocol::Http {
        return Ok(None);
    }
    let bytes = match (&arguments.proto, &arguments.descriptor_set) {
        (Some(file), _) => {
            let folder = arguments.import_path.as_deref().or(file.parent()).unwrap_or(Path::new("."));
            protox::compile([file], [folder])?.encode_to_vec()
        }
        (None, Some(path)) => {
            std::fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))?
        }
        (None, None) => return Err("grpc needs --proto or --descriptor-set".into()),
    };
    Ok(Some(Proto {
        file: String::new(),
        import_path: String::new(),
        descriptor_set: base64::engine::general_purpose::STANDARD.encode(bytes),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        let target = |protocol, is_encrypted, host: &str, port, path: &str| {
            Some(Target { protocol, is_encrypted, host: host.to_owned(), port, path: path.to_owned() })
        };
        for (url, expected) in [
            ("http://localhost:8081/a?b", target(Protocol::Http, false, "localhost", 8081, "/a?b")),
            ("http://example.org", target(Protocol::Http, false, "example.org", 80, "/")),
            ("https://example.org/a", target(Protocol::Http, true, "example.org", 443, "/a")),
            ("http://[::1]:80/", target(Protocol::Http, false, "::1", 80, "/")),
            ("grpc://h:9090/p.S/M", target(Protocol::Grpc, false, "h", 9090, "p.S/M")),
            ("grpcs://h/p.S/M", target(Protocol::Grpc, true, "h", 443, "p.S/M")),
            ("grpc://h/p.S/M", None),
            ("ftp://h/", None),
            ("localhost:80", None),
            ("http://:80/", None),
        ] {
            assert_eq!(Target::parse(url).ok(), expected, "{url}");
        }
    }
}
