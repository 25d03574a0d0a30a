//! The command line.

use std::io::Write as _;

mod agent;
mod arguments;
mod audit;
mod check;
mod hit;
mod instructions;
mod interruption;
mod null;
mod reflection;
mod request;
mod run;
mod units;

pub use arguments::{AuditArguments, CheckArguments, Cli, Command, HitArguments, NullArguments, RunArguments};
pub use audit::audit;
pub use check::check;
pub use hit::hit;
pub use null::null;
pub use request::request;
pub use run::run;

/// Prints why a command ends early, after the name by which it was called: `bakeoff hit` becomes this program.
pub fn print_error(error: &dyn std::fmt::Display) {
    let called = std::env::args().next().unwrap_or_default();
    let name = std::path::Path::new(&called).file_name().unwrap_or_default().display().to_string();
    // Without a reader the message is not missed.
    let _ = writeln!(std::io::stderr(), "{name}: {error}");
}
