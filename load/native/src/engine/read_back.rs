//! Audits through the target's own reads: asks for every entity that the run touched, with an operation of the plan.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::address::{Address, resolve};
use super::calls;
use super::client::{Answer, Client};
use super::error::EngineError;
use super::run::{TargetCalls, with_target};
use super::verified_reads::ReadRules;
use crate::audit::expected::{Expected, Link};
use crate::audit::judge::Judgement;
use crate::audit::replay::Replay;
use crate::audit::rows::Row;
use crate::audit::verdict::Findings;
use crate::audit::{AuditError, Verdict};
use crate::plan::Plan;
use crate::reply::{Accepted, ReplyRules};
use crate::template::Slot;
use crate::wire::{Reply, Request, Wire};
use crate::workload::{Entity, Event, Renderer, UserState, Workload};

/// Connections that read at the same time.
const READERS: usize = 8;
const TIMEOUT: Duration = Duration::from_secs(30);

/// An operation that shows the documents of one kind of entity.
struct Way {
    operation: usize,
    rules: ReplyRules,
    shown: ReadRules,
    needs_login: bool,
}

/// The workload's login, and the values that it captured for each user.
struct Login {
    operation: u16,
    rules: ReplyRules,
    users: HashMap<u32, Arc<Entity>>,
}

/// The state that all readers share.
struct Reads<'a> {
    expected: &'a Expected,
    workload: Arc<Workload>,
    ways: Vec<Way>,
    login: Option<Mutex<Login>>,
    entities: Vec<u32>,
    next: AtomicUsize,
    checked: AtomicU64,
    examples: usize,
}

/// Compares what the target shows with the state that plan and ledger require, by operations that read: each entity by
/// the first of them whose `reads` has its key.
///
/// Reads that need a login are those of the user who wrote the entity.
///
/// Of more entities than `most` a sample is read: which ones depends on nothing but hashes of their keys.
///
/// # Errors
/// An input cannot be used, or the target does not answer; violations are part of the verdict, not errors.
pub fn audit_through(
    plan: &Path,
    ledger: &Path,
    operations: &[String],
    most: usize,
    examples: usize,
) -> Result<Verdict, AuditError> {
    let begun = Instant::now();
    let expected = Expected::read(plan, ledger)?;
    let plan = Plan::read(plan)?;
    let workload = Arc::new(Workload::compile(&plan)?);
    let ways = operations.iter().map(|name| way(&plan, &workload, name)).collect::<Result<_, _>>()?;
    let entities = expected.last_operations().take(most).collect();
    let (next, checked) = (AtomicUsize::new(0), AtomicU64::new(0));
    let login = login(&plan, &workload)?.map(Mutex::new);
    let reads =
        Reads { expected: &expected, workload: Arc::clone(&workload), ways, login, entities, next, checked, examples };
    let failed = |error: EngineError| AuditError::Reads(error.to_string());
    let address = resolve(&plan.transport).map_err(failed)?;
    let found = with_target(&plan, &workload, Readers { reads: &reads, address }).map_err(failed)??;
    Ok(Verdict::new(begun, &expected, found).of_sample(reads.checked.into_inner()))
}

fn way(plan: &Plan, workload: &Workload, name: &str) -> Result<Way, AuditError> {
    let wrong = |reason: &str| AuditError::Reads(format!("the operation {name} {reason}"));
    let operation = workload.operations.iter().position(|operation| operation.name == name);
    let operation = operation.ok_or_else(|| wrong("does not exist"))?;
    let is_login = |slot: &Slot| matches!(slot, Slot::Login(_));
    let mut variants = workload.operations[operation].variants.iter();
    let needs_login = variants.any(|variant| variant.slots.slots().iter().any(is_login));
    let shown = calls::read_rules(plan)?.swap_remove(operation).ok_or_else(|| wrong("has no reads"))?;
    Ok(Way { operation, rules: calls::rules(plan, workload)?.swap_remove(operation), shown, needs_login })
}

fn login(plan: &Plan, workload: &Workload) -> Result<Option<Login>, AuditError> {
    let Some(operation) = workload.operations.iter().position(|operation| operation.is_login) else { return Ok(None) };
    let rules = calls::rules(plan, workload)?.swap_remove(operation);
    Ok(Some(Login { operation: operation as u16, rules, users: HashMap::new() }))
}

struct Readers<'a> {
    reads: &'a Reads<'a>,
    address: Address,
}

impl TargetCalls for Readers<'_> {
    type Outcome = Result<Findings, AuditError>;

    fn call<W: Wire>(self, shared: &Arc<W::Shared>) -> Self::Outcome {
        let reads = self.reads;
        std::thread::scope(|scope| {
            let reader = || reads.judge_all(&mut Client::<W>::new(Arc::clone(shared), self.address.clone(), TIMEOUT));
            let readers: Vec<_> = (0..READERS.min(reads.entities.len())).map(|_| scope.spawn(reader)).collect();
            let mut found = Findings::new(reads.examples);
            for reader in readers {
                found.merge(reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?);
            }
            Ok(found)
        })
    }
}

impl Reads<'_> {
    fn judge_all<W: Wire>(&self, client: &mut Client<W>) -> Result<Findings, AuditError> {
        let mut replay = Replay::new(self.expected);
        let mut found = Findings::new(self.examples);
        let mut renderer = Renderer::new(Arc::clone(&self.workload));
        let mut key = Vec::new();
        while let Some(last) = self.entities.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let link = self.expected.link(*last);
            key.clear();
            replay.key_of(link, &mut key);
            let Some((way, event)) = self.way_to(&mut renderer, link, &key) else { continue };
            self.checked.fetch_add(1, Ordering::Relaxed);
            let document = self.read(client, &mut renderer, link.record.user, way, &event)?;
            let judgement = replay.judge_shown(*last, document.as_deref());
            match &document {
                Some(document) => {
                    found.take(&Row { key: &key, document }, Some(judgement), || replay.last_document());
                }
                None if judgement == Judgement::Right => {}
                None => found.take_absent(&key, judgement),
            }
        }
        Ok(found)
    }

    /// The operation that reads the entity with this key, and the event that asks for it; none where no operation does.
    fn way_to(&self, renderer: &mut Renderer, link: &Link, key: &[u8]) -> Option<(&Way, Event)> {
        let record = &link.record;
        let captured = record.own.iter().chain(&record.event.entity).flat_map(|entity| entity.captured.iter().cloned());
        let entity = Entity { captured: captured.collect(), ..Entity::default() };
        let is_known = |slot: &Slot| !matches!(slot, Slot::Captured(name) if entity.value(name).is_none());
        self.ways.iter().find_map(|way| {
            let texts = self.workload.operations[way.operation].reads.as_ref()?;
            if !texts.slots.slots().iter().all(is_known) {
                return None;
            }
            let entity = Some(Arc::new(Entity { captured: entity.captured.clone(), ..Entity::default() }));
            let event = Event { operation: way.operation as u16, entity, ..record.event.clone() };
            let mut shown = Vec::with_capacity(key.len());
            renderer.texts(record.user, &event, None, texts, &mut shown);
            (shown == key).then_some((way, event))
        })
    }

    /// The document that the target shows for the entity of an event; none when it shows none.
    fn read<W: Wire>(
        &self,
        client: &mut Client<W>,
        renderer: &mut Renderer,
        user: u32,
        way: &Way,
        event: &Event,
    ) -> Result<Option<Vec<u8>>, AuditError> {
        let login = if way.needs_login { self.login_of(client, renderer, user)? } else { None };
        renderer.recall_logged_in(user, event, login.as_deref());
        let (path, Answer { code, head, body }) = self.ask(client, renderer, way.operation)?;
        let failed = |reason: String| AuditError::Reads(format!("{path}: {reason}"));
        if way.shown.absent == Some(code) {
            return Ok(None);
        }
        if !way.rules.expects(code) {
            return Err(failed(format!("replied {}", code.name())));
        }
        let content = way.rules.content(&Reply { tag: 0, outcome: Ok(code), head: &head, body: &body });
        Ok(Some(way.shown.document.find(&content).unwrap_or(b"\"\"").to_vec()))
    }

    /// The values of a user's login, which is sent once for all readers.
    fn login_of<W: Wire>(
        &self,
        client: &mut Client<W>,
        renderer: &mut Renderer,
        user: u32,
    ) -> Result<Option<Arc<Entity>>, AuditError> {
        let Some(login) = &self.login else { return Ok(None) };
        let login = &mut *login.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = login.users.get(&user) {
            return Ok(Some(Arc::clone(known)));
        }
        let (sequence, operation) = (0, login.operation);
        let event = Event { sequence, operation, key_sequence: 0, is_shared: false, entity: None, step: None };
        renderer.recall(user, &event);
        let (path, Answer { code, head, body }) = self.ask(client, renderer, usize::from(operation))?;
        let reply = Reply { tag: 0, outcome: Ok(code), head: &head, body: &body };
        let outcome = login.rules.inspect(code, &reply, |_| (), None, &UserState::default()).outcome;
        match outcome.map(|accepted| accepted.with(renderer.sent_values(user, &event))) {
            Ok(Accepted::Expected(captured)) => {
                let captured = Arc::new(captured.unwrap_or_default());
                login.users.insert(user, Arc::clone(&captured));
                Ok(Some(captured))
            }
            _ => Err(AuditError::Reads(format!("{path}: the login replied {}", code.name()))),
        }
    }

    /// Sends what was rendered, and returns its path with the answer.
    fn ask<W: Wire>(
        &self,
        client: &mut Client<W>,
        renderer: &mut Renderer,
        operation: usize,
    ) -> Result<(String, Answer), AuditError> {
        let (mut path, mut headers, mut body) = (Vec::new(), Vec::new(), Vec::new());
        renderer.path(&mut path);
        renderer.headers(&mut headers);
        if self.workload.descriptors.is_some() {
            renderer.protobuf(&mut body)
        } else {
            renderer.json(&mut body)
        }
        let request = Request { tag: 0, call: operation, path: &path, headers: &headers, body: &body };
        let shown = String::from_utf8_lossy(&path).into_owned();
        let answer = client.ask(&request).map_err(|error| AuditError::Reads(format!("{shown}: {error}")))?;
        Ok((shown, answer))
    }
}
