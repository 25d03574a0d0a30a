//! The command line.

mod agent;
mod arguments;
mod audit;
mod instructions;
mod null;
mod run;
mod target;
mod tool;
mod units;

pub use arguments::{AuditArguments, Cli, Command, NullArguments, RunArguments, ToolArguments};
pub use audit::audit;
pub use null::null;
pub use run::run;
