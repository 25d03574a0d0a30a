//! The one error of the core. Each transport maps its kind once, to a status of its own.

use std::borrow::Cow;
use std::fmt;

/// What a client has to know about a failure; decides the status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The bytes are not JSON, or not a message: there is no telling what they mean.
    Malformed,
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
    /// The database has been away for too long.
    Unavailable,
    /// A defect, ours or the database's; details are in the log only.
    Internal,
}

/// A failure with the message that the client gets, word for word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    message: Cow<'static, str>,
}

impl Error {
    /// A broken rule: `<field path>: <reason>`.
    pub fn invalid(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// Bytes that cannot be read: `body: <reason>`.
    pub fn malformed(message: impl Into<Cow<'static, str>>) -> Self {
        Self::new(ErrorKind::Malformed, message)
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

    /// The database has been away for too long.
    #[must_use]
    pub fn unavailable() -> Self {
        Self::new(ErrorKind::Unavailable, "database: unavailable, retry later")
    }

    /// Anything else. Whoever makes one logs why.
    #[must_use]
    pub fn internal() -> Self {
        Self::new(ErrorKind::Internal, "internal error")
    }

    /// What decides the status.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// What the client reads.
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
