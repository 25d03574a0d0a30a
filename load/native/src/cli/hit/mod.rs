//! `hit`: measures one URL, and the generator's own limit with the same requests.

mod capacity;
mod first_request;
mod measure;
mod plan;
mod report;
mod request;
mod target;

use std::error::Error;
use std::io::{Write, stdout};
use std::process::ExitCode;

use super::arguments::HitArguments;
use crate::plan::{OneOrMore, Phase};
use crate::results::Live;
use measure::measured;
use report::Report;
use request::Request;

/// Measures a URL and prints the result; the exit status is 1 where no request had a good reply.
///
/// # Errors
/// The options are invalid, or the system refuses a resource. Failed requests are results, not errors.
pub fn hit(arguments: &HitArguments) -> Result<ExitCode, Box<dyn Error>> {
    let request = Request::new(arguments)?;
    let mut plan = plan::plan(&request, arguments)?;
    let mut expected = "OK".to_owned();
    if let Some(http) = plan.operations.iter_mut().find_map(|operation| operation.http.as_mut()) {
        let first = || first_request::status_of(&request, plan.transport.tls.as_ref());
        match arguments.expect.map_or_else(first, Ok) {
            Ok(status) => (expected, http.expect) = (status.to_string(), OneOrMore::One(status)),
            Err(message) => return Ok(failed(&message)),
        }
    }
    let live = Live::new(plan.phases.iter().map(Phase::duration_ms).collect());
    let Some(measured) = measured(&plan, arguments.threads, live)? else {
        return Ok(failed("Interrupted before anything was measured."));
    };
    let capacity = capacity::of(&plan, &measured, arguments)?;
    print(&Report::new(&request, &measured, &expected, capacity), &request, arguments.json)?;
    Ok(if measured.totals.all.ok > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn failed(message: &str) -> ExitCode {
    crate::cli::print_error(&message);
    ExitCode::FAILURE
}

fn print(report: &Report, request: &Request, as_json: bool) -> Result<(), Box<dyn Error>> {
    let text = if as_json { serde_json::to_string_pretty(report)? + "\n" } else { report.text(request) };
    Ok(stdout().write_all(text.as_bytes())?)
}
