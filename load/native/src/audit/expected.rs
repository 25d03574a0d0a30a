//! What must be stored, by plan and ledger.

use std::collections::hash_map::Entry;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::AuditError;
use super::json::pointed;
use super::judge::{Judgement, Step, judge, last_document};
use super::rows::Row;
use super::shared::judge_shared;
use crate::ledger::{Ledger, Outcome, Record, ledger_files};
use crate::plan::Plan;
use crate::workload::{Event, Renderer, Workload};

/// Operations of a run by the entity that they touch.
#[derive(Debug)]
pub struct Expected {
    renderer: Renderer,
    records: Vec<Record>,
    /// The record of the same entity that follows; `NONE` after the last.
    following: Vec<u32>,
    entities: FxHashMap<u128, Entity>,
    pub acknowledged: u64,
    pub unknown: u64,
    /// Operations of which it cannot be known what they touch.
    pub untraceable: u64,
    pub is_complete: bool,
    /// Rows that were there before, and must still be.
    pub preloaded: u64,
    key: Vec<u8>,
    message: Vec<u8>,
    steps: Vec<Step>,
}

#[derive(Debug, Clone, Copy)]
struct Entity {
    first: u32,
    last: u32,
    was_seen: bool,
}

const NONE: u32 = u32::MAX;

impl Expected {
    /// Reads the plan and its ledger, or the ledgers in a folder: those of several engines that carried it out together.
    ///
    /// # Errors
    /// One of them cannot be used, or they do not belong together.
    pub fn read(plan: &Path, ledger: &Path) -> Result<Self, AuditError> {
        let plan = Plan::read(plan)?;
        let workload = Arc::new(Workload::compile_messages(&plan)?);
        let mut expected = Self {
            renderer: Renderer::new(workload),
            records: Vec::new(),
            following: Vec::new(),
            entities: FxHashMap::default(),
            acknowledged: 0,
            unknown: 0,
            untraceable: 0,
            is_complete: true,
            preloaded: plan.preload,
            key: Vec::new(),
            message: Vec::new(),
            steps: Vec::new(),
        };
        for file in ledger_files(ledger)? {
            expected.read_ledger(&file)?;
        }
        Ok(expected)
    }

    fn read_ledger(&mut self, path: &Path) -> Result<(), AuditError> {
        let ledger = Ledger::open(path)?;
        let workload = self.renderer.workload();
        let operations = workload.operations.len();
        let mut is_foreign = ledger.seed != workload.seed || ledger.run != workload.run;
        if !is_foreign {
            self.is_complete &= ledger.read(|record| {
                if usize::from(record.event.operation) < operations {
                    self.add(record);
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

    fn add(&mut self, record: Record) {
        match record.outcome {
            Outcome::Acknowledged => self.acknowledged += 1,
            Outcome::Unknown => self.unknown += 1,
        }
        let is_traceable = record.outcome == Outcome::Acknowledged || !self.key_is_captured(&record.event);
        self.key.clear();
        let has_key = self.renderer.effect_key(record.user, &record.event, record.own.as_deref(), &mut self.key);
        if !has_key || !is_traceable {
            self.untraceable += 1;
            return;
        }
        let index = self.records.len() as u32;
        self.records.push(record);
        self.following.push(NONE);
        match self.entities.entry(digest(&self.key)) {
            Entry::Occupied(mut entity) => {
                let entity = entity.get_mut();
                self.following[entity.last as usize] = index;
                entity.last = index;
            }
            Entry::Vacant(place) => {
                place.insert(Entity { first: index, last: index, was_seen: false });
            }
        }
    }

    /// Whether the key comes from a reply that, not acknowledged, never came.
    fn key_is_captured(&self, event: &Event) -> bool {
        let operation = &self.renderer.workload().operations[usize::from(event.operation)];
        operation.creates.is_some() && event.entity.is_none() && operation.key.is_none()
    }

    /// Judges a row; none for a row that nothing explains.
    pub fn judge_row(&mut self, row: &Row<'_>) -> Option<Judgement> {
        let Some(entity) = self.entities.get_mut(&digest(row.key)) else {
            self.steps.clear();
            return None;
        };
        entity.was_seen = true;
        let first = entity.first;
        Some(self.judge(first, Some(row.document.trim_ascii())))
    }

    /// What the acknowledged operations of the entity judged last leave behind, as JSON; none when it is deleted.
    #[must_use]
    pub fn last_document(&self) -> Option<String> {
        last_document(&self.steps)
    }

    /// Judges the entities without a row.
    pub fn judge_absent(&mut self) -> Vec<(Vec<u8>, Judgement)> {
        let absent: Vec<u32> =
            self.entities.values().filter(|entity| !entity.was_seen).map(|entity| entity.first).collect();
        let mut judged = Vec::new();
        for first in absent {
            let judgement = self.judge(first, None);
            let record = self.records[first as usize].clone();
            if judgement != Judgement::Right {
                let mut key = Vec::new();
                self.renderer.effect_key(record.user, &record.event, record.own.as_deref(), &mut key);
                judged.push((key, judgement));
            }
        }
        judged.sort_by(|left, right| left.0.cmp(&right.0));
        judged
    }

    /// Judges an entity by its operations: in their order, or, where users shared its key, in any.
    fn judge(&mut self, first: u32, row: Option<&[u8]>) -> Judgement {
        self.replay(first);
        if self.records[first as usize].event.is_shared {
            judge_shared(&self.steps, row)
        } else {
            judge(&self.steps, row)
        }
    }

    /// Renders the entity's operations anew into `steps`.
    fn replay(&mut self, first: u32) {
        let workload = Arc::clone(self.renderer.workload());
        let mut count = 0;
        let mut index = first;
        while index != NONE {
            let record = &self.records[index as usize];
            let Some(effect) = &workload.operations[usize::from(record.event.operation)].effect else {
                break;
            };
            self.renderer.recall(record.user, &record.event);
            self.message.clear();
            self.renderer.json(&mut self.message);
            let document = pointed(&self.message, &effect.document).unwrap_or_default();
            if self.steps.len() == count {
                self.steps.push(Step { user: 0, kind: effect.kind, document: Vec::new(), is_unknown: false });
            }
            let step = &mut self.steps[count];
            step.user = record.user;
            step.kind = effect.kind;
            step.is_unknown = record.outcome == Outcome::Unknown;
            step.document.clear();
            step.document.extend_from_slice(document);
            count += 1;
            index = self.following[index as usize];
        }
        self.steps.truncate(count);
    }
}

/// 128 bits of a key, so that no two of any number of keys in practice are the same.
fn digest(key: &[u8]) -> u128 {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        salt.hash(&mut hasher);
        key.hash(&mut hasher);
        hasher.finish()
    };
    u128::from(half(1)) << 64 | u128::from(half(2))
}
