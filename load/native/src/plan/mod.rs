//! The plan: what the lab asks an engine to do to one target. Its schema is `contract/schemas/plan.schema.json`.

mod check;
mod headers;
mod transport;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

use crate::template::Segment;

pub use headers::check_header;
pub use transport::{Protocol, Tls, Transport};

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
    pub batch: Option<Batch>,
    pub stream: Option<Stream>,
    pub ledger: Option<String>,
    pub verify_share: f64,
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

/// One load level: held for a time or a number of requests, or an arrival rate.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Phase {
    Held(HeldPhase),
    Counted(CountedPhase),
    Arriving(ArrivingPhase),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HeldPhase {
    pub name: String,
    pub virtual_users: u32,
    pub duration_ms: u64,
    /// The phase ends as soon as this holds, and after its duration at the latest.
    pub until_steady: Option<SteadyRule>,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CountedPhase {
    pub name: String,
    pub virtual_users: u32,
    pub iterations: u64,
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ArrivingPhase {
    pub name: String,
    /// Requests a second.
    pub rate: f64,
    pub arrival: Arrival,
    pub max_virtual_users: u32,
    pub duration_ms: u64,
    pub until_steady: Option<SteadyRule>,
}

/// When throughput counts as steady.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SteadyRule {
    /// Seconds that are held against one another, and against as many before them.
    pub window_s: u32,
    /// The share of their mean by which seconds may differ from it.
    pub tolerance: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Arrival {
    Constant,
    Poisson,
}

impl Phase {
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Held(phase) => &phase.name,
            Self::Counted(phase) => &phase.name,
            Self::Arriving(phase) => &phase.name,
        }
    }

    /// Virtual users at the most.
    #[must_use]
    pub fn users(&self) -> u32 {
        match self {
            Self::Held(phase) => phase.virtual_users,
            Self::Counted(phase) => phase.virtual_users,
            Self::Arriving(phase) => phase.max_virtual_users,
        }
    }

    /// How long it lasts, where the clock ends it.
    #[must_use]
    pub fn duration_ms(&self) -> Option<u64> {
        match self {
            Self::Held(phase) => Some(phase.duration_ms),
            Self::Counted(_) => None,
            Self::Arriving(phase) => Some(phase.duration_ms),
        }
    }

    /// The rule that may end it early.
    #[must_use]
    pub fn until_steady(&self) -> Option<SteadyRule> {
        match self {
            Self::Held(phase) => phase.until_steady,
            Self::Counted(_) => None,
            Self::Arriving(phase) => phase.until_steady,
        }
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        matches!(self, Self::Arriving(_))
    }
}

#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Thresholds {
    pub p95_ms: f64,
    pub p99_ms: f64,
    pub error_rate: f64,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyKind {
    pub name: String,
    pub format: Vec<Segment>,
    pub reuse: Option<Reuse>,
}

/// How often and which acknowledged key is used again.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reuse {
    pub share: f64,
    pub pick: Pick,
    #[serde(default = "unit_exponent")]
    pub s: f64,
    /// Keys that all users share: these are used again, and not a user's own.
    #[serde(default)]
    pub shared: Option<u32>,
}

fn unit_exponent() -> f64 {
    1.0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pick {
    Uniform,
    Zipf,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub name: String,
    pub weight: u32,
    pub key: Option<usize>,
    pub http: Option<HttpCall>,
    pub grpc: Option<GrpcCall>,
    pub variants: Vec<Vec<Segment>>,
    pub creates: Option<String>,
    pub needs: Option<String>,
    pub effect: Option<Effect>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpCall {
    pub method: String,
    pub path: Vec<Segment>,
    pub headers: BTreeMap<String, String>,
    pub expect: u16,
    pub reply: BTreeMap<String, Value>,
    pub capture: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcCall {
    pub method: String,
    pub expect: String,
    pub reply: BTreeMap<String, Value>,
    pub capture: BTreeMap<String, String>,
}

/// What an acknowledged operation does to the stored state.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Effect {
    Merge { document: String, key: Vec<Vec<Segment>> },
    Put { document: String, key: Vec<Vec<Segment>> },
    Delete { key: Vec<Vec<Segment>> },
}

/// Many messages in one request: `open`, `separator` and `close` for HTTP, `field` for gRPC.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub method: String,
    pub path: Option<String>,
    pub expect: Value,
    pub open: Option<String>,
    pub separator: Option<String>,
    pub close: Option<String>,
    pub field: Option<String>,
    #[serde(default)]
    pub reply: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    pub method: String,
    #[serde(default)]
    pub reply: BTreeMap<String, Value>,
}

/// Why a plan, or what a command line asks for, cannot be carried out.
#[derive(Debug, thiserror::Error)]
pub enum PlanError {
    #[error("cannot read the plan {path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    #[error("{0}")]
    Syntax(#[from] serde_json::Error),
    #[error("{0}")]
    Rule(String),
}

impl PlanError {
    pub fn rule(message: impl Into<String>) -> Self {
        Self::Rule(message.into())
    }

    /// The same, told to whoever handed the plan over.
    #[must_use]
    pub fn in_plan(&self) -> String {
        match self {
            Self::Unreadable { .. } => self.to_string(),
            Self::Syntax(_) | Self::Rule(_) => format!("the plan is not valid: {self}"),
        }
    }
}

impl Plan {
    /// Reads and checks the plan in a file.
    ///
    /// # Errors
    /// The file cannot be read, is no plan, or says what cannot be done.
    pub fn read(path: &Path) -> Result<Self, PlanError> {
        let bytes =
            std::fs::read(path).map_err(|source| PlanError::Unreadable { path: path.display().to_string(), source })?;
        Self::parse(&bytes)
    }

    /// Reads and checks a plan.
    ///
    /// # Errors
    /// It is no plan, or says what cannot be done.
    pub fn parse(bytes: &[u8]) -> Result<Self, PlanError> {
        let plan: Self = serde_json::from_slice(bytes)?;
        plan.check()?;
        Ok(plan)
    }

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
