//! Why an audit cannot be made.

use super::rows::RowError;
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
    #[error("the target's reads: {0}")]
    Reads(String),
    #[error("the database refused: {0}")]
    Database(#[from] postgres::Error),
}
