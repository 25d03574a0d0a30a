//! Phases: load levels, one after the other.

use serde::Deserialize;

/// The most requests a second, and of a counted phase; the longest phase, a week.
pub const LARGEST_RATE: f64 = 1_000_000.0;
pub const MOST_REQUESTS: u64 = 1_000_000_000_000;
pub const LONGEST_MS: u64 = 7 * 24 * 3_600_000;

/// One load level: a number of virtual users for a duration or a number of requests, or an arrival rate.
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
    /// Seconds that are compared with one another, and with as many before them.
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
