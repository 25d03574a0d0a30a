//! The error type of the service. Each transport maps its code to a status in one place.

use std::fmt;

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Error {
    /// A field breaks a rule of the contract.
    Invalid {
        /// The path of the field.
        field: &'static str,
        /// The rule.
        rule: &'static str,
    },
    /// The request cannot be read, with the library's own words.
    Malformed(String),
    /// There is no user with this id.
    NotFound,
    /// Another user has the e-mail address.
    EmailTaken,
    /// The message has more bytes than the contract allows.
    TooLarge,
    /// The message takes too long to arrive.
    TooSlow,
    /// Too many requests wait.
    Overloaded,
    /// The limit of requests per second is reached.
    RateLimited,
    /// The deadline has passed; it is not known whether a change was stored.
    DeadlineExceeded,
    /// The database is unavailable; it is not known whether a change was stored.
    Unavailable,
    /// A defect of the target or of the database; details are in the log only.
    Internal,
}

/// gRPC's codes, as far as the service uses them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// The request breaks a rule.
    InvalidArgument = 3,
    /// The deadline has passed.
    DeadlineExceeded = 4,
    /// There is no such user, or no such path.
    NotFound = 5,
    /// Another user has the address.
    AlreadyExists = 6,
    /// Too large, too many.
    ResourceExhausted = 8,
    /// No such method.
    Unimplemented = 12,
    /// A defect.
    Internal = 13,
    /// The database is unavailable.
    Unavailable = 14,
}

/// The contract's limit of a message.
pub const LARGEST_MESSAGE: usize = 1 << 20;

impl Error {
    /// gRPC's code of the error.
    #[must_use]
    pub fn code(&self) -> Code {
        match self {
            Self::Invalid { .. } | Self::Malformed(_) => Code::InvalidArgument,
            Self::NotFound => Code::NotFound,
            Self::EmailTaken => Code::AlreadyExists,
            Self::TooLarge | Self::Overloaded | Self::RateLimited => Code::ResourceExhausted,
            Self::DeadlineExceeded | Self::TooSlow => Code::DeadlineExceeded,
            Self::Unavailable => Code::Unavailable,
            Self::Internal => Code::Internal,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid { field, rule } => write!(f, "{field}: {rule}"),
            Self::Malformed(reason) => f.write_str(reason),
            Self::NotFound => f.write_str("id: no such user"),
            Self::EmailTaken => f.write_str("email: another user has it"),
            Self::TooLarge => write!(f, "body: larger than {LARGEST_MESSAGE} bytes"),
            Self::TooSlow => f.write_str("body: incomplete"),
            Self::Overloaded => f.write_str("too many requests are waiting"),
            Self::RateLimited => f.write_str("the limit of requests per second is reached"),
            Self::DeadlineExceeded => f.write_str("the deadline has passed"),
            Self::Unavailable => f.write_str("the database is unavailable"),
            Self::Internal => f.write_str("internal error"),
        }
    }
}

impl std::error::Error for Error {}
