//! `run`: executes a plan.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use super::arguments::RunArguments;
use super::instructions;
use super::interruption::interruption;
use crate::engine::{self, Agent, EngineError, Options};
use crate::plan::{Plan, PlanError};
use crate::results::StreamWriter;

/// Loads a target. Instructions follow the plan where both come by standard input: then the plan is its first line.
///
/// # Errors
/// The plan is invalid, or the system refuses a resource. Failed requests are results, not errors.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Box<dyn Error>> {
    let interrupted = interruption()?;
    let mut stream = StreamWriter::new(stdout().lock());
    let has_instructions = arguments.agent.is_some();
    let plan = match arguments.plan.as_path() {
        path if path == Path::new("-") => plan_from_input(has_instructions),
        path => Plan::read(path),
    };
    let instructions = match has_instructions {
        true => Some(instructions::read(BufReader::new(stdin()), Arc::clone(&interrupted))?),
        false => None,
    };
    let agent = arguments.agent.map_or_else(Agent::default, |(number, of)| Agent { index: number - 1, of });
    let options = Options { threads: arguments.threads, agent, instructions, interrupted };
    let done = plan.map_err(EngineError::from).and_then(|plan| engine::run(&plan, &options, &mut stream));
    if let Err(error) = done {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        stream.fail(&error.to_string(), u64::try_from(now.as_nanos()).unwrap_or(u64::MAX));
        return Err(error.into());
    }
    match stream.failure {
        Some(error) => Err(format!("cannot write the result stream: {error}").into()),
        None => Ok(ExitCode::SUCCESS),
    }
}

fn plan_from_input(is_one_line: bool) -> Result<Plan, PlanError> {
    let mut bytes = Vec::new();
    let mut input = stdin().lock();
    let read = if is_one_line { input.read_until(b'\n', &mut bytes) } else { input.read_to_end(&mut bytes) };
    read.map_err(|source| PlanError::Unreadable { path: "standard input".to_owned(), source })?;
    Plan::parse(&bytes)
}
