//! Audits through the target's own reads: asks for every entity that the run touched, with an operation of the plan.

use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::address::{Address, resolve};
use super::calls;
use super::client::{Answer, Client};
use super::composer::Composer;
use super::error::EngineError;
use super::logins::{Logins, ask};
use super::run::{TargetCalls, with_target};
use super::verified_reads::ReadRules;
use crate::audit::expected::{Expected, Link};
use crate::audit::judge::Judgement;
use crate::audit::replay::Replay;
use crate::audit::rows::Row;
use crate::audit::verdict::Findings;
use crate::audit::{AuditError, Verdict};
use crate::plan::Plan;
use crate::reply::ReplyRules;
use crate::template::Slot;
use crate::wire::{Reply, Wire};
use crate::workload::{Entity, Event, Workload};

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

/// The state that all readers share.
struct Reads<'a> {
    expected: &'a Expected,
    plan: &'a Plan,
    workload: Arc<Workload>,
    ways: Vec<Way>,
    /// Sent once for all readers.
    logins: Option<Mutex<Logins>>,
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
    let logins = Logins::of(&plan, &workload)?.map(Mutex::new);
    let reads = Reads {
        expected: &expected,
        plan: &plan,
        workload: Arc::clone(&workload),
        ways,
        logins,
        entities,
        next,
        checked,
        examples,
    };
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
        let mut composer = Composer::new(self.plan, Arc::clone(&self.workload))?;
        let mut key = Vec::new();
        while let Some(last) = self.entities.get(self.next.fetch_add(1, Ordering::Relaxed)) {
            let link = self.expected.link(*last);
            key.clear();
            replay.key_of(link, &mut key);
            let Some((way, event)) = self.way_to(&mut composer, link, &key) else { continue };
            self.checked.fetch_add(1, Ordering::Relaxed);
            let document = self.read(client, &mut composer, link.record.user, way, &event)?;
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
    fn way_to(&self, composer: &mut Composer, link: &Link, key: &[u8]) -> Option<(&Way, Event)> {
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
            composer.texts(record.user, &event, texts, &mut shown);
            (shown == key).then_some((way, event))
        })
    }

    /// The document that the target shows for the entity of an event; none when it shows none.
    fn read<W: Wire>(
        &self,
        client: &mut Client<W>,
        composer: &mut Composer,
        user: u32,
        way: &Way,
        event: &Event,
    ) -> Result<Option<Vec<u8>>, AuditError> {
        let login = match &self.logins {
            Some(logins) if way.needs_login => {
                let logins = &mut *logins.lock().unwrap_or_else(PoisonError::into_inner);
                Some(logins.values(client, composer, user).map_err(AuditError::Reads)?)
            }
            _ => None,
        };
        let asked = ask(client, composer, user, event, login.as_deref());
        let (path, Answer { code, head, body }) = asked.map_err(AuditError::Reads)?;
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
}
