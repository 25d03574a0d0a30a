//! The one place where errors become gRPC statuses.

use events_core::error::{BoxError, Error, ErrorKind};
use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic::{Code, Status};

/// The status that a client gets for an error.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn from_error(error: Error) -> Status {
    let code = match error.kind() {
        ErrorKind::Malformed | ErrorKind::Invalid | ErrorKind::UnsupportedMedia => Code::InvalidArgument,
        ErrorKind::TooSlow => Code::DeadlineExceeded,
        ErrorKind::TooLarge | ErrorKind::Overloaded | ErrorKind::Exhausted => Code::ResourceExhausted,
        ErrorKind::Unauthenticated => Code::Unauthenticated,
        ErrorKind::Unavailable => Code::Unavailable,
        ErrorKind::Internal => Code::Internal,
    };
    Status::new(code, error.message())
}

/// The status of a call whose body fails.
pub fn from_body(error: BoxError) -> Status {
    match error.downcast() {
        Ok(error) => from_error(*error),
        Err(error) => Status::from_error(error),
    }
}

/// How prost's error begins, which tonic reports as INTERNAL.
const NOT_DECODED: &str = "failed to decode Protobuf message";

/// The contract's status for calls that tonic ends: above the size limit with OUT_OF_RANGE, which no other error
/// uses, and with a message that does not decode.
pub fn from_tonic(status: Status) -> Status {
    match status.code() {
        Code::OutOfRange => from_error(Error::too_large("body: too large")),
        Code::Internal if status.message().starts_with(NOT_DECODED) => {
            from_error(Error::malformed("body: not a valid message"))
        }
        _ => status,
    }
}

/// Replaces the status of a call that tonic has ended.
pub fn replace_in(response: Response<Body>) -> Response<Body> {
    match Status::from_header_map(response.headers()) {
        Some(status) if matches!(status.code(), Code::OutOfRange | Code::Internal) => from_tonic(status).into_http(),
        _ => response,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost::Message;

    /// Fails when an upgrade of prost words its error differently.
    #[test]
    fn a_message_that_does_not_decode_is_invalid() {
        let error = crate::proto::EventRequest::decode(&b"\x0a\x05"[..]).expect_err("it is cut off");
        let status = from_tonic(Status::internal(error.to_string()));
        assert_eq!((status.code(), status.message()), (Code::InvalidArgument, "body: not a valid message"));
        assert_eq!(from_tonic(Status::internal("internal error")).code(), Code::Internal);
    }
}
