//! Replies as JSON, and the one place where errors become statuses.

use axum::Json;
use axum::http::header::{CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use events_core::bulk::BulkReport;
use events_core::error::{Error, ErrorKind};
use serde::Serialize;

/// Seconds after which a client may try again.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The reply to a request that failed.
pub struct ErrorResponse(Error);

impl From<Error> for ErrorResponse {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for ErrorResponse {
    fn into_response(self) -> Response {
        let mut response = failure(status(self.0.kind()), self.0.message());
        let advice = match self.0.kind() {
            ErrorKind::Overloaded | ErrorKind::Exhausted | ErrorKind::Unavailable => {
                Some((RETRY_AFTER, RETRY_AFTER_SECONDS))
            }
            // The rest of the body may never come.
            ErrorKind::TooSlow => Some((CONNECTION, HeaderValue::from_static("close"))),
            ErrorKind::Unauthenticated => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            _ => None,
        };
        response.headers_mut().extend(advice);
        response
    }
}

fn status(kind: ErrorKind) -> StatusCode {
    match kind {
        ErrorKind::Malformed | ErrorKind::Invalid => StatusCode::BAD_REQUEST,
        ErrorKind::TooSlow => StatusCode::REQUEST_TIMEOUT,
        ErrorKind::TooLarge => StatusCode::PAYLOAD_TOO_LARGE,
        ErrorKind::UnsupportedMedia => StatusCode::UNSUPPORTED_MEDIA_TYPE,
        ErrorKind::Unauthenticated => StatusCode::UNAUTHORIZED,
        ErrorKind::Overloaded => StatusCode::TOO_MANY_REQUESTS,
        ErrorKind::Exhausted | ErrorKind::Unavailable => StatusCode::SERVICE_UNAVAILABLE,
        ErrorKind::Internal => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[derive(Serialize)]
struct Message<'a> {
    success: bool,
    message: &'a str,
}

/// A reply with an error message.
pub fn failure(status: StatusCode, message: &str) -> Response {
    (status, Json(Message { success: false, message })).into_response()
}

/// The reply to an event that is durable.
pub fn stored() -> Response {
    Json(Message { success: true, message: "Event processed successfully" }).into_response()
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bulk<'a> {
    success: bool,
    message: String,
    processed_count: usize,
    failed_count: usize,
    batch_id: &'a str,
    processing_time_ms: u32,
    failures: Vec<BulkFailure<'a>>,
}

#[derive(Serialize)]
struct BulkFailure<'a> {
    index: usize,
    message: &'a str,
}

/// The reply to a bulk.
pub fn bulk(report: &BulkReport) -> Response {
    let failures: Vec<_> =
        report.failures.iter().map(|failure| BulkFailure { index: failure.index, message: &failure.message }).collect();
    Json(Bulk {
        success: report.success(),
        message: report.message(),
        processed_count: report.processed,
        failed_count: failures.len(),
        batch_id: &report.batch_id,
        processing_time_ms: report.processing_time_ms,
        failures,
    })
    .into_response()
}

#[derive(Serialize)]
struct Health {
    healthy: bool,
    message: &'static str,
}

/// The reply about health.
pub fn health(healthy: bool) -> Response {
    let (status, message) =
        if healthy { (StatusCode::OK, "OK") } else { (StatusCode::SERVICE_UNAVAILABLE, "database: unavailable") };
    (status, Json(Health { healthy, message })).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_status() {
        for (error, status, advice) in [
            (Error::malformed("body: not valid JSON"), 400, None),
            (Error::invalid("eventHeader: required"), 400, None),
            (Error::incomplete_body(), 400, None),
            (Error::slow_body(), 408, Some(("connection", "close"))),
            (Error::body_too_large(1), 413, None),
            (Error::unsupported_media("content-type: must be application/json"), 415, None),
            (Error::unauthenticated(), 401, Some(("www-authenticate", "Bearer"))),
            (Error::overloaded(), 429, Some(("retry-after", "1"))),
            (Error::internal(), 500, None),
            (Error::too_many_bytes(), 503, Some(("retry-after", "1"))),
            (Error::unavailable(), 503, Some(("retry-after", "1"))),
        ] {
            let response = ErrorResponse::from(error).into_response();
            assert_eq!(response.status().as_u16(), status);
            let header = |name| response.headers().get(name).and_then(|value| value.to_str().ok());
            for name in ["www-authenticate", "retry-after", "connection"] {
                assert_eq!(header(name), advice.filter(|(named, _)| *named == name).map(|(_, value)| value));
            }
        }
    }
}
