//! What one virtual user knows to be stored.

use std::sync::Arc;

use super::event::{Entity, Event};
use super::keys::AcknowledgedKeys;
use super::operation::{EffectKind, Operation};

/// Acknowledged keys and captured entities of one user, by kind.
#[derive(Debug, Clone)]
pub struct UserState {
    keys: Vec<AcknowledgedKeys>,
    entities: Vec<Vec<Arc<Entity>>>,
    login: Option<Entity>,
}

impl UserState {
    /// A user that knows nothing yet, of so many kinds of keys and entities.
    pub(super) fn new(keys: usize, kinds: usize) -> Self {
        Self { keys: vec![AcknowledgedKeys::default(); keys], entities: vec![Vec::new(); kinds], login: None }
    }

    #[must_use]
    pub fn keys(&self, kind: usize) -> &AcknowledgedKeys {
        &self.keys[kind]
    }

    #[must_use]
    pub fn entities(&self, kind: usize) -> &[Arc<Entity>] {
        &self.entities[kind]
    }

    /// What the user's login captured; none before it has logged in.
    #[must_use]
    pub fn login(&self) -> Option<&Entity> {
        self.login.as_ref()
    }

    /// Takes note of an event that the target acknowledged.
    pub fn acknowledge(&mut self, operation: &Operation, event: &Event, captured: Option<Entity>) {
        let deletes = matches!(&operation.effect, Some(effect) if effect.kind == EffectKind::Delete);
        if let Some(kind) = operation.key.filter(|_| !event.is_shared) {
            if deletes {
                self.keys[kind].remove(event.key_sequence);
            } else if event.key_sequence == event.sequence {
                self.keys[kind].push(event.sequence);
            }
        }
        if operation.is_login {
            self.login = Some(captured.unwrap_or_default());
            return;
        }
        if let (Some(kind), Some(entity)) = (operation.creates, captured) {
            self.entities[kind].push(Arc::new(entity));
        }
        if let (Some(kind), Some(gone), true) = (operation.needs, &event.entity, deletes) {
            self.entities[kind].retain(|known| !Arc::ptr_eq(known, gone));
        }
    }
}
