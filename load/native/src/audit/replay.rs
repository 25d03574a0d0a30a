//! Compares rows with the state that the operations on their entities leave; the operations are rendered again.

use std::sync::Arc;

use super::expected::{Expected, Link, NONE};
use super::judge::{Judgement, Step, judge, judge_reply, last_document};
use super::rows::Row;
use super::shared::judge_shared;
use crate::ledger::Outcome;
use crate::workload::Renderer;

/// Checks rows one at a time; several threads may each have one.
pub(crate) struct Replay<'a> {
    expected: &'a Expected,
    renderer: Renderer,
    message: Vec<u8>,
    /// The operations on the entity checked last, in their order.
    steps: Vec<Step>,
}

impl<'a> Replay<'a> {
    pub fn new(expected: &'a Expected) -> Self {
        let renderer = Renderer::new(Arc::clone(&expected.workload));
        Self { expected, renderer, message: Vec::new(), steps: Vec::new() }
    }

    /// Checks a row; none for a row that no operation explains.
    pub fn judge_row(&mut self, row: &Row<'_>) -> Option<Judgement> {
        let Some(last) = self.expected.seen(row.key) else {
            self.steps.clear();
            return None;
        };
        Some(self.judge(last, Some(row.document.trim_ascii())))
    }

    /// The state that acknowledged operations leave of the entity checked last, as JSON; none when it is deleted.
    pub fn last_document(&self) -> Option<String> {
        last_document(&self.steps)
    }

    /// Checks the entities without a row, once all rows have been checked.
    pub fn judge_absent(&mut self) -> Vec<(Vec<u8>, Judgement)> {
        let mut judged = Vec::new();
        for last in self.expected.unseen() {
            let judgement = self.judge(last, None);
            if judgement != Judgement::Right {
                let Link { record, .. } = self.expected.link(last);
                let mut key = Vec::new();
                self.renderer.effect_key(record.user, &record.event, record.own.as_deref(), &mut key);
                judged.push((key, judgement));
            }
        }
        judged.sort_by(|left, right| left.0.cmp(&right.0));
        judged
    }

    /// Checks what a reply shows of an entity, or that it shows nothing; members that no operation wrote are the target's.
    pub fn judge_shown(&mut self, last: u32, shown: Option<&[u8]>) -> Judgement {
        self.replay(last);
        if self.expected.link(last).record.event.is_shared {
            return judge_shared(&self.steps, shown);
        }
        judge_reply(&self.steps, shown)
    }

    /// Appends the key of the entity that an operation touched.
    pub fn key_of(&mut self, link: &Link, key: &mut Vec<u8>) {
        let record = &link.record;
        self.renderer.effect_key(record.user, &record.event, record.own.as_deref(), key);
    }

    /// Checks an entity by its operations: in their order or, where users share its key, in any order.
    fn judge(&mut self, last: u32, row: Option<&[u8]>) -> Judgement {
        self.replay(last);
        if self.expected.link(last).record.event.is_shared {
            judge_shared(&self.steps, row)
        } else {
            judge(&self.steps, row)
        }
    }

    /// Renders the entity's operations again into `steps`, from the last to the first.
    fn replay(&mut self, last: u32) {
        let expected = self.expected;
        let mut count = 0;
        let mut index = last;
        while index != NONE {
            let Link { record, previous } = expected.link(index);
            let operation = usize::from(record.event.operation);
            let Some(effect) = &expected.workload.operations[operation].effect else {
                break;
            };
            self.renderer.recall(record.user, &record.event);
            self.message.clear();
            self.renderer.json(&mut self.message);
            if self.steps.len() == count {
                self.steps.push(Step { user: 0, kind: effect.kind, document: Vec::new(), is_unknown: false });
            }
            let step = &mut self.steps[count];
            step.user = record.user;
            step.kind = effect.kind;
            step.is_unknown = record.outcome == Outcome::Unknown;
            step.document.clear();
            effect.document.copy(&self.message, &mut step.document);
            count += 1;
            index = *previous;
        }
        self.steps.truncate(count);
        self.steps.reverse();
    }
}
