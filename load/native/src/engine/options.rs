//! How the engine runs, apart from the plan.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::agent::Agent;

/// How the engine runs, apart from the plan.
#[derive(Debug, Clone)]
pub struct Options {
    pub threads: u32,
    /// Which part of the plan this engine carries out.
    pub agent: Agent,
    /// Set from outside to stop early.
    pub interrupted: Arc<AtomicBool>,
}
