//! Deadlines of calls, from their metadata.

use std::sync::Arc;

use tokio::time::Instant;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::{Extensions, Request};
use users_core::deadline::{HEADER, parse};
use users_core::service::Service;

use crate::status;

/// Sets the deadlines of arriving calls.
#[derive(Clone)]
pub struct Deadlines(pub Arc<Service>);

#[derive(Clone, Copy)]
struct Deadline(Instant);

impl Deadlines {
    /// Notes the deadline of a call in its extensions. tonic's own timer starts later and ends a call with CANCELLED:
    /// whenever it fires, this deadline has passed.
    pub fn set(&self, mut call: Request<Body>) -> Result<Request<Body>, Status> {
        let timeout = call.headers().get(HEADER).map(|value| parse(value.as_bytes())).transpose();
        let deadline = self.0.deadline(timeout.map_err(status::from_error)?);
        call.extensions_mut().insert(Deadline(deadline));
        Ok(call)
    }
}

/// The deadline of a call. Without one it has passed.
pub fn of(extensions: &Extensions) -> Instant {
    extensions.get().map_or_else(Instant::now, |Deadline(deadline)| *deadline)
}
