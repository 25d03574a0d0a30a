//! The error type of the core. Each transport maps its kind to a status in one place.

use std::borrow::Cow;
use std::fmt;

/// Any error of a server or of a body.
pub type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// The kind of a failure, which decides the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not JSON, or not a message.
    Malformed,
    /// The request takes too long to arrive.
    TooSlow,
    /// The request can be read and breaks a rule of the contract.
    Invalid,
    /// The request has more bytes or more events than the contract allows.
    TooLarge,
    /// The request's media type or content coding is not one the contract allows.
    UnsupportedMedia,
    /// The request does not carry the token.
    Unauthenticated,
    /// The write queue is full.
    Overloaded,
    /// Unfinished requests occupy all the memory that they may.
    Exhausted,
    /// The database has been unavailable for too long.
    Unavailable,
    /// A defect of the target or of the database; details are in the log only.
    Internal,
}

/// A failure with the exact message for the client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

const INCOMPLETE: &str = "body: incomplete";

impl Error {
    /// A broken rule: `<field path>: <reason>`.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Bytes that cannot be read: `body: <reason>`.
    pub fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Malformed, message)
    }

    /// A body that breaks off.
    #[must_use]
    pub fn incomplete_body() -> Self {
        Self::malformed(INCOMPLETE)
    }

    /// A body or message that takes too long to arrive.
    #[must_use]
    pub fn slow_body() -> Self {
        Self::new(ErrorKind::TooSlow, INCOMPLETE)
    }

    /// More bytes or events than allowed.
    pub fn too_large(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::TooLarge, message)
    }

    /// A body of more than `limit` bytes.
    #[must_use]
    pub fn body_too_large(limit: usize) -> Self {
        Self::too_large(format!("body: larger than {limit} bytes"))
    }

    /// A media type or content coding that is not accepted.
    pub fn unsupported_media(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::UnsupportedMedia, message)
    }

    /// A request without the token.
    #[must_use]
    pub fn unauthenticated() -> Self {
        Self::new(ErrorKind::Unauthenticated, "authorization: a valid bearer token is required")
    }

    /// The write queue is full.
    #[must_use]
    pub fn overloaded() -> Self {
        Self::new(ErrorKind::Overloaded, "overloaded: the write queue is full, retry later")
    }

    /// Unfinished requests occupy all the memory that they may.
    #[must_use]
    pub fn too_many_bytes() -> Self {
        Self::new(ErrorKind::Exhausted, "server: unfinished requests occupy too much memory, retry later")
    }

    /// The database has been unavailable for too long.
    #[must_use]
    pub fn unavailable() -> Self {
        Self::new(ErrorKind::Unavailable, "database: unavailable, retry later")
    }

    /// Any other error. The caller logs the cause.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(ErrorKind::Internal, "internal error")
    }

    /// Decides the status.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// The message for the client.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.message
    }

    fn new(kind: ErrorKind, message: impl Into<Cow<'static, str>>) -> Self {
        Self { kind, message: message.into() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}
