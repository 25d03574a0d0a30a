//! The one place where errors become gRPC statuses.

use events_core::error::{BoxError, Error, ErrorKind};
use tonic::{Code, Status};

/// The status that a client gets for an error.
pub fn from(error: &Error) -> Status {
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
    match error.downcast::<Error>() {
        Ok(error) => from(&error),
        Err(error) => Status::from_error(error),
    }
}

/// tonic refuses a message above the limit before it is read, but with OUT_OF_RANGE,
/// which no other error uses.
pub fn from_refused_size(status: Status, limit: usize) -> Status {
    match status.code() {
        Code::OutOfRange => from(&Error::body_too_large(limit)),
        _ => status,
    }
}
