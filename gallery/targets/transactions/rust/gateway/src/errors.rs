//! Every problem of a request, its code and its HTTP status.

use actix_web::http::StatusCode;
use actix_web::{HttpResponse, HttpResponseBuilder};
use bus::CallError;
use thiserror::Error;
use ubf::UbfError;

const RETRY_AFTER_S: &str = "1";

/// Why a request has no answer of its service.
#[derive(Debug, Error)]
pub enum Problem {
    /// The request breaks the contract; `member: reason`.
    #[error("{0}")]
    Invalid(String),
    /// The body has another media type than the operation's.
    #[error("Content-Type: must be {0}")]
    MediaType(&'static str),
    /// The body is too large.
    #[error("body: larger than {0} bytes")]
    TooLarge(usize),
    /// The body takes too long to arrive.
    #[error("body: incomplete")]
    TooSlow,
    /// As many requests are in flight as may be.
    #[error("too many requests in flight")]
    Overloaded,
    /// Unfinished requests occupy all memory that they may.
    #[error("unfinished requests occupy too much memory")]
    Exhausted,
    /// The request's members do not fit into a buffer.
    #[error("{0}")]
    Encoding(UbfError),
    /// The reply is no buffer.
    #[error("{0}")]
    Parsing(UbfError),
    /// The reply has not the fields of a reply.
    #[error("{0}")]
    Decoding(UbfError),
    /// The call has no reply.
    #[error("{0}")]
    Call(#[from] CallError),
}

impl Problem {
    /// Its code in a reply.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid(_) | Self::MediaType(_) | Self::TooLarge(_) | Self::TooSlow => "INVALID_REQUEST",
            Self::Encoding(_) => "ENCODING_ERROR",
            Self::Parsing(_) | Self::Call(CallError::Protocol(_)) => "PARSING_ERROR",
            Self::Decoding(_) => "DECODING_ERROR",
            Self::Call(CallError::Deadline) => "TIMEOUT_ERROR",
            Self::Overloaded | Self::Exhausted | Self::Call(CallError::Unavailable) => "SERVICE_UNAVAILABLE",
            Self::Call(CallError::Failed(_) | CallError::Disconnected) => "SERVICE_ERROR",
        }
    }

    /// The kind of problem, for people.
    pub fn title(&self) -> &'static str {
        match self.code() {
            "INVALID_REQUEST" => "Invalid request",
            "ENCODING_ERROR" => "Failed to encode request",
            "PARSING_ERROR" => "Failed to parse response",
            "DECODING_ERROR" => "Failed to decode response",
            "TIMEOUT_ERROR" => "Service call timed out",
            "SERVICE_UNAVAILABLE" => "Service unavailable",
            _ => "Service call failed",
        }
    }

    /// Its HTTP status.
    pub fn status(&self) -> StatusCode {
        match self {
            Self::Invalid(_) | Self::Encoding(_) => StatusCode::BAD_REQUEST,
            Self::MediaType(_) => StatusCode::UNSUPPORTED_MEDIA_TYPE,
            Self::TooLarge(_) => StatusCode::PAYLOAD_TOO_LARGE,
            Self::TooSlow => StatusCode::REQUEST_TIMEOUT,
            Self::Overloaded | Self::Exhausted | Self::Call(CallError::Unavailable) => StatusCode::SERVICE_UNAVAILABLE,
            Self::Call(CallError::Deadline) => StatusCode::GATEWAY_TIMEOUT,
            _ => StatusCode::BAD_GATEWAY,
        }
    }

    /// The beginning of its reply.
    pub fn reply(&self) -> HttpResponseBuilder {
        let status = self.status();
        let mut reply = HttpResponse::build(status);
        if status == StatusCode::SERVICE_UNAVAILABLE {
            reply.insert_header(("Retry-After", RETRY_AFTER_S));
        }
        if status == StatusCode::REQUEST_TIMEOUT {
            // The rest of the body may never come.
            reply.force_close();
        }
        reply
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_problem_of_a_call_has_its_code_and_status() {
        for (error, code, status) in [
            (CallError::Deadline, "TIMEOUT_ERROR", 504),
            (CallError::Unavailable, "SERVICE_UNAVAILABLE", 503),
            (CallError::Disconnected, "SERVICE_ERROR", 502),
            (CallError::Failed("it broke".into()), "SERVICE_ERROR", 502),
            (CallError::Protocol("garbage".into()), "PARSING_ERROR", 502),
        ] {
            let problem = Problem::from(error);
            assert_eq!((problem.code(), problem.status().as_u16()), (code, status));
        }
    }
}
