//! Single requests, sent as the load sends them.

use std::sync::Arc;
use std::time::Duration;

use super::address::{Address, resolve};
use super::client::{Answer, Client, NoAnswer};
use super::composer::Composer;
use super::error::EngineError;
use super::run::{TargetCalls, over, with_target};
use crate::plan::{Plan, Protocol, Transport};
use crate::wire::h2::{Http2, Http2Calls, RestRequest};
use crate::wire::http1::{Http1, HttpCall};
use crate::wire::{Request, Wire};
use crate::workload::{SHARED_USER, Wanted, Workload};

/// A user that no load has: what its request does is no other request's.
const LONE_USER: u32 = SHARED_USER - 1;

/// Requests that no plan describes, one after another on a connection of their own.
#[derive(Debug, Clone)]
pub struct LoneRequests {
    pub transport: Transport,
    pub messages: Vec<Message>,
    /// Headers go out as they are, and no others: over HTTP/1 also those that frame the body.
    pub is_exact: bool,
    /// Requests go out on a new connection where the target has said that it closes the one before. They end with the
    /// first that gets no reply.
    pub reconnects: bool,
}

/// A request and its content.
#[derive(Debug, Clone)]
pub struct Message {
    /// Unused by gRPC.
    pub method: String,
    /// A path, or `package.Service/Method`.
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// For gRPC an encoded message.
    pub body: Option<Vec<u8>>,
}

impl Message {
    fn as_call((call, message): (usize, &Self)) -> Request<'_> {
        let body = message.body.as_deref().unwrap_or_default();
        Request { tag: 0, call, path: message.path.as_bytes(), headers: &[], body }
    }
}

/// The outcome: a reply with any status, or why there is none.
pub type Outcome = Result<Answer, NoAnswer>;

/// Sends requests on one connection, and returns as many outcomes; fewer where what gets no reply ends them.
///
/// # Errors
/// The address does not resolve, or a certificate cannot be used.
pub fn request(requests: &LoneRequests) -> Result<Vec<Outcome>, EngineError> {
    let LoneRequests { transport, messages, is_exact, reconnects } = requests;
    let is_last = |index: usize| index + 1 == messages.len();
    let calls = messages.iter().enumerate().map(Message::as_call).collect();
    let sender = Sender { reconnects: *reconnects, ..Sender::new(transport, calls)? };
    match transport.protocol {
        Protocol::Http if !transport.is_http2() => {
            let call = |(index, message): (usize, &Message)| {
                let headers = message.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
                if *is_exact {
                    HttpCall::exact(&message.method, headers).keeping_heads(true)
                } else {
                    let call = HttpCall::new(&message.method, &transport.authority(), headers, message.body.is_some());
                    call.keeping_heads(true).closing(is_last(index))
                }
            };
            over::<Http1, _>(transport, Arc::new(messages.iter().enumerate().map(call).collect()), sender)
        }
        Protocol::Http => {
            let rest = |message: &Message| RestRequest {
                method: message.method.clone(),
                headers: message.headers.clone(),
                has_body: message.body.is_some() && !is_exact,
            };
            let rest: Vec<_> = messages.iter().map(rest).collect();
            let calls = secured(transport, Http2Calls::rest(&transport.authority(), &rest));
            over::<Http2, _>(transport, Arc::new(calls), sender)
        }
        Protocol::Grpc => {
            let methods: Vec<_> = messages.iter().map(|message| message.path.as_str()).collect();
            let metadata = messages.iter().flat_map(|message| message.headers.iter().cloned()).collect();
            let calls = Http2Calls::new(&transport.authority(), &methods, false).with_metadata(&metadata);
            over::<Http2, _>(transport, Arc::new(secured(transport, calls)), sender)
        }
    }
}

fn secured(transport: &Transport, calls: Http2Calls) -> Http2Calls {
    if transport.tls.is_some() { calls.over_tls() } else { calls }
}

/// Sends the first request of a plan, as a user that the load does not have.
///
/// # Errors
/// The plan cannot be carried out.
pub fn first_request(plan: &Plan) -> Result<Outcome, EngineError> {
    let workload = Arc::new(Workload::compile(plan)?);
    let mut composer = Composer::new(plan, Arc::clone(&workload))?;
    let (call, _) = composer.compose(LONE_USER, &workload.new_user(), 0, Wanted::Drawn, &mut Vec::new());
    let sent = Request { tag: 0, call, path: &composer.path, headers: &composer.headers, body: &composer.body };
    with_target(plan, &workload, Sender::new(&plan.transport, vec![sent])?).map(|mut outcomes| outcomes.swap_remove(0))
}

struct Sender<'a> {
    requests: Vec<Request<'a>>,
    address: Address,
    timeout: Duration,
    reconnects: bool,
}

impl<'a> Sender<'a> {
    fn new(transport: &Transport, requests: Vec<Request<'a>>) -> Result<Self, EngineError> {
        let timeout = Duration::from_millis(transport.timeout_ms);
        Ok(Self { requests, address: resolve(transport)?, timeout, reconnects: false })
    }
}

impl TargetCalls for Sender<'_> {
    type Outcome = Vec<Outcome>;
    const KEEPS_HEADS: bool = true;

    fn call<W: Wire>(self, shared: &Arc<W::Shared>) -> Self::Outcome {
        let mut client = Client::<W>::new(Arc::clone(shared), self.address, self.timeout);
        let mut outcomes = Vec::with_capacity(self.requests.len());
        for request in &self.requests {
            let needs_same = !self.reconnects && !outcomes.is_empty();
            let outcome = if needs_same { client.ask_on_same_connection(request) } else { client.ask_once(request) };
            let ends = self.reconnects && outcome.is_err();
            outcomes.push(outcome);
            if ends {
                break;
            }
        }
        outcomes
    }
}
