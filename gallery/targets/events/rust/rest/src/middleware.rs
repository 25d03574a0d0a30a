//! Requires the token.

use axum::extract::{Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, HeaderValue};
use axum::middleware::Next;
use axum::response::Response;
use events_core::token::Token;

use crate::error::ApiError;

/// The path of health checks, which need no token.
pub const HEALTH: &str = "/api/v1/events/health";

/// Requires the token, except for health checks.
pub async fn require_token(State(token): State<Token>, request: Request, next: Next) -> Result<Response, ApiError> {
    if request.uri().path() != HEALTH {
        token.check(authorization(request.headers()))?;
    }
    Ok(next.run(request).await)
}

/// The credentials, if a request has exactly one value.
fn authorization(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
}
