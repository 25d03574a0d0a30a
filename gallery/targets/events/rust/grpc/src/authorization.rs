//! Requires the token.

use events_core::token::Token;
use tonic::Status;
use tonic::body::Body;
use tonic::codegen::http::header::AUTHORIZATION;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request};

use crate::status;

const EVENT_HEALTH_CHECK: &str = "/com.example.grpc.EventService/HealthCheck";
const HEALTH_SERVICE: &str = "/grpc.health.v1.Health/";

/// Passes calls with the token on, and health checks without it.
#[derive(Clone)]
pub struct Authorization(pub Option<Token>);

impl Authorization {
    pub fn check(&self, call: Request<Body>) -> Result<Request<Body>, Status> {
        if let Some(token) = &self.0
            && !is_health_check(call.uri().path())
        {
            token.check(credentials(call.headers())).map_err(status::from_error)?;
        }
        Ok(call)
    }
}

fn is_health_check(path: &str) -> bool {
    path == EVENT_HEALTH_CHECK || path.starts_with(HEALTH_SERVICE)
}

/// The credentials, if a call has exactly one value.
fn credentials(headers: &HeaderMap) -> Option<&[u8]> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    values.next().filter(|_| values.next().is_none()).map(HeaderValue::as_bytes)
}
