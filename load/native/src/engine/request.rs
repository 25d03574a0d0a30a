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

/// A request that no plan describes.
#[derive(Debug, Clone)]
pub struct LoneRequest {
    pub transport: Transport,
    /// None for gRPC.
    pub method: String,
    /// A path, or `package.Service/Method`.
    pub path: String,
    pub headers: Vec<(String, String)>,
    /// For gRPC an encoded message.
    pub body: Option<Vec<u8>>,
}

/// The outcome: a reply with any status, or why there is none.
pub type Outcome = Result<Answer, NoAnswer>;

/// Sends one request on a connection of its own.
///
/// # Errors
/// The address does not resolve, or a certificate cannot be used.
pub fn request(request: &LoneRequest) -> Result<Outcome, EngineError> {
    let transport = &request.transport;
    let headers = || request.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let has_body = request.body.is_some();
    let path = request.path.as_bytes();
    let body = request.body.as_deref().unwrap_or_default();
    let sent = Request { tag: 0, call: 0, path, headers: &[], body };
    match transport.protocol {
        Protocol::Http if !transport.is_http2() => {
            let call = HttpCall::new(&request.method, &transport.authority(), headers(), has_body);
            let calls = vec![call.keeping_heads(true).closing(true)];
            over::<Http1, _>(transport, Arc::new(calls), Sender::new(transport, sent)?)
        }
        Protocol::Http => {
            let rest = RestRequest { method: request.method.clone(), headers: request.headers.clone(), has_body };
            let calls = secured(transport, Http2Calls::rest(&transport.authority(), &[rest]));
            over::<Http2, _>(transport, Arc::new(calls), Sender::new(transport, sent)?)
        }
        Protocol::Grpc => {
            let calls = Http2Calls::new(&transport.authority(), &[request.path.as_str()], false);
            let calls = secured(transport, calls.with_metadata(&request.headers.iter().cloned().collect()));
            over::<Http2, _>(transport, Arc::new(calls), Sender::new(transport, sent)?)
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
    with_target(plan, &workload, Sender::new(&plan.transport, sent)?)
}

struct Sender<'a> {
    request: Request<'a>,
    address: Address,
    timeout: Duration,
}

impl<'a> Sender<'a> {
    fn new(transport: &Transport, request: Request<'a>) -> Result<Self, EngineError> {
        let timeout = Duration::from_millis(transport.timeout_ms);
        Ok(Self { request, address: resolve(transport)?, timeout })
    }
}

impl TargetCalls for Sender<'_> {
    type Outcome = Outcome;
    const KEEPS_HEADS: bool = true;

    fn call<W: Wire>(self, shared: &Arc<W::Shared>) -> Self::Outcome {
        Client::<W>::new(Arc::clone(shared), self.address, self.timeout).ask(&self.request)
    }
}
