//! The engine: loads a target as a plan specifies and reports to an observer.

mod agent;
mod call_counts;
mod calls;
mod clock;
mod composer;
mod connection;
mod coordinator;

mod descriptors;
mod error;
mod instruction;
mod options;
mod pacer;
pub mod poller;
mod rates;
mod read_back;
mod records;
mod run;
pub mod socket;
mod steadiness;
mod stop;
mod tally;
mod trust;
mod users;
mod verified_reads;
mod worker;

pub use agent::Agent;
pub use call_counts::{CallCounts, add_histogram, histogram_of};
pub use clock::Clock;
pub use composer::Composer;
pub use error::EngineError;
pub use instruction::{Instruction, Instructions};
pub use options::Options;
pub use read_back::audit_through;
pub use records::{CheckShare, Observer, PhaseRecord, SecondRecord, StartRecord, Steadiness};
pub use run::run;
pub use tally::Tally;
pub use trust::{client_config, server_name};
