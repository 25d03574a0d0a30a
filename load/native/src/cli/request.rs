//! `request`: single requests from JSON lines, for programs that need the engine's own client.

use std::error::Error;
use std::io::{Write as _, stdin, stdout};
use std::process::ExitCode;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::hit::Target;
use crate::engine::{self, Answer, LoneRequest};
use crate::plan::{HttpVersion, Tls, Transport, check_header};
use crate::wire::http1::lines;

/// A request as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// `http`, `https`, `grpc` or `grpcs`.
    url: String,
    #[serde(default = "get")]
    method: String,
    #[serde(default)]
    headers: Vec<(String, String)>,
    #[serde(default)]
    body: Option<String>,
    /// A body that is no text; for gRPC an encoded message.
    #[serde(default)]
    body_base64: Option<String>,
    #[serde(default)]
    http_version: HttpVersion,
    #[serde(default = "usual_timeout_ms")]
    timeout_ms: u64,
    #[serde(default)]
    tls: Option<Tls>,
}

fn get() -> String {
    "GET".to_owned()
}

fn usual_timeout_ms() -> u64 {
    30_000
}

/// A reply as it is printed: with a status, or with an error.
#[derive(Debug, Default, Serialize)]
struct Replied {
    /// A number, or the name of a gRPC status.
    status: Option<String>,
    headers: Vec<(String, String)>,
    body_base64: String,
    error: Option<Fault>,
}

#[derive(Debug, Serialize)]
struct Fault {
    /// A kind of failure of the result stream, or `invalid` for a request that cannot be sent.
    kind: String,
    message: String,
}

/// Sends each request on a connection of its own. Failed requests are results, not errors.
///
/// # Errors
/// Standard input or output is broken.
pub fn request() -> Result<ExitCode, Box<dyn Error>> {
    for line in stdin().lines() {
        let mut out = serde_json::to_string(&replied(&line?))?;
        out.push('\n');
        let mut stdout = stdout().lock();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()?;
    }
    Ok(ExitCode::SUCCESS)
}

fn replied(line: &str) -> Replied {
    let failed = |kind: &str, message: String| Replied {
        error: Some(Fault { kind: kind.to_owned(), message }),
        ..Replied::default()
    };
    let request = match serde_json::from_str(line).map_err(|error| error.to_string()).and_then(prepared) {
        Ok(request) => request,
        Err(message) => return failed("invalid", message),
    };
    match engine::request(&request) {
        Err(error) => failed("invalid", error.to_string()),
        Ok(Err(none)) => failed(&none.failure.name(), none.reason),
        Ok(Ok(answer)) => shown(&answer),
    }
}

fn prepared(asked: Asked) -> Result<LoneRequest, String> {
    let target = Target::parse(&asked.url)?;
    for (name, value) in &asked.headers {
        check_header(target.protocol, name, value).map_err(|error| format!("the header {name:?}: {error}"))?;
    }
    if asked.method.is_empty() || !asked.method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(format!("{:?} is not a method", asked.method));
    }
    let body = match (asked.body, asked.body_base64) {
        (Some(_), Some(_)) => return Err("body and body_base64: leave one of them out".to_owned()),
        (None, Some(text)) => Some(STANDARD.decode(text).map_err(|error| format!("body_base64: {error}"))?),
        (text, None) => text.map(String::into_bytes),
    };
    let transport = Transport {
        http_version: asked.http_version,
        timeout_ms: asked.timeout_ms,
        tls: target.is_encrypted.then(|| asked.tls.unwrap_or_default()),
        ..target.transport()
    };
    Ok(LoneRequest { transport, method: asked.method, path: target.path, headers: asked.headers, body })
}

fn shown(answer: &Answer) -> Replied {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = lines(&answer.head).map(|(name, value)| (text(name), text(value))).collect();
    Replied {
        status: Some(answer.code.name().into_owned()),
        headers,
        body_base64: STANDARD.encode(&answer.body),
        error: None,
    }
}
