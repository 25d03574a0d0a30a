//! The plan as it is written.

use serde::Deserialize;

use super::operation::{Batch, KeyKind, Operation, Session, Stream};
use super::phase::Phase;
use super::transport::Transport;

/// The only version of the plan that this engine understands.
pub const VERSION: u32 = 1;

/// A plan, as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Plan {
    pub version: u32,
    pub workload: String,
    pub target: String,
    pub mode: String,
    pub payload: String,
    pub run: String,
    pub seed: String,
    pub base_time_ms: i64,
    pub transport: Transport,
    pub proto: Option<Proto>,
    pub phases: Vec<Phase>,
    pub think_time_ms: f64,
    pub thresholds: Thresholds,
    pub keys: Vec<KeyKind>,
    pub size_bytes: Option<u64>,
    pub operations: Vec<Operation>,
    #[serde(default)]
    pub sessions: Vec<Session>,
    pub batch: Option<Batch>,
    pub stream: Option<Stream>,
    pub ledger: Option<String>,
    pub verify_share: f64,
    /// Users keep the cookies that replies set, over HTTP.
    #[serde(default)]
    pub cookies: bool,
    /// Rows that were stored before the run, and that no operation touches.
    #[serde(default)]
    pub preload: u64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Proto {
    pub file: String,
    pub import_path: String,
    pub descriptor_set: String,
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub error_rate: f64,
}

impl Plan {
    /// The seed as a number.
    #[must_use]
    pub fn seed_number(&self) -> u64 {
        u64::from_str_radix(&self.seed, 16).unwrap_or_default()
    }

    /// The most virtual users of any phase.
    #[must_use]
    pub fn largest_phase(&self) -> u32 {
        self.phases.iter().map(Phase::users).max().unwrap_or(0)
    }

    /// Connections open in the largest phase.
    #[must_use]
    pub fn connections(&self) -> u32 {
        let users = self.largest_phase();
        self.transport.connections.map_or(users, |shared| shared.min(users))
    }
}
