//! The state that plan and ledger require.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use super::error::AuditError;
use crate::ledger::{Ledger, Outcome, Record, ledger_files};
use crate::plan::Plan;
use crate::workload::{Event, Renderer, Workload};

/// Operations of a run by the entity that they touch.
#[derive(Debug)]
pub(crate) struct Expected {
    pub workload: Arc<Workload>,
    links: Vec<Link>,
    entities: FxHashMap<u128, Entity>,
    pub acknowledged: u64,
    pub unknown: u64,
    /// Operations whose entity is unknown.
    pub untraceable: u64,
    pub is_complete: bool,
    /// Rows inserted before the run, which must still exist.
    pub preloaded: u64,
}

/// A record, and the index of the one before it that touched the same entity; `NONE` for the first.
#[derive(Debug)]
pub(crate) struct Link {
    pub record: Record,
    pub previous: u32,
}

#[derive(Debug)]
struct Entity {
    last: u32,
    was_seen: AtomicBool,
}

pub(crate) const NONE: u32 = u32::MAX;

impl Expected {
    /// Reads the plan and its ledger, or the ledgers in a folder: those of several engines that carried it out together.
    ///
    /// # Errors
    /// One of them cannot be used, or they do not belong together.
    pub fn read(plan: &Path, ledger: &Path) -> Result<Self, AuditError> {
        let plan = Plan::read(plan)?;
        let workload = Arc::new(Workload::compile_messages(&plan)?);
        let mut expected = Self {
            workload,
            links: Vec::new(),
            entities: FxHashMap::default(),
            acknowledged: 0,
            unknown: 0,
            untraceable: 0,
            is_complete: true,
            preloaded: plan.preload,
        };
        let mut keys = Keys { renderer: Renderer::new(Arc::clone(&expected.workload)), key: Vec::new() };
        for file in ledger_files(ledger)? {
            expected.read_ledger(&file, &mut keys)?;
        }
        Ok(expected)
    }

    fn read_ledger(&mut self, path: &Path, keys: &mut Keys) -> Result<(), AuditError> {
        let ledger = Ledger::open(path)?;
        let operations = self.workload.operations.len();
        let mut is_foreign = ledger.seed != self.workload.seed || ledger.run != self.workload.run;
        if !is_foreign {
            self.is_complete &= ledger.read(|record| {
                if usize::from(record.event.operation) < operations {
                    self.add(record, keys);
                } else {
                    is_foreign = true;
                }
            })?;
        }
        if is_foreign { Err(AuditError::OtherRun { ledger: path.display().to_string() }) } else { Ok(()) }
    }

    /// Entities that the run touched.
    #[must_use]
    pub fn entities(&self) -> usize {
        self.entities.len()
    }

    fn add(&mut self, record: Record, keys: &mut Keys) {
        match record.outcome {
            Outcome::Acknowledged => self.acknowledged += 1,
            Outcome::Unknown => self.unknown += 1,
        }
        let is_traceable = record.outcome == Outcome::Acknowledged || !self.key_is_captured(&record.event);
        let Some(key) = keys.digest(&record).filter(|_| is_traceable) else {
            self.untraceable += 1;
            return;
        };
        let index = self.links.len() as u32;
        let entity = self.entities.entry(key).or_insert(Entity { last: NONE, was_seen: AtomicBool::new(false) });
        let previous = std::mem::replace(&mut entity.last, index);
        self.links.push(Link { record, previous });
    }

    /// Whether the key depends on a reply that never arrived.
    fn key_is_captured(&self, event: &Event) -> bool {
        let operation = &self.workload.operations[usize::from(event.operation)];
        operation.creates.is_some() && event.entity.is_none() && operation.key.is_none()
    }

    /// The index of the last operation on the entity with this key, of which it is noted that it has a row.
    pub fn seen(&self, key: &[u8]) -> Option<u32> {
        let entity = self.entities.get(&digest(key))?;
        entity.was_seen.store(true, Ordering::Relaxed);
        Some(entity.last)
    }

    /// Indices of the last operations on the entities without a row.
    pub fn unseen(&self) -> impl Iterator<Item = u32> {
        self.entities.values().filter(|entity| !entity.was_seen.load(Ordering::Relaxed)).map(|entity| entity.last)
    }

    /// Indices of the last operations on all entities.
    pub fn last_operations(&self) -> impl Iterator<Item = u32> {
        self.entities.values().map(|entity| entity.last)
    }

    /// An operation by its index.
    pub fn link(&self, index: u32) -> &Link {
        &self.links[index as usize]
    }
}

/// Renders the keys of operations.
struct Keys {
    renderer: Renderer,
    key: Vec<u8>,
}

impl Keys {
    /// Of the entity that an operation touches; none where it touches none.
    fn digest(&mut self, record: &Record) -> Option<u128> {
        self.key.clear();
        let has_key = self.renderer.effect_key(record.user, &record.event, record.own.as_deref(), &mut self.key);
        has_key.then(|| digest(&self.key))
    }
}

/// 128 bits of a key: in practice no two keys are equal.
fn digest(key: &[u8]) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        key.hash(&mut hasher);
        hasher.finish()
    };
    u128::from(half(1)) << 64 | u128::from(half(2))
}
