//! The one place where errors become statuses.

use axum::http::header::{CONNECTION, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use events_core::error::{Error, ErrorKind};

use crate::reply::Reply;

/// Seconds after which a client may retry.
const RETRY_AFTER_SECONDS: HeaderValue = HeaderValue::from_static("1");

/// The reply to a request that failed.
pub struct ApiError(Error);

impl From<Error> for ApiError {
    fn from(error: Error) -> Self {
        Self(error)
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        let mut response = Reply::failure(status(self.0.kind()), self.0.message()).into_response();
        let header = match self.0.kind() {
            ErrorKind::Overloaded | ErrorKind::Exhausted | ErrorKind::Unavailable => {
                Some((RETRY_AFTER, RETRY_AFTER_SECONDS))
            }
            // The rest of the body may never come.
            ErrorKind::TooSlow => Some((CONNECTION, HeaderValue::from_static("close"))),
            ErrorKind::Unauthenticated => Some((WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"))),
            _ => None,
        };
        response.headers_mut().extend(header);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_error_has_its_status() {
        for (error, status, header) in [
            (Error::malformed("body: not valid JSON"), 400, None),
            (Error::invalid("eventHeader: required"), 400, None),
            (Error::incomplete_body(), 400, None),
            (Error::slow_body(), 408, Some(("connection", "close"))),
            (Error::too_large("body: too large"), 413, None),
            (Error::unsupported_media("content-type: must be application/json"), 415, None),
            (Error::unauthenticated(), 401, Some(("www-authenticate", "Bearer"))),
            (Error::overloaded(), 429, Some(("retry-after", "1"))),
            (Error::internal(), 500, None),
            (Error::too_many_bytes(), 503, Some(("retry-after", "1"))),
            (Error::unavailable(), 503, Some(("retry-after", "1"))),
        ] {
            let response = ApiError::from(error).into_response();
            assert_eq!(response.status().as_u16(), status);
            for name in ["www-authenticate", "retry-after", "connection"] {
                let value = response.headers().get(name).and_then(|value| value.to_str().ok());
                assert_eq!(value, header.filter(|(expected, _)| *expected == name).map(|(_, value)| value));
            }
        }
    }
}
