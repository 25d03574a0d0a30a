//! Rules and reply of a bulk, the same for both protocols.

use std::time::Instant;

use crate::error::Error;
use crate::limits;

/// One event of a bulk that was not stored.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// Position in the request, from 0.
    pub index: usize,
    /// The message that a single event would have got.
    pub message: String,
}

/// The reply to a bulk of which at least one event was valid.
#[derive(Debug, PartialEq, Eq)]
pub struct BulkReport {
    /// Events stored.
    pub processed: usize,
    /// Events not stored, in the order of the request.
    pub failures: Vec<Failure>,
    /// A UUID that identifies the bulk.
    pub batch_id: String,
    /// From the decoded request to the last commit.
    pub processing_time_ms: u32,
}

impl BulkReport {
    /// Nothing failed.
    #[must_use]
    pub fn success(&self) -> bool {
        self.failures.is_empty()
    }

    /// The summary: `2 of 3 events processed`.
    #[must_use]
    pub fn message(&self) -> String {
        format!("{} of {} events processed", self.processed, self.processed + self.failures.len())
    }

    pub(crate) fn new(outcomes: Vec<Result<(), Error>>, started: Instant) -> Self {
        let count = outcomes.len();
        let failures: Vec<Failure> = outcomes
            .into_iter()
            .enumerate()
            .filter_map(|(index, outcome)| {
                outcome.err().map(|error| Failure { index, message: error.message().to_owned() })
            })
            .collect();
        Self {
            processed: count - failures.len(),
            failures,
            batch_id: uuid::Uuid::new_v4().to_string(),
            processing_time_ms: u32::try_from(started.elapsed().as_millis()).unwrap_or(u32::MAX),
        }
    }
}

/// A bulk holds 1 to 10,000 events.
pub fn check_count(count: usize) -> Result<(), Error> {
    const MESSAGE: &str = "events: must hold 1 to 10000 events";
    match count {
        0 => Err(Error::invalid(MESSAGE)),
        1..=limits::BULK_EVENTS => Ok(()),
        _ => Err(Error::too_large(MESSAGE)),
    }
}

/// An element above the size of a single event.
#[must_use]
pub fn event_too_large() -> Error {
    Error::invalid(format!("event: larger than {} bytes", limits::EVENT_BYTES))
}

/// The error of a bulk without a valid event; `None` when there is one.
pub(crate) fn none_valid<T>(events: &[Result<T, Error>]) -> Option<Error> {
    if events.iter().any(Result::is_ok) {
        return None;
    }
    let first = events.first()?.as_ref().err()?;
    Some(Error::invalid(format!("0 of {} events processed; event 0: {first}", events.len())))
}
