//! Why a request failed: the kinds that the result stream counts.

use std::borrow::Cow;

/// The kinds of failure, each with a name in the result stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Failure {
    Refused,
    ConnectTimeout,
    /// No local port is free.
    PortsExhausted,
    /// No file descriptor is free.
    DescriptorsExhausted,
    Unreachable,
    /// The target's certificate is not trusted, or was issued for another name.
    Certificate,
    /// The TLS handshake or a TLS record failed for any other reason.
    Tls,
    Reset,
    /// The connection ended before the reply did.
    Closed,
    Timeout,
    Malformed,
    /// Bytes came that no request asked for: the connection is closed, and no request has failed.
    Surplus,
    /// The reply's content is not what was expected.
    Body,
    /// The reply shows a stored document in a state that was not possible.
    WrongRead,
    Status(u16),
    Grpc(u8),
    StreamReset,
    /// An HTTP/2 stream that the server has refused, unprocessed.
    StreamRefused,
    /// An HTTP/2 stream that the server did not process before it closed the connection.
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
            Self::Surplus => "surplus",
            Self::Body => "body",
            Self::WrongRead => "wrong_read",
            Self::StreamReset => "stream_reset",
            Self::StreamRefused => "stream_refused",
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

    /// Whether a request that failed in this way has a duration: it was answered, though not as expected, or waited as
    /// long as the timeout allows.
    #[must_use]
    pub fn has_time(self) -> bool {
        matches!(self, Self::Status(_) | Self::Grpc(_) | Self::Body | Self::WrongRead | Self::Timeout)
    }

    /// Whether the target has certainly not processed the request, so that it may be sent again.
    #[must_use]
    pub fn is_unprocessed(self) -> bool {
        matches!(self, Self::GoAway | Self::StreamRefused)
    }

    /// Explains the kind to a person.
    #[must_use]
    pub fn meaning(self) -> Option<&'static str> {
        match self {
            Self::Refused => Some("nothing listens on this port"),
            Self::ConnectTimeout => Some("not connected before the timeout"),
            Self::PortsExhausted => Some("no free local port; widen net.ipv4.ip_local_port_range"),
            Self::DescriptorsExhausted => Some("no free file descriptor; raise `ulimit -n`"),
            Self::Unreachable => Some("no route to the host"),
            Self::Certificate => Some("not trusted, or issued for another name; see --ca-file and --server-name"),
            Self::Tls => Some("no TLS session; does the target offer TLS with this protocol (ALPN)?"),
            Self::Reset => Some("the target reset the connection"),
            Self::Closed => Some("the target closed the connection before its reply was complete"),
            Self::Timeout => Some("no reply before the timeout; see --timeout"),
            Self::Malformed => Some("the reply is not valid in this protocol"),
            Self::Surplus => Some("bytes came after the end of a reply"),
            Self::Body => Some("the reply's content is not what was expected"),
            Self::WrongRead => Some("the reply shows a state that the user's own writes exclude"),
            Self::StreamRefused => Some("the target refused the stream, and refused it again"),
            Self::StreamReset | Self::GoAway => Some("the target ended the call without a status"),
            Self::Interrupted => Some("abandoned after an interruption"),
            Self::Status(_) | Self::Grpc(_) => None,
        }
    }
}
