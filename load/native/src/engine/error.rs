//! Why the engine cannot carry a plan out.

use std::io;

use crate::plan::PlanError;

/// Why the engine could not carry the plan out.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("{}", .0.in_plan())]
    Plan(#[from] PlanError),
    #[error("cannot resolve {host}: {source}. Is the name right, and does this machine reach a name server?")]
    Resolve { host: String, source: io::Error },
    #[error("{host} has no address")]
    NoAddress { host: String },
    #[error("{0}")]
    Tls(String),
    #[error("cannot write the ledger {path}: {source}")]
    Ledger { path: String, source: io::Error },
    #[error("the event loop failed: {0}")]
    Loop(#[from] io::Error),
    #[error("a worker ended early")]
    WorkerLost,
}
