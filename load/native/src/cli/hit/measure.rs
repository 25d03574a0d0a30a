//! Follows a plan to its end, or to Ctrl-C.

use std::error::Error;

use crate::cli::interruption::interruption;
use crate::engine::{self, Agent, EngineError, Options};
use crate::plan::Plan;
use crate::results::{Live, Summary};

/// The last phase of a plan: a warm-up comes before it.
pub fn measured(plan: &Plan, threads: u32, mut live: Live) -> Result<Option<Summary>, Box<dyn Error>> {
    let options = Options { threads, agent: Agent::default(), instructions: None, interrupted: interruption()? };
    match engine::run(plan, &options, &mut live) {
        // The user gave options, not a plan: the message must not mention one.
        Err(EngineError::Plan(error)) => Err(error.into()),
        done => Ok(done.map(|()| live.summary)?),
    }
}
