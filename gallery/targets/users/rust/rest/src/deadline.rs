//! Deadlines of requests, from their header.

use std::sync::Arc;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use tokio::time::Instant;
use users_core::deadline::{HEADER, parse};
use users_core::service::Service;

use crate::reply::Failure;

/// The deadline of a request.
pub struct Deadline(pub Instant);

impl FromRequestParts<Arc<Service>> for Deadline {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, Failure> {
        let timeout = parts.headers.get(HEADER).map(|value| parse(value.as_bytes())).transpose()?;
        Ok(Self(service.deadline(timeout)))
    }
}
