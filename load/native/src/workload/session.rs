//! Sessions: operations that a user sends one after the other, with what their replies captured.

use std::sync::Arc;

use super::event::{Entity, Event, Step};
use crate::plan::{self, PlanError};

/// Operations in order.
#[derive(Debug)]
pub struct Session {
    pub name: String,
    /// Indices of operations.
    pub steps: Vec<usize>,
    /// The user's pause between two steps, where it is not the plan's.
    pub think_ns: Option<u64>,
}

impl Session {
    pub(super) fn compile(session: &plan::Session, operations: usize) -> Result<Self, PlanError> {
        if session.steps.is_empty() || session.steps.iter().any(|step| *step >= operations) {
            return Err(PlanError::rule(format!("session {}: its steps are operations, at least one", session.name)));
        }
        let think_ns = session.think_time_ms.map(|ms| (ms * 1e6) as u64);
        Ok(Self { name: session.name.clone(), steps: session.steps.clone(), think_ns })
    }
}

/// A user's session that is not over.
#[derive(Debug, Clone)]
pub(super) struct Progress {
    pub next: Step,
    /// The captured values, the latest first.
    values: Vec<(Box<str>, Box<str>)>,
    /// Entities that its steps created, by kind, the latest last.
    created: Vec<(usize, Arc<Entity>)>,
}

impl Progress {
    /// The session after an acknowledged step; none after its last. `before` is the session up to this step.
    pub fn after(
        before: Option<Self>,
        step: Step,
        steps: usize,
        captured: &[(Box<str>, Box<str>)],
        created: Option<(usize, Arc<Entity>)>,
    ) -> Option<Self> {
        let next = Step { number: step.number + 1, ..step };
        if usize::from(next.number) >= steps {
            return None;
        }
        let before = before.filter(|_| step.number > 0);
        let mut progress = before.unwrap_or(Self { next, values: Vec::new(), created: Vec::new() });
        progress.next = next;
        progress.values.splice(0..0, captured.iter().cloned());
        progress.created.extend(created);
        Some(progress)
    }

    /// The entity of a kind that a step created last.
    pub fn entity(&self, kind: usize) -> Option<&Arc<Entity>> {
        self.created.iter().rev().find(|(known, _)| *known == kind).map(|(_, entity)| entity)
    }

    /// The values of a step's slots: those of the session, then those of the entity that it needs.
    pub fn with_values(&self, needed: Option<Arc<Entity>>) -> Option<Arc<Entity>> {
        if self.values.is_empty() {
            return needed;
        }
        let mut captured = self.values.clone();
        captured.extend(needed.iter().flat_map(|entity| entity.captured.iter().cloned()));
        Some(Arc::new(Entity { captured, origin: needed }))
    }
}

/// Whether an event is a step of a session that goes on with another one.
#[must_use]
pub fn has_next_step(event: &Event, sessions: &[Session]) -> bool {
    event.step.is_some_and(|step| usize::from(step.number) + 1 < sessions[usize::from(step.session)].steps.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(pairs: &[(&str, &str)]) -> Vec<(Box<str>, Box<str>)> {
        pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect()
    }

    #[test]
    fn values_and_entities_are_carried_to_the_end() {
        let step = |number| Step { session: 1, number };
        let made = |id: &str| Arc::new(Entity { captured: values(&[("id", id)]), origin: None });
        let first = Progress::after(None, step(0), 3, &values(&[("id", "1"), ("page", "a")]), Some((0, made("1"))));
        let second = Progress::after(first, step(1), 3, &values(&[("page", "b")]), None).expect("goes on");
        assert_eq!((second.next, second.entity(1)), (step(2), None));
        let needed = second.entity(0).cloned();
        let merged = second.with_values(needed.clone()).expect("values");
        let names = [("page", "b"), ("id", "1"), ("page", "a"), ("id", "1")];
        assert_eq!(merged.captured, values(&names), "the latest value of a name comes first");
        assert!(Arc::ptr_eq(merged.source(), &needed.expect("an entity")));
        assert!(Progress::after(Some(second), step(2), 3, &[], None).is_none(), "the last step ends it");
    }

    #[test]
    fn a_first_step_begins_anew() {
        let step = |number| Step { session: 0, number };
        let old = Progress::after(None, step(0), 3, &values(&[("id", "1")]), None);
        let new = Progress::after(old, step(0), 3, &[], None).expect("goes on");
        assert!(new.with_values(None).is_none());
    }
}
