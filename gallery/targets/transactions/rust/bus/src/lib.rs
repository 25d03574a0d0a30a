//! Calls to named services in other processes, after the model of XATMI: a typed buffer goes out with a deadline, and a
//! typed buffer or an error comes back.
//!
//! [`Bus`] is the side that calls and [`Services`] the side that answers; three transports implement both: [`local`]
//! (Unix sockets on one machine), [`nats`] (queue groups on a NATS server) and the crate `endurox` (Enduro/X, where it
//! is installed).

#[cfg(not(panic = "unwind"))]
compile_error!("a service that panics must fail its call and no other: set CARGO_PROFILE_RELEASE_PANIC=unwind");

mod counted;
mod error;
pub mod local;
pub mod nats;
mod payload;
mod services;

use std::future::Future;
use std::time::Duration;

pub use counted::Counted;
pub use error::CallError;
pub use payload::{Payload, PayloadType};
pub use services::{Services, answer};

/// A call of a service, with the time after which a reply is of no use.
#[derive(Debug, Clone)]
pub struct Call {
    /// The service's name, at most 255 bytes.
    pub service: &'static str,
    /// The typed buffer.
    pub payload: Payload,
    /// From the call to the reply, queueing included.
    pub deadline: Duration,
    /// Whether the call may be repeated: then another server is tried when one dies in mid-call.
    pub idempotent: bool,
}

/// The side that calls. One thread uses it; every thread has its own.
pub trait Bus {
    /// Sends a call and waits for its reply, its deadline or the server's end, whichever comes first. Any number of
    /// calls may be outstanding: none waits for another.
    fn call(&self, call: Call) -> impl Future<Output = Result<Payload, CallError>>;

    /// How many calls have been sent and not answered: the depth of the queue that they form at the servers.
    fn outstanding(&self) -> usize;
}
