//! One event, apart from its text.

use std::sync::Arc;

/// One event, without its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    pub sequence: u32,
    pub operation: u16,
    /// The sequence that made the event's key; its own for a new key and without one.
    pub key_sequence: u32,
    /// The key belongs to all users; its sequence is its number in the pool.
    pub is_shared: bool,
    /// The captured entity that the event needs.
    pub entity: Option<Arc<Entity>>,
    /// Its place in a session; a ledger needs none.
    pub step: Option<Step>,
}

/// The place of an event in a session: both count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub session: u16,
    pub number: u16,
}

/// Which operation a request is to be.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Drawn by the weights.
    #[default]
    Drawn,
    /// Drawn by the weights of the operations that do not arrive at their own rate.
    DrawnWithoutRates,
    /// This one, which arrives at its own rate.
    Operation(u16),
}

/// Shared keys are rendered with this user number, which sends nothing: the highest number of seven digits.
pub const SHARED_USER: u32 = 9_999_999;

/// Values captured from the reply that made something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entity {
    pub captured: Vec<(Box<str>, Box<str>)>,
    /// The entity that was captured, where values of a session were added to it.
    pub origin: Option<Arc<Entity>>,
}

impl Entity {
    /// The entity that a user knows and may delete: without the values of a session.
    #[must_use]
    pub fn source(self: &Arc<Self>) -> &Arc<Self> {
        self.origin.as_ref().unwrap_or(self)
    }

    /// The value of this name that was captured, the latest one.
    #[must_use]
    pub fn value(&self, name: &str) -> Option<&str> {
        self.captured.iter().find(|(known, _)| **known == *name).map(|(_, value)| &**value)
    }
}
