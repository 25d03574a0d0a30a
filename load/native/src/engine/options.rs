//! How the engine runs, apart from the plan.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::agent::Agent;
use super::instruction::Instructions;

/// How the engine runs, apart from the plan.
#[derive(Debug, Clone)]
pub struct Options {
    pub threads: u32,
    /// The part of the plan that this engine executes.
    pub agent: Agent,
    /// The signal that starts each phase; none: a phase starts as soon as it is prepared.
    pub instructions: Option<Instructions>,
    /// Set from outside to stop early.
    pub interrupted: Arc<AtomicBool>,
}
