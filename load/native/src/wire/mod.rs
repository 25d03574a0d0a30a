//! Protocols: what turns requests into bytes and bytes into replies. No socket is known here.

pub mod h2;
pub mod http1;
pub mod tls;

use std::borrow::Cow;

use crate::failure::{Failure, GRPC_CODES};

/// Status of a reply, by protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    Http(u16),
    Grpc(u8),
}

impl Code {
    /// The status as a person writes it.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Self::Http(status) => status.to_string().into(),
            Self::Grpc(code) => match GRPC_CODES.get(usize::from(code)) {
                Some(name) => (*name).into(),
                None => code.to_string().into(),
            },
        }
    }

    /// The failure that an unexpected status is.
    #[must_use]
    pub fn failure(self) -> Failure {
        match self {
            Self::Http(status) => Failure::Status(status),
            Self::Grpc(code) => Failure::Grpc(code),
        }
    }
}

/// A request to be written.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// Identifies the user that the reply belongs to.
    pub tag: u32,
    /// Index into the calls that the protocol was made with.
    pub call: usize,
    pub path: &'a [u8],
    /// Beside the call's own: lines for HTTP, encoded header fields for gRPC.
    pub headers: &'a [u8],
    pub body: &'a [u8],
}

/// The outcome of a request.
#[derive(Debug, Clone, Copy)]
pub struct Reply<'a> {
    pub tag: u32,
    pub outcome: Result<Code, Failure>,
    /// The status line and headers, where the call keeps them; of a gRPC call its status message alone.
    pub head: &'a [u8],
    pub body: &'a [u8],
}

/// How much a cancelled request takes with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cancelled {
    /// Itself alone.
    One,
    /// Everything in flight on the connection; the connection stays open.
    All,
    /// The connection.
    Connection,
}

/// One connection's side of a protocol.
pub trait Wire: Sized {
    /// The state that all connections of a run share.
    type Shared: Send + Sync;

    fn new(shared: &std::sync::Arc<Self::Shared>) -> Self;

    /// The bytes written first on a new connection.
    fn greet(&mut self, out: &mut Vec<u8>);

    /// Whether one more request can be written now.
    fn has_room(&self) -> bool;

    /// Appends a request's bytes. Only to be called when there is room.
    fn send(&mut self, request: &Request<'_>, out: &mut Vec<u8>);

    /// Takes what the target sent; appends what must be answered at once.
    ///
    /// # Errors
    /// The connection is of no more use.
    fn receive(&mut self, input: &[u8], out: &mut Vec<u8>, sink: &mut impl FnMut(Reply<'_>)) -> Result<(), Failure>;

    /// The target closed its side: completes a reply that ends so.
    fn end(&mut self, sink: &mut impl FnMut(Reply<'_>));

    /// Gives up waiting for a reply.
    fn cancel(&mut self, tag: u32, out: &mut Vec<u8>) -> Cancelled;

    /// Removes everything in flight.
    fn abandon(&mut self, sink: &mut impl FnMut(u32));

    /// Whether nothing is in flight.
    fn is_idle(&self) -> bool;

    /// Whether the target wants the connection closed once nothing is in flight.
    fn is_closing(&self) -> bool;

    /// Checks the connection from time to time; appends what that takes.
    ///
    /// # Errors
    /// The target does not respond.
    fn tick(&mut self, _now: u64, _out: &mut Vec<u8>) -> Result<(), Failure> {
        Ok(())
    }

    /// Why the connection is of no more use, where more is known than the kind of failure.
    fn reason(&self) -> Option<String> {
        None
    }

    /// Appends what the protocol sends before closing.
    fn farewell(&mut self, out: &mut Vec<u8>);
}
