//! The one place where errors become gRPC statuses.

use events_core::error::{Error, ErrorKind};
use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic::{Code, Status};

/// The status that a client gets for an error.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn from_error(error: Error) -> Status {
    let code = match error.kind() {
        ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::UnsupportedMedia => Code::InvalidArgument,
        ErrorKind::TooLarge | ErrorKind::Overloaded => Code::ResourceExhausted,
        ErrorKind::Unauthenticated => Code::Unauthenticated,
        ErrorKind::Unavailable => Code::Unavailable,
        ErrorKind::Internal => Code::Internal,
    };
    Status::new(code, error.message())
}

/// tonic ends a call above its size limit with OUT_OF_RANGE, which no other error uses.
pub fn from_tonic(status: Status) -> Status {
    match status.code() {
        Code::OutOfRange => from_error(Error::too_large("body: too large")),
        _ => status,
    }
}

/// Replaces the status of a call that tonic has refused.
pub fn replace_in(response: Response<Body>) -> Response<Body> {
    match Status::from_header_map(response.headers()) {
        Some(status) if status.code() == Code::OutOfRange => from_tonic(status).into_http(),
        _ => response,
    }
}
