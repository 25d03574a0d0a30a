//! The audit's verdict, as JSON.

use std::time::Instant;

use serde_json::{Value, json};

use super::expected::Expected;
use super::judge::Judgement;
use super::rows::{Row, parts};

/// Violations of one kind: how many, and some of their keys and documents.
#[derive(Debug, Default)]
struct Violations {
    count: u64,
    examples: Vec<Value>,
}

impl Violations {
    fn add(&mut self, most: usize, example: impl FnOnce() -> Value) {
        self.count += 1;
        if self.examples.len() < most {
            self.examples.push(example());
        }
    }

    fn merge(&mut self, most: usize, other: Self) {
        self.count += other.count;
        self.examples.extend(other.examples);
        self.examples.truncate(most);
    }

    fn json(&self) -> Value {
        json!({"count": self.count, "examples": self.examples})
    }
}

/// Violations found in rows, or in those of one thread.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    most_examples: usize,
    rows: u64,
    unacknowledged_applied: u64,
    lost: Violations,
    wrong: Violations,
    stale: Violations,
    unexplained: Violations,
}

/// The result of an audit.
#[derive(Debug)]
pub struct Verdict {
    begun: Instant,
    is_complete: bool,
    acknowledged: u64,
    unknown: u64,
    untraceable: u64,
    entities: u64,
    checked: u64,
    findings: Findings,
}

impl Findings {
    pub(crate) fn new(most_examples: usize) -> Self {
        Self { most_examples, ..Self::default() }
    }

    /// Takes a row; `expected` returns the document that acknowledged operations leave.
    pub(crate) fn take(
        &mut self,
        row: &Row<'_>,
        judgement: Option<Judgement>,
        expected: impl FnOnce() -> Option<String>,
    ) {
        self.rows += 1;
        let example = || {
            let parsed = |text: &[u8]| serde_json::from_slice(text).unwrap_or(Value::Null);
            let expected = expected().map_or(Value::Null, |text| parsed(text.as_bytes()));
            json!({"key": parts(row.key), "document": parsed(row.document), "expected": expected})
        };
        match judgement {
            Some(Judgement::Right) => {}
            Some(Judgement::RightWithUnacknowledged) => self.unacknowledged_applied += 1,
            Some(Judgement::Lost) => self.lost.add(self.most_examples, example),
            Some(Judgement::Stale) => self.stale.add(self.most_examples, example),
            Some(Judgement::Wrong) => self.wrong.add(self.most_examples, example),
            None => self.unexplained.add(self.most_examples, example),
        }
    }

    /// Takes an entity that has no row and should have one, or may have lost it.
    pub(crate) fn take_absent(&mut self, key: &[u8], judgement: Judgement) {
        match judgement {
            Judgement::RightWithUnacknowledged => self.unacknowledged_applied += 1,
            _ => self.lost.add(self.most_examples, || json!({"key": parts(key), "document": null})),
        }
    }

    /// Adds the violations that another thread found.
    pub(crate) fn merge(&mut self, other: Self) {
        let most = self.most_examples;
        self.rows += other.rows;
        self.unacknowledged_applied += other.unacknowledged_applied;
        self.lost.merge(most, other.lost);
        self.wrong.merge(most, other.wrong);
        self.stale.merge(most, other.stale);
        self.unexplained.merge(most, other.unexplained);
    }

    /// Rows inserted before the run are among those that no operation explains: none may be missing.
    pub(crate) fn take_preloaded(&mut self, count: u64) {
        self.lost.count += count.saturating_sub(self.unexplained.count);
    }
}

impl Verdict {
    /// `begun` is when the audit started.
    pub(crate) fn new(begun: Instant, expected: &Expected, findings: Findings) -> Self {
        Self {
            begun,
            is_complete: expected.is_complete,
            acknowledged: expected.acknowledged,
            unknown: expected.unknown,
            untraceable: expected.untraceable,
            entities: expected.entities() as u64,
            checked: expected.entities() as u64,
            findings,
        }
    }

    /// The same verdict, of which only so many entities were looked at.
    pub(crate) fn of_sample(self, checked: u64) -> Self {
        Self { checked, ..self }
    }

    /// Whether every acknowledged operation is stored as it must be.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        [&self.findings.lost, &self.findings.wrong, &self.findings.stale].iter().all(|kind| kind.count == 0)
    }

    /// Everything as JSON. Rows that no operation explains are no violation: another program may have stored them.
    #[must_use]
    pub fn json(&self) -> Value {
        let found = &self.findings;
        json!({
            "version": 1,
            "verdict": if self.is_clean() { "clean" } else { "violated" },
            "ledger_complete": self.is_complete,
            "acknowledged_operations": self.acknowledged,
            "unacknowledged_operations": self.unknown,
            "untraceable_operations": self.untraceable,
            "entities": self.entities,
            "checked_entities": self.checked,
            "rows": found.rows,
            "unacknowledged_applied": found.unacknowledged_applied,
            "lost": found.lost.json(),
            "wrong": found.wrong.json(),
            "stale": found.stale.json(),
            "unexplained_rows": found.unexplained.json(),
            "seconds": self.begun.elapsed().as_secs_f64(),
        })
    }
}
