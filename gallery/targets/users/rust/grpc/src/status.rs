//! The one place where errors become gRPC statuses.

use tonic::body::Body;
use tonic::codegen::http::Response;
use tonic::{Code, Status};
use users_core::error::Error;

/// The status that a client gets for an error.
#[expect(clippy::needless_pass_by_value, reason = "for map_err")]
pub fn from_error(error: Error) -> Status {
    Status::new(Code::from(error.code() as i32), error.to_string())
}

/// How prost's error begins, which tonic reports as INTERNAL.
const NOT_DECODED: &str = "failed to decode Protobuf message";

/// The contract's status for calls that tonic ends: above the size limit with OUT_OF_RANGE, which no other error
/// uses, and with a message that does not decode.
fn from_tonic(status: Status) -> Status {
    match status.code() {
        Code::OutOfRange => from_error(Error::TooLarge),
        Code::Internal if status.message().starts_with(NOT_DECODED) => {
            from_error(Error::Malformed("body: not a valid message".to_owned()))
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

    #[test]
    fn every_error_has_its_status() {
        for (error, code) in [
            (Error::Invalid { field: "id", rule: "must be at least 1" }, Code::InvalidArgument),
            (Error::Malformed(String::new()), Code::InvalidArgument),
            (Error::NotFound, Code::NotFound),
            (Error::EmailTaken, Code::AlreadyExists),
            (Error::TooLarge, Code::ResourceExhausted),
            (Error::Overloaded, Code::ResourceExhausted),
            (Error::RateLimited, Code::ResourceExhausted),
            (Error::DeadlineExceeded, Code::DeadlineExceeded),
            (Error::Unavailable, Code::Unavailable),
            (Error::Internal, Code::Internal),
        ] {
            assert_eq!(from_error(error.clone()).code(), code, "{error}");
        }
    }

    /// Fails when an upgrade of prost words its error differently.
    #[test]
    fn a_message_that_does_not_decode_is_invalid() {
        let error = crate::proto::CreateUserRequest::decode(&b"\x0a\x05"[..]).expect_err("it is cut off");
        let status = from_tonic(Status::internal(error.to_string()));
        assert_eq!((status.code(), status.message()), (Code::InvalidArgument, "body: not a valid message"));
        assert_eq!(from_tonic(Status::internal("internal error")).code(), Code::Internal);
    }
}
