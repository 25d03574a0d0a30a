//! The entities that one virtual user has stored.

use std::sync::Arc;

use super::cookies::Cookies;
use super::event::{Entity, Event};
use super::keys::AcknowledgedKeys;
use super::operation::{EffectKind, Operation};
use super::session::{Progress, Session};

/// Acknowledged keys and captured entities of one user, by kind.
#[derive(Debug, Clone, Default)]
pub struct UserState {
    keys: Vec<AcknowledgedKeys>,
    entities: Vec<Vec<Arc<Entity>>>,
    login: Option<Entity>,
    session: Option<Progress>,
    pub cookies: Cookies,
}

/// A user remembers so many entities of a list.
const MOST_LISTED: usize = 1_000;

impl UserState {
    /// A user that knows nothing yet, of so many kinds of keys and entities.
    pub(super) fn new(keys: usize, kinds: usize) -> Self {
        Self {
            keys: vec![AcknowledgedKeys::default(); keys],
            entities: vec![Vec::new(); kinds],
            login: None,
            session: None,
            cookies: Cookies::default(),
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

    /// The values that the user's login captured; none before it has logged in.
    #[must_use]
    pub fn login(&self) -> Option<&Entity> {
        self.login.as_ref()
    }

    /// The user with the values that a login for all users captured.
    #[must_use]
    pub fn logged_in(self, captured: Entity) -> Self {
        Self { login: Some(captured), ..self }
    }

    /// The values that its login captured, such as a token: secret.
    pub fn secrets(&self) -> impl Iterator<Item = &str> {
        self.login.iter().flat_map(|login| &login.captured).map(|(_, value)| &**value)
    }

    /// The session that the user has begun.
    pub(super) fn session(&self) -> Option<&Progress> {
        self.session.as_ref()
    }

    /// Ends the session of an event that was not acknowledged: its next steps need what it did.
    pub fn give_up(&mut self, event: &Event) {
        if event.step.is_some() {
            self.session = None;
        }
    }

    /// Takes note of what a list shows: the entities of its kind are those of the latest list.
    pub fn list(&mut self, kind: usize, mut listed: Vec<Entity>) {
        listed.truncate(MOST_LISTED);
        self.entities[kind] = listed.into_iter().map(Arc::new).collect();
    }

    /// Takes note of an event that the target acknowledged; `sessions` are the workload's. Returns the entity that it created.
    pub fn acknowledge(
        &mut self,
        operation: &Operation,
        sessions: &[Session],
        event: &Event,
        captured: Option<Entity>,
    ) -> Option<Arc<Entity>> {
        let deletes = matches!(&operation.effect, Some(effect) if effect.kind == EffectKind::Delete);
        if let Some(kind) = operation.key.filter(|_| !event.is_shared) {
            if deletes {
                self.keys[kind].remove(event.key_sequence);
            } else if event.key_sequence == event.sequence {
                self.keys[kind].push(event.sequence);
            }
        }
        let captured = captured.map(Arc::new);
        let created = operation.creates.zip(captured.clone());
        if let Some(step) = event.step {
            let steps = sessions[usize::from(step.session)].steps.len();
            let values = captured.as_ref().map_or(&[][..], |entity| &entity.captured);
            self.session = Progress::after(self.session.take(), step, steps, values, created.clone());
        }
        if operation.is_login {
            self.login = Some(captured.map_or_else(Entity::default, |captured| Entity::clone(&captured)));
            return None;
        }
        if let Some((kind, entity)) = &created {
            self.entities[*kind].push(Arc::clone(entity));
        }
        if let (Some(kind), Some(gone), true) = (operation.needs, &event.entity, deletes) {
            self.entities[kind].retain(|known| !Arc::ptr_eq(known, gone.source()));
        }
        created.map(|(_, entity)| entity)
    }
}
