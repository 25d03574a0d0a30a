//! The records that an observer receives.

use super::tally::Tally;
use crate::plan::Protocol;

/// The start of a run.
#[derive(Debug, Clone)]
pub struct StartRecord {
    pub workload: String,
    pub target: String,
    pub protocol: Protocol,
    pub connections: u32,
    /// The operations, in the order of a tally's calls.
    pub operations: Vec<CheckShare>,
    pub unix_ns: u64,
}

/// An operation, and the fraction of its replies whose content is checked.
#[derive(Debug, Clone, PartialEq)]
pub struct CheckShare {
    pub name: String,
    pub share: f64,
}

/// One second of a phase, of all workers together.
#[derive(Debug)]
pub struct SecondRecord {
    pub phase: usize,
    pub second: u64,
    pub unix_ns: u64,
    pub tally: Tally,
}

/// A finished phase.
#[derive(Debug, Clone)]
pub struct PhaseRecord {
    pub phase: usize,
    pub unix_ns: u64,
    pub duration_ns: u64,
    /// From its begin to its planned end; none for a number of iterations, and where it was interrupted.
    pub planned_ns: Option<u64>,
    pub unsent: u64,
    pub connections_opened: u64,
    pub interrupted: bool,
    /// None where no rule could end it early.
    pub steadiness: Option<Steadiness>,
}

/// Whether throughput was steady in a phase that ends as soon as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Steadiness {
    Never,
    AfterSeconds(u64),
}

/// Receives records while the load runs.
pub trait Observer {
    fn start(&mut self, record: &StartRecord);
    /// The connections of a phase are open: it starts when it is instructed to.
    fn ready(&mut self, _phase: usize, _unix_ns: u64) {}
    /// A reading of the clock was requested; `id` names the request.
    fn clock(&mut self, _id: u64, _unix_ns: u64) {}
    fn phase_start(&mut self, phase: usize, name: &str, users: u32, unix_ns: u64);
    fn second(&mut self, record: &SecondRecord);
    fn phase_end(&mut self, record: &PhaseRecord);
    /// A condition that a person should know of.
    fn warning(&mut self, message: &str);
    fn end(&mut self, interrupted: bool, unix_ns: u64);
}
