//! `check`: whether a plan can be executed.

use std::error::Error;
use std::io::{Read as _, Write as _, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;

use super::arguments::CheckArguments;
use crate::engine;

/// Prints faults and samples as JSON; the exit status is 1 where there is a fault.
///
/// # Errors
/// The plan cannot be read.
pub fn check(arguments: &CheckArguments) -> Result<ExitCode, Box<dyn Error>> {
    let path = arguments.plan.as_path();
    let mut plan = Vec::new();
    if path == Path::new("-") {
        stdin().lock().read_to_end(&mut plan)?;
    } else {
        plan = std::fs::read(path).map_err(|error| format!("cannot read the plan {}: {error}", path.display()))?;
    }
    let checked = engine::check(&plan);
    stdout().write_all((serde_json::to_string_pretty(&checked)? + "\n").as_bytes())?;
    Ok(if checked.is_right() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
