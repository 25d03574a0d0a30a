//! `run`: executes a plan, or the load that the options describe.

use std::error::Error;
use std::io::{BufRead, BufReader, Read, Write, stdin, stdout};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{SystemTime, UNIX_EPOCH};

use signal_hook::consts::{SIGINT, SIGTERM};

use super::arguments::RunArguments;
use super::{instructions, tool};
use crate::engine::{self, Agent, EngineError, Instructions, Options};
use crate::plan::{Phase, Plan, PlanError};
use crate::results::{Live, StreamWriter};

/// Loads a target.
///
/// # Errors
/// The plan or the options are invalid, or the system refuses a resource. Failed requests are results, not errors.
pub fn run(arguments: &RunArguments) -> Result<ExitCode, Box<dyn Error>> {
    let interrupted = interruption()?;
    match &arguments.plan {
        Some(path) => run_plan(path, arguments, interrupted),
        None => run_tool(arguments, &options(arguments, None, interrupted)),
    }
}

fn options(arguments: &RunArguments, instructions: Option<Instructions>, interrupted: Arc<AtomicBool>) -> Options {
    let agent = arguments.agent.map_or_else(Agent::default, |(number, of)| Agent { index: number - 1, of });
    Options { threads: arguments.threads, agent, instructions, interrupted }
}

fn interruption() -> std::io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        signal_hook::flag::register(signal, Arc::clone(&interrupted))?;
    }
    Ok(interrupted)
}

/// Instructions follow the plan where both come by standard input: then the plan is its first line.
fn run_plan(path: &Path, arguments: &RunArguments, interrupted: Arc<AtomicBool>) -> Result<ExitCode, Box<dyn Error>> {
    let mut stream = StreamWriter::new(stdout().lock());
    let plan = if path == Path::new("-") { plan_from_input(arguments.agent.is_some()) } else { Plan::read(path) };
    let instructions = match arguments.agent {
        Some(_) => Some(instructions::read(BufReader::new(stdin()), Arc::clone(&interrupted))?),
        None => None,
    };
    let options = options(arguments, instructions, interrupted);
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

fn run_tool(arguments: &RunArguments, options: &Options) -> Result<ExitCode, Box<dyn Error>> {
    let url = arguments.url.as_deref().unwrap_or_default();
    let plan = tool::plan(url, &arguments.tool)?;
    let mut live = Live::new(plan.phases.iter().find_map(Phase::duration_ms));
    match engine::run(&plan, options, &mut live) {
        // The user gave options, not a plan: the message must not mention one.
        Err(EngineError::Plan(error)) => return Err(error.into()),
        done => done?,
    }
    let Some(summary) = live.summary else { return Ok(ExitCode::SUCCESS) };
    let text = if arguments.tool.json { format!("{:#}\n", summary.json()) } else { summary.text() };
    stdout().write_all(text.as_bytes())?;
    Ok(if summary.totals.all.ok > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
