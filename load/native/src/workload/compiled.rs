//! A plan's workload, compiled: event = f(seed, user, sequence).

use std::sync::Arc;

use super::event::{Entity, Event, Step, Wanted};
use super::operation::{Operation, refuse_draws};
use super::pool::Pool;
use super::session::{Progress, Session};
use super::user::UserState;
use crate::message::Descriptors;
use crate::plan::{self, EntityPick, Owner, Pick, Plan, PlanError, Protocol, Reuse};
use crate::random::{Draws, zipf_index};
use crate::template::{SlotTable, Template};

/// A kind of keys.
#[derive(Debug)]
pub struct KeyKind {
    pub format: Template,
    pub slots: SlotTable,
    pub reuse: Option<Reuse>,
}

/// Everything of a plan that decides what is sent.
#[derive(Debug)]
pub struct Workload {
    pub seed: u64,
    pub base_time_ms: i64,
    pub run: Vec<u8>,
    pub size: Option<usize>,
    pub operations: Vec<Operation>,
    pub keys: Vec<KeyKind>,
    /// Kinds of captured entities.
    pub kinds: Vec<String>,
    pub descriptors: Option<Descriptors>,
    /// By kind of entities: those of all users, where an operation uses them.
    pub pools: Vec<Option<Pool>>,
    pub sessions: Vec<Session>,
    /// Of the operations, then of the sessions.
    cumulative_weights: Vec<u64>,
    /// The same without operations that have their own rate.
    weights_without_rates: Vec<u64>,
    /// The operation that each user sends first.
    login: Option<usize>,
}

impl Workload {
    /// Compiles what a plan sends.
    ///
    /// # Errors
    /// A template or an operation makes no sense for the plan's protocol.
    pub fn compile(plan: &Plan) -> Result<Self, PlanError> {
        let descriptors = match (&plan.proto, plan.transport.protocol) {
            (Some(proto), Protocol::Grpc) => Some(Descriptors::from_base64(&proto.descriptor_set)?),
            (None, Protocol::Grpc) => return Err(PlanError::rule("proto: required with protocol grpc")),
            (_, Protocol::Http) => None,
        };
        Self::compile_with(plan, Some(plan.transport.protocol), descriptors)
    }

    /// The operations that cannot be compiled, each with the reason; none for the plan as a whole.
    #[must_use]
    pub fn faults(plan: &Plan) -> Vec<(Option<String>, PlanError)> {
        let protocol = plan.transport.protocol;
        let descriptors = match (&plan.proto, protocol) {
            (Some(proto), Protocol::Grpc) => match Descriptors::from_base64(&proto.descriptor_set) {
                Ok(descriptors) => Some(descriptors),
                Err(error) => return vec![(None, error)],
            },
            _ => None,
        };
        let kinds = entity_kinds(plan);
        let fault = |operation: &plan::Operation| {
            let compiled = Operation::compile(operation, Some(protocol), &kinds, descriptors.as_ref());
            compiled.err().map(|error| (Some(operation.name.clone()), error))
        };
        plan.operations.iter().filter_map(fault).collect()
    }

    /// Compiles the messages alone, for an audit: whatever the protocol, the same is stored.
    ///
    /// # Errors
    /// A template makes no sense.
    pub fn compile_messages(plan: &Plan) -> Result<Self, PlanError> {
        Self::compile_with(plan, None, None)
    }

    fn compile_with(
        plan: &Plan,
        protocol: Option<Protocol>,
        descriptors: Option<Descriptors>,
    ) -> Result<Self, PlanError> {
        let kinds = entity_kinds(plan);
        let compile = |operation| Operation::compile(operation, protocol, &kinds, descriptors.as_ref());
        let operations = plan.operations.iter().map(compile).collect::<Result<Vec<_>, _>>()?;
        let sessions = plan.sessions.iter().map(|session| Session::compile(session, operations.len()));
        let sessions = sessions.collect::<Result<_, _>>()?;
        let is_pooled = |kind: usize| {
            let uses = |operation: &Operation| operation.pick.is_some_and(|pick| pick.of == Owner::Any);
            operations.iter().any(|operation| operation.needs == Some(kind) && uses(operation))
        };
        let pools = (0..kinds.len()).map(|kind| is_pooled(kind).then(Pool::default)).collect();
        let workload = Self {
            pools,
            seed: plan.seed_number(),
            base_time_ms: plan.base_time_ms,
            run: plan.run.clone().into_bytes(),
            size: plan.size_bytes.map(|size| size as usize),
            sessions,
            cumulative_weights: cumulative_weights(plan, |_| true),
            weights_without_rates: cumulative_weights(plan, |operation| operation.rate.is_none()),
            keys: plan.keys.iter().map(compile_key).collect::<Result<_, _>>()?,
            login: operations.iter().position(|operation: &Operation| operation.is_login),
            operations,
            kinds,
            descriptors,
        };
        workload.check_needs()?;
        Ok(workload)
    }

    /// A user of this workload that knows nothing yet.
    #[must_use]
    pub fn new_user(&self) -> UserState {
        UserState::new(self.keys.len(), self.kinds.len())
    }

    fn check_needs(&self) -> Result<(), PlanError> {
        let unmet = |operation: &&Operation| operation.needs.is_some_and(|kind| self.creator_of(kind).is_none());
        match self.operations.iter().find(unmet) {
            Some(operation) => {
                Err(PlanError::rule(format!("operations: nothing creates what {} needs", operation.name)))
            }
            None => Ok(()),
        }
    }

    fn creator_of(&self, kind: usize) -> Option<usize> {
        self.operations.iter().position(|operation| operation.creates == Some(kind) && operation.needs != Some(kind))
    }

    /// Chooses a user's event of this sequence; the draws that remain are its slots'.
    pub(super) fn choose(&self, user: u32, state: &UserState, sequence: u32, wanted: Wanted) -> (Event, usize, Draws) {
        let mut draws = Draws::of_event(self.seed, user, sequence);
        let (index, step) = self.next_operation(&mut draws, state, wanted);
        let operation = &self.operations[index];
        let variant = draws.below(operation.variants.len() as u64) as usize;
        let (reuse, pick) = (draws.unit(), draws.unit());
        let picked = operation.key.and_then(|kind| self.pick_key(kind, state, reuse, pick));
        let (key_sequence, is_shared) = picked.unwrap_or((sequence, false));
        let session = state.session().filter(|_| step.is_some_and(|step| step.number > 0));
        let needed = operation.needs.and_then(|kind| self.needed_entity(kind, operation.pick, state, session, pick));
        let entity = match session {
            Some(session) => session.with_values(needed),
            None => needed,
        };
        (Event { sequence, operation: index as u16, key_sequence, is_shared, entity, step }, variant, draws)
    }

    /// A user's event of this sequence.
    #[must_use]
    pub fn next_event(&self, user: u32, state: &UserState, sequence: u32, wanted: Wanted) -> Event {
        self.choose(user, state, sequence, wanted).0
    }

    /// The same event again, from what a ledger remembers of it.
    pub(super) fn recall(&self, user: u32, event: &Event) -> (usize, Draws) {
        let mut draws = Draws::of_event(self.seed, user, event.sequence);
        // That of the operation.
        draws.draw();
        let variants = self.operations[usize::from(event.operation)].variants.len();
        let variant = draws.below(variants as u64) as usize;
        draws.draw();
        draws.draw();
        (variant, draws)
    }

    /// The operation that a user sends next, and its place where it is a step of a session: a session that was begun
    /// goes on before another choice is made.
    fn next_operation(&self, draws: &mut Draws, state: &UserState, wanted: Wanted) -> (usize, Option<Step>) {
        let weights =
            if wanted == Wanted::DrawnWithoutRates { &self.weights_without_rates } else { &self.cumulative_weights };
        let drawn = draw(weights, draws);
        if let Wanted::Operation(operation) = wanted {
            return (self.possible_operation(usize::from(operation), state, None), None);
        }
        let begun =
            || drawn.checked_sub(self.operations.len()).map(|session| Step { session: session as u16, number: 0 });
        let Some(step) = state.session().map(|session| session.next).or_else(begun) else {
            return (self.possible_operation(drawn, state, None), None);
        };
        let chosen = self.sessions[usize::from(step.session)].steps[usize::from(step.number)];
        let index = self.possible_operation(chosen, state, state.session());
        // The request that a step needs first is no step.
        (index, (index == chosen).then_some(step))
    }

    /// A user without a login logs in first. An operation that needs what this user does not have is replaced by the first
    /// one that creates it; so is that one in turn.
    fn possible_operation(&self, chosen: usize, state: &UserState, session: Option<&Progress>) -> usize {
        if let Some(login) = self.login.filter(|_| state.login().is_none()) {
            return login;
        }
        let creator_of_lacking = |index: &usize| {
            let operation = &self.operations[*index];
            let kind = operation.needs?;
            let lacks = self.needed_entity(kind, operation.pick, state, session, 0.0).is_none();
            lacks.then(|| self.creator_of(kind)).flatten()
        };
        // More steps than kinds would be a circle.
        std::iter::successors(Some(chosen), creator_of_lacking).take(self.kinds.len() + 1).last().unwrap_or(chosen)
    }

    /// The entity that an operation uses: the one that its session created, or any that it may pick.
    fn needed_entity(
        &self,
        kind: usize,
        rule: Option<EntityPick>,
        state: &UserState,
        session: Option<&Progress>,
        drawn: f64,
    ) -> Option<Arc<Entity>> {
        let own = session.and_then(|session| session.entity(kind)).cloned();
        own.or_else(|| self.pick_entity(kind, rule, state, drawn))
    }

    /// A captured entity of a kind: of the user's own, or of all users'.
    fn pick_entity(&self, kind: usize, rule: Option<EntityPick>, state: &UserState, drawn: f64) -> Option<Arc<Entity>> {
        let index = |count: usize| match rule {
            Some(EntityPick { pick: Pick::Zipf, s, .. }) => zipf_index(drawn, count, s),
            _ => (drawn * count as f64) as usize,
        };
        match (&self.pools[kind], rule) {
            (Some(pool), Some(EntityPick { of: Owner::Any, .. })) => pool.pick(index),
            _ => {
                let known = state.entities(kind);
                if known.is_empty() { None } else { known.get(index(known.len())).cloned() }
            }
        }
    }

    /// The sequence of a key that is used again, and whether all users share it.
    fn pick_key(&self, kind: usize, state: &UserState, reuse: f64, pick: f64) -> Option<(u32, bool)> {
        let rule = self.keys[kind].reuse?;
        let own = state.keys(kind);
        let count = rule.shared.map_or(own.len(), |count| count as usize);
        if reuse >= rule.share || count == 0 {
            return None;
        }
        let index = match rule.pick {
            Pick::Uniform => (pick * count as f64) as usize,
            Pick::Zipf => zipf_index(pick, count, rule.s),
        };
        Some(if rule.shared.is_some() { (index as u32, true) } else { (own.get(index), false) })
    }
}

/// Of the operations that take part, then of the sessions.
fn cumulative_weights(plan: &Plan, takes_part: impl Fn(&plan::Operation) -> bool) -> Vec<u64> {
    let operations = plan.operations.iter().map(|each| if takes_part(each) { each.weight } else { 0 });
    let weights = operations.chain(plan.sessions.iter().map(|session| session.weight));
    let sums = weights.scan(0, |sum, weight| {
        *sum += u64::from(weight);
        Some(*sum)
    });
    sums.collect()
}

/// The index of what is drawn by its weight; one draw, whatever the weights.
fn draw(cumulative: &[u64], draws: &mut Draws) -> usize {
    let drawn = draws.below(cumulative.last().copied().unwrap_or(0).max(1));
    cumulative.iter().position(|weight| *weight > drawn).unwrap_or(0)
}

fn entity_kinds(plan: &Plan) -> Vec<String> {
    let named = plan.operations.iter().flat_map(|operation| [&operation.creates, &operation.needs]).flatten();
    let mut kinds: Vec<String> = named.cloned().collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

fn compile_key(kind: &plan::KeyKind) -> Result<KeyKind, PlanError> {
    let mut slots = SlotTable::default();
    let format = Template::compile(&kind.format, &mut slots)?;
    refuse_draws(&slots, "keys: a format")?;
    if slots.foreign_values().next().is_some() {
        return Err(PlanError::rule("keys: a format takes no value"));
    }
    Ok(KeyKind { format, slots, reuse: kind.reuse })
}
