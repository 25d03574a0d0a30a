//! The one place where errors become statuses.

use axum::Json;
use axum::http::header::CONNECTION;
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use users_core::error::{Code, Error};

/// The reply to a request that failed.
#[derive(Debug)]
pub struct Failure {
    status: StatusCode,
    code: Code,
    message: String,
}

/// As `google.rpc.Status` has it.
#[derive(Serialize)]
struct Body {
    code: u8,
    message: String,
    details: [(); 0],
}

impl Failure {
    /// A request without a route.
    pub fn new(status: StatusCode, code: Code) -> Self {
        Self { status, code, message: status.canonical_reason().unwrap_or_default().to_owned() }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let status = match error {
            Error::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
            Error::TooSlow => StatusCode::REQUEST_TIMEOUT,
            _ => status(error.code()),
        };
        Self { status, code: error.code(), message: error.to_string() }
    }
}

impl IntoResponse for Failure {
    fn into_response(self) -> Response {
        let body = Body { code: self.code as u8, message: self.message, details: [] };
        let mut response = (self.status, Json(body)).into_response();
        if self.status == StatusCode::REQUEST_TIMEOUT {
            // The rest of the body may never come.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }
}

fn status(code: Code) -> StatusCode {
    match code {
        Code::InvalidArgument => StatusCode::BAD_REQUEST,
        Code::DeadlineExceeded => StatusCode::GATEWAY_TIMEOUT,
        Code::NotFound => StatusCode::NOT_FOUND,
        Code::AlreadyExists => StatusCode::CONFLICT,
        Code::ResourceExhausted => StatusCode::TOO_MANY_REQUESTS,
        Code::Unimplemented => StatusCode::METHOD_NOT_ALLOWED,
        Code::Internal => StatusCode::INTERNAL_SERVER_ERROR,
        Code::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_error_has_its_status() {
        for (error, status) in [
            (Error::Invalid { field: "id", rule: "must be at least 1" }, 400),
            (Error::Malformed(String::new()), 400),
            (Error::NotFound, 404),
            (Error::EmailTaken, 409),
            (Error::TooSlow, 408),
            (Error::TooLarge, 413),
            (Error::Overloaded, 429),
            (Error::RateLimited, 429),
            (Error::Internal, 500),
            (Error::Unavailable, 503),
            (Error::DeadlineExceeded, 504),
        ] {
            assert_eq!(Failure::from(error.clone()).into_response().status().as_u16(), status, "{error}");
        }
    }
}
