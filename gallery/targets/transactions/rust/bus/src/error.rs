use thiserror::Error;

/// Why a call has no reply.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum CallError {
    /// No reply before the deadline. The service may have done its work.
    #[error("no reply before the deadline")]
    Deadline,
    /// No server offers the service at this moment. Nothing was done.
    #[error("no server offers the service")]
    Unavailable,
    /// The server ended in mid-call. The service may have done its work.
    #[error("the server ended before it replied")]
    Disconnected,
    /// The service itself reports failure.
    #[error("the service failed: {0}")]
    Failed(String),
    /// The reply, or the call, breaks the transport's rules.
    #[error("{0}")]
    Protocol(String),
}
