//! `request`: single requests from JSON lines, for programs that need the engine's own client.

use std::error::Error;
use std::io::{self, Write as _, stdin, stdout};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, Sender, channel};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use prost::Message as _;
use serde::{Deserialize, Serialize};

use super::hit::Target;
use super::reflection::{self, ReflectionError};
use crate::engine::{self, Answer, LoneRequests, Message, Outcome};
use crate::plan::{HttpVersion, Protocol, Tls, Transport, check_header};
use crate::wire::Code;
use crate::wire::http1::lines;

/// A request as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Asked {
    /// Comes back with the reply. Requests with one are sent at the same time, others one after another.
    #[serde(default)]
    id: Option<u64>,
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
    /// HTTP: the headers go out as they are, and no others.
    #[serde(default)]
    exact: bool,
    /// HTTP: goes out as it is in place of the URL's path.
    #[serde(default)]
    path: Option<String>,
    /// HTTP: requests that follow on the same connection.
    #[serde(default)]
    then: Vec<Following>,
    /// HTTP: what follows goes out on a new connection where the target has said that it closes the one before, and not
    /// at all after a request that got no reply.
    #[serde(default)]
    reconnects: bool,
    /// gRPC: the body of the reply is the `FileDescriptorSet` of the services that the server offers; the URL names no
    /// method.
    #[serde(default)]
    reflect: bool,
}

/// Another request with the same method and headers.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Following {
    /// That of the first where there is none.
    #[serde(default)]
    path: Option<String>,
    #[serde(default)]
    body_base64: Option<String>,
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
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u64>,
    /// A number, or the name of a gRPC status.
    status: Option<String>,
    headers: Vec<(String, String)>,
    body_base64: String,
    error: Option<Fault>,
    /// The outcomes of the requests that followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    then: Vec<Replied>,
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
    std::thread::scope(|scope| {
        let (replies, printed) = channel();
        let printer = scope.spawn(move || print(&printed));
        for line in stdin().lines() {
            let asked = serde_json::from_str::<Asked>(&line?).map_err(|error| error.to_string());
            let reply = |asked, replies: &Sender<Replied>| replies.send(replied(asked)).is_ok();
            if asked.as_ref().is_ok_and(|asked| asked.id.is_some()) {
                let replies = replies.clone();
                scope.spawn(move || reply(asked, &replies));
            } else if !reply(asked, &replies) {
                // The printer has failed.
                break;
            }
        }
        drop(replies);
        printer.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
        Ok(ExitCode::SUCCESS)
    })
}

fn print(replies: &Receiver<Replied>) -> io::Result<()> {
    for reply in replies {
        let mut out = serde_json::to_string(&reply)?;
        out.push('\n');
        let mut stdout = stdout().lock();
        stdout.write_all(out.as_bytes())?;
        stdout.flush()?;
    }
    Ok(())
}

fn replied(asked: Result<Asked, String>) -> Replied {
    let id = asked.as_ref().ok().and_then(|asked| asked.id);
    let sent = |asked: Asked| match asked.reflect {
        true => reflected(&asked),
        false => engine::request(&prepared(asked)?).map(in_turn).map_err(|error| error.to_string()),
    };
    let shown = asked.and_then(sent).unwrap_or_else(|message| failed("invalid", message));
    Replied { id, ..shown }
}

/// The outcome of the first request, which holds those of the requests that followed.
fn in_turn(outcomes: Vec<Outcome>) -> Replied {
    let mut outcomes = outcomes.into_iter().map(outcome_of);
    let first = outcomes.next().unwrap_or_default();
    Replied { then: outcomes.collect(), ..first }
}

fn reflected(asked: &Asked) -> Result<Replied, String> {
    let target = Target::server(&asked.url)?;
    if target.protocol != Protocol::Grpc {
        return Err("reflect applies to grpc and grpcs only".to_owned());
    }
    check_headers(asked, &target)?;
    let headers = asked.headers.iter().cloned().collect();
    Ok(match reflection::all_definitions(&Transport { headers, ..transport(asked, &target) }) {
        Ok(files) => shown(&Answer { code: Code::Grpc(0), head: Vec::new(), body: files.encode_to_vec() }),
        Err(ReflectionError::NoAnswer(none)) => outcome_of(Err(none)),
        Err(ReflectionError::Refused(reason)) => failed("reflection", reason),
    })
}

fn failed(kind: &str, message: String) -> Replied {
    Replied { error: Some(Fault { kind: kind.to_owned(), message }), ..Replied::default() }
}

fn outcome_of(outcome: Outcome) -> Replied {
    match outcome {
        Err(none) => failed(&none.failure.name(), none.reason),
        Ok(answer) => shown(&answer),
    }
}

fn transport(asked: &Asked, target: &Target) -> Transport {
    Transport {
        http_version: asked.http_version,
        timeout_ms: asked.timeout_ms,
        tls: target.is_encrypted.then(|| asked.tls.clone().unwrap_or_default()),
        ..target.transport()
    }
}

fn check_headers(asked: &Asked, target: &Target) -> Result<(), String> {
    for (name, value) in &asked.headers {
        check(asked, target, name, value).map_err(|error| format!("the header {name:?}: {error}"))?;
    }
    Ok(())
}

fn prepared(asked: Asked) -> Result<LoneRequests, String> {
    let target = Target::parse(&asked.url)?;
    let is_grpc = target.protocol == Protocol::Grpc;
    let of_http = [
        (asked.exact, "exact"),
        (asked.path.is_some(), "path"),
        (!asked.then.is_empty(), "then"),
        (asked.reconnects, "reconnects"),
    ];
    for (is_given, name) in of_http {
        if is_given && is_grpc {
            return Err(format!("{name} applies to http and https only"));
        }
    }
    check_headers(&asked, &target)?;
    let transport = transport(&asked, &target);
    if asked.method.is_empty() || !asked.method.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'-') {
        return Err(format!("{:?} is not a method", asked.method));
    }
    let body = match (asked.body, asked.body_base64) {
        (Some(_), Some(_)) => return Err("body and body_base64: leave one of them out".to_owned()),
        (None, Some(text)) => Some(decoded(&text)?),
        (text, None) => text.map(String::into_bytes),
    };
    let path = asked.path.unwrap_or(target.path);
    if !is_line(&path) {
        return Err(format!("the path {path:?} is not one line"));
    }
    let (method, headers) = (asked.method, asked.headers);
    let mut messages = vec![Message { method, path, headers, body }];
    for Following { path, body_base64 } in asked.then {
        let body = body_base64.as_deref().map(decoded).transpose()?;
        let first = messages[0].clone();
        messages.push(Message { path: path.unwrap_or(first.path), body, ..first });
    }
    Ok(LoneRequests { transport, is_exact: asked.exact, reconnects: asked.reconnects, messages })
}

fn decoded(text: &str) -> Result<Vec<u8>, String> {
    STANDARD.decode(text).map_err(|error| format!("body_base64: {error}"))
}

fn is_line(text: &str) -> bool {
    !text.is_empty() && !text.contains(['\r', '\n', '\0'])
}

/// Refuses a header that would break the request; an exact one may contradict what the engine would write.
fn check(asked: &Asked, target: &Target, name: &str, value: &str) -> Result<(), String> {
    if asked.exact {
        let is_one = is_line(name) && (value.is_empty() || is_line(value));
        return if is_one { Ok(()) } else { Err("it is not one line".to_owned()) };
    }
    check_header(target.protocol, name, value).map_err(|error| error.to_string())
}

fn shown(answer: &Answer) -> Replied {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let headers = lines(&answer.head).map(|(name, value)| (text(name), text(value))).collect();
    Replied {
        status: Some(answer.code.name().into_owned()),
        headers,
        body_base64: STANDARD.encode(&answer.body),
        ..Replied::default()
    }
}
