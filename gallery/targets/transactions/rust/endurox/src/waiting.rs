//! Calls that wait for their results, whether they travel as a message or as a conversation.

use std::ffi::c_int;
use std::sync::{Mutex, MutexGuard};
use std::time::Duration;

use bus::{CallError, Payload};
use tokio::sync::oneshot;

use crate::library::{Functions, TPENOENT, TPESVCERR, TPETIME};

/// A call and where its result goes; a closed receiver has given it up.
pub(crate) struct Waiting {
    pub(crate) service: &'static str,
    pub(crate) payload: Payload,
    pub(crate) deadline: Duration,
    pub(crate) reply: oneshot::Sender<Result<Payload, CallError>>,
}

/// The caller's error for an error of Enduro/X.
pub(crate) fn error_of(functions: &Functions, error: c_int) -> CallError {
    match error {
        TPENOENT => CallError::Unavailable,
        TPETIME => CallError::Deadline,
        // Enduro/X answers so for the calls that a server left behind.
        TPESVCERR => CallError::Disconnected,
        other => CallError::Protocol(functions.words(other)),
    }
}

/// Answers a call; one that was given up needs no answer.
pub(crate) fn answer(reply: oneshot::Sender<Result<Payload, CallError>>, result: Result<Payload, CallError>) {
    let _ = reply.send(result);
}

/// Contexts join and leave one at a time, so that a descriptor that is new belongs to the one that joined.
pub(crate) fn one_at_a_time() -> MutexGuard<'static, ()> {
    static JOINING: Mutex<()> = Mutex::new(());
    JOINING.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
