//! Why a request failed: the kinds that the result stream counts.

use std::borrow::Cow;

/// The kinds of failure, each with a name in the result stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    Refused,
    ConnectTimeout,
    /// No local port is left.
    PortsExhausted,
    /// No file descriptor is left.
    DescriptorsExhausted,
    Unreachable,
    /// The target's certificate is not trusted, or for another name.
    Certificate,
    /// The TLS handshake or a TLS record failed for any other reason.
    Tls,
    Reset,
    /// The connection ended before the reply did.
    Closed,
    Timeout,
    Malformed,
    /// The reply's content is not what was expected.
    Body,
    Status(u16),
    Grpc(u8),
    StreamReset,
    GoAway,
    Interrupted,
}

/// Names of gRPC's status codes, by number.
pub const GRPC_CODES: [&str; 17] = [
    "OK",
    "CANCELLED",
    "UNKNOWN",
    "INVALID_ARGUMENT",
    "DEADLINE_EXCEEDED",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "FAILED_PRECONDITION",
    "ABORTED",
    "OUT_OF_RANGE",
    "UNIMPLEMENTED",
    "INTERNAL",
    "UNAVAILABLE",
    "DATA_LOSS",
    "UNAUTHENTICATED",
];

impl Failure {
    /// The kind's name in the result stream.
    #[must_use]
    pub fn name(self) -> Cow<'static, str> {
        let name = match self {
            Self::Refused => "refused",
            Self::ConnectTimeout => "connect_timeout",
            Self::PortsExhausted => "ports_exhausted",
            Self::DescriptorsExhausted => "descriptors_exhausted",
            Self::Unreachable => "unreachable",
            Self::Certificate => "certificate",
            Self::Tls => "tls",
            Self::Reset => "reset",
            Self::Closed => "closed",
            Self::Timeout => "timeout",
            Self::Malformed => "malformed",
            Self::Body => "body",
            Self::StreamReset => "stream_reset",
            Self::GoAway => "goaway",
            Self::Interrupted => "interrupted",
            Self::Status(status) => return format!("status_{status}").into(),
            Self::Grpc(code) => {
                return match GRPC_CODES.get(usize::from(code)) {
                    Some(name) => format!("grpc_{name}").into(),
                    None => format!("grpc_{code}").into(),
                };
            }
        };
        name.into()
    }

    /// Whether a request that failed so took a time: it was answered, if otherwise than it should be, or waited for as
    /// long as the timeout allows.
    #[must_use]
    pub fn has_time(self) -> bool {
        matches!(self, Self::Status(_) | Self::Grpc(_) | Self::Body | Self::Timeout)
    }

    /// What a person may want to know beyond the name.
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Refused => Some("nobody listens there"),
            Self::ConnectTimeout => Some("no connection was made in time"),
            Self::PortsExhausted => Some("no local port is left; widen net.ipv4.ip_local_port_range"),
            Self::DescriptorsExhausted => Some("no file descriptor is left; raise `ulimit -n`"),
            Self::Unreachable => Some("the network knows no way there"),
            Self::Certificate => Some("not trusted, or for another name; see --ca-file and --server-name"),
            Self::Tls => Some("no TLS session; does the target speak it, and this protocol inside it?"),
            Self::Reset => Some("the target broke the connection"),
            Self::Closed => Some("the target closed the connection before its reply was complete"),
            Self::Timeout => Some("no reply in time; see --timeout"),
            Self::Malformed => Some("the reply is not of this protocol"),
            Self::Body => Some("the reply's content is not what was expected"),
            Self::StreamReset | Self::GoAway => Some("the target ended the call without a status"),
            Self::Interrupted => Some("given up after an interruption"),
            Self::Status(_) | Self::Grpc(_) => None,
        }
    }
}
