//! The audit: what a database must hold after a run, by plan and ledger, against what it does hold.

mod database;
mod expected;
mod json;
mod judge;
mod rows;
mod shared;
mod verdict;

use std::path::Path;

pub use expected::Expected;
pub use judge::{Judgement, Step, judge, last_document};
pub use rows::{Row, RowError, read_json_lines};
pub use verdict::Verdict;

use crate::ledger::LedgerError;
use crate::plan::PlanError;

/// Why an audit cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum AuditError {
    #[error("{}", .0.in_plan())]
    Plan(#[from] PlanError),
    #[error(transparent)]
    Ledger(#[from] LedgerError),
    #[error("the ledger {ledger} belongs to another run than the plan")]
    OtherRun { ledger: String },
    #[error("cannot read the rows: {0}")]
    Rows(#[from] RowError),
    #[error("cannot read {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("the database refused: {0}")]
    Database(#[from] postgres::Error),
}

/// Where the stored state is read from.
#[derive(Debug)]
pub enum Source<'a> {
    Database {
        url: &'a str,
        sql: &'a Path,
    },
    /// JSON lines; `-` is standard input.
    Rows(&'a Path),
}

/// Compares a database with what plan and ledger say that it must hold.
///
/// # Errors
/// An input cannot be used; a violation is no error but a verdict.
pub fn audit(plan: &Path, ledger: &Path, source: &Source<'_>, examples: usize) -> Result<Verdict, AuditError> {
    let mut expected = Expected::read(plan, ledger)?;
    let mut verdict = Verdict::new(&expected, examples);
    let take = |row: Row<'_>| {
        let judgement = expected.judge_row(&row);
        verdict.take(&row, judgement, || expected.last_document());
    };
    match source {
        Source::Database { url, sql } => database::read(url, sql, take)?,
        Source::Rows(path) => rows::read_file(path, take)?,
    }
    for (key, judgement) in expected.judge_absent() {
        verdict.take_absent(&key, judgement);
    }
    verdict.take_preloaded(expected.preloaded);
    Ok(verdict)
}
