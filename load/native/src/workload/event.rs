//! One event, apart from its text.

use std::sync::Arc;

/// What one event is, apart from its text.
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
}

/// Shared keys are rendered with this user number, which sends nothing: the highest number of seven digits.
pub const SHARED_USER: u32 = 9_999_999;

/// Values captured from the reply that made something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entity {
    pub captured: Vec<(Box<str>, Box<str>)>,
}

impl Entity {
    /// Whether a value of this name was captured.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.captured.iter().any(|(known, _)| **known == *name)
    }
}
