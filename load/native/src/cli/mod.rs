//! The command line.

mod agent;
mod arguments;
mod audit;
mod hit;
mod instructions;
mod interruption;
mod null;
mod run;
mod units;

pub use arguments::{AuditArguments, Cli, Command, HitArguments, NullArguments, RunArguments};
pub use audit::audit;
pub use hit::hit;
pub use null::null;
pub use run::run;

/// Prints why a command ends early, after the name by which it was called: `bakeoff hit` becomes this program.
pub fn print_error(error: &dyn std::fmt::Display) {
    let called = std::env::args().next().unwrap_or_default();
    let name = std::path::Path::new(&called).file_name().unwrap_or_default().display().to_string();
    eprintln!("{name}: {error}");
}
