//! The one request before all others: whether the server answers, and the status of a good reply.

use std::error::Error;

use super::request::Request;
use crate::engine::{self, NoAnswer};
use crate::failure::Failure;
use crate::plan::{HttpVersion, Plan, Protocol, Transport};
use crate::wire::Code;
use crate::wire::http1::header;

/// Statuses that send a client elsewhere.
const REDIRECTS: [u16; 5] = [301, 302, 303, 307, 308];

/// The status of the server's reply to the plan's first request. The inner error names the server that does not
/// answer, or redirects.
///
/// # Errors
/// The request cannot be sent at all.
pub fn status_of(request: &Request, plan: &Plan) -> Result<Result<u16, String>, Box<dyn Error>> {
    let answer = match engine::first_request(plan)? {
        Ok(answer) => answer,
        Err(none) => return Ok(Err(explained(request, &plan.transport, &none))),
    };
    let Code::Http(status) = answer.code else { return Err("the reply has no HTTP status".into()) };
    if status == 101 {
        return Ok(Err(format!(
            "{} goes on in another protocol, such as WebSocket (status 101), which is not measured. Measure its \
             handshakes alone with --expect 101.",
            request.url
        )));
    }
    if !REDIRECTS.contains(&status) {
        return Ok(Ok(status));
    }
    let place = header(&answer.head, "location").map(|place| String::from_utf8_lossy(place).into_owned());
    let place = place.unwrap_or_else(|| "a place that it does not name".to_owned());
    Ok(Err(format!(
        "{} redirects to {place} (status {status}). Measure that address, or accept the redirect as the reply with \
         --expect {status}.",
        request.url
    )))
}

/// Names a gRPC method whose stream of replies does not end.
///
/// # Errors
/// The request cannot be sent at all.
pub fn endless_stream(request: &Request, plan: &Plan) -> Result<Option<String>, Box<dyn Error>> {
    if !engine::has_streamed_replies(plan)? {
        return Ok(None);
    }
    let none = engine::first_request(plan)?.err().filter(NoAnswer::has_begun);
    Ok(none.map(|none| explained(request, &plan.transport, &none)))
}

/// Why a server gives no usable reply, and the next step.
pub fn explained(request: &Request, transport: &Transport, none: &NoAnswer) -> String {
    let (url, reason) = (&request.url, &none.reason);
    match none.failure {
        Failure::Certificate => {
            let address = request.target.address();
            let advice = "Name its authority with --ca-file, another name of the server with --server-name, or accept \
                          any certificate with --insecure";
            format!("The certificate of {address} is refused: {reason}. {advice}.")
        }
        Failure::Tls => format!("There is no TLS session with {url}: {reason}."),
        Failure::Malformed | Failure::Closed | Failure::StreamReset | Failure::GoAway => {
            let advice = match (transport.protocol, transport.http_version) {
                (Protocol::Grpc, _) => "Check that a gRPC server listens there",
                (_, HttpVersion::Two) => {
                    "Leave out --http2 where the server does not have it, correct the server, or measure it as it is \
                     with --expect STATUS"
                }
                _ => "Correct the server, or measure it as it is with --expect STATUS",
            };
            format!("{url} accepts the request, and its reply is no good: {reason}. {advice}.")
        }
        Failure::Timeout if none.has_begun() => format!(
            "{url} answers, and its reply does not end before the timeout (--timeout): {reason}. Each request is \
             measured to the end of its reply; endless ones are not."
        ),
        _ => match &transport.unix_socket {
            Some(path) => format!("No server answers at the Unix socket {path}. Start it, or check the path."),
            None => format!("{url} does not answer: {reason}. Start the server, or check the address."),
        },
    }
}
