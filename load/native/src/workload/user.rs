//! What one virtual user knows to be stored.

use std::sync::Arc;

use super::{AcknowledgedKeys, Event, Operation, Workload};
use crate::workload::EffectKind;

/// Values captured from the reply that made something.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Entity {
    pub captured: Vec<(Box<str>, Box<str>)>,
}

/// Acknowledged keys and captured entities of one user, by kind.
#[derive(Debug, Clone)]
pub struct UserState {
    keys: Vec<AcknowledgedKeys>,
    entities: Vec<Vec<Arc<Entity>>>,
}

impl UserState {
    #[must_use]
    pub fn new(workload: &Workload) -> Self {
        Self {
            keys: vec![AcknowledgedKeys::default(); workload.keys.len()],
            entities: vec![Vec::new(); workload.kinds.len()],
        }
    }

    #[must_use]
    pub fn keys(&self, kind: usize) -> &AcknowledgedKeys {
        &self.keys[kind]
    }

    #[must_use]
    pub fn entities(&self, kind: usize) -> &[Arc<Entity>] {
        &self.entities[kind]
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
        if let (Some(kind), Some(entity)) = (operation.creates, captured) {
            self.entities[kind].push(Arc::new(entity));
        }
        if let (Some(kind), Some(gone), true) = (operation.needs, &event.entity, deletes) {
            self.entities[kind].retain(|known| !Arc::ptr_eq(known, gone));
        }
    }
}
