//! `hit`: measures one URL, and the generator's own limit with the same requests.

mod capacity;
mod first_request;
mod form;
mod measure;
mod plan;
mod report;
mod request;
mod target;
mod variants;

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{Write, stderr, stdout};
use std::process::ExitCode;

use super::arguments::HitArguments;
use super::interruption;
use crate::plan::{OneOrMore, Phase, Protocol};
use crate::results::Live;
use measure::measured;
use report::Report;
use request::Request;
pub use target::Target;
use variants::words;

const PROXIES: [&str; 6] = ["HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"];

/// Measures a URL and prints the result; the exit status is 1 where no request had a good reply, and 128 and the
/// signal's number after an interruption.
///
/// # Errors
/// The options are invalid, or the system refuses a resource. Failed requests are results, not errors.
pub fn hit(arguments: &HitArguments) -> Result<ExitCode, Box<dyn Error>> {
    let request = Request::new(arguments)?;
    check_output(arguments)?;
    let proto = match plan::proto(&request, arguments)? {
        Ok(proto) => proto,
        Err(message) => return Ok(failed(&message)),
    };
    let mut plan = plan::plan(&request, arguments, proto)?;
    let mut expected = "OK".to_owned();
    if request.target.protocol == Protocol::Http {
        let status = match arguments.expect {
            Some(status) => status,
            None => match first_request::status_of(&request, &plan)? {
                Ok(status) => status,
                Err(message) => return Ok(failed(&message)),
            },
        };
        expected = status.to_string();
        for http in plan.operations.iter_mut().filter_map(|operation| operation.http.as_mut()) {
            http.expect = OneOrMore::One(status);
        }
    }
    if let Some(message) = first_request::endless_stream(&request, &plan)? {
        return Ok(failed(&message));
    }
    let live = Live::new(plan.phases.iter().map(Phase::duration_ms).collect());
    let Some(measured) = measured(&plan, arguments.threads, live)? else {
        let _ = failed("Interrupted before anything was measured.");
        return Ok(interruption::exit_code());
    };
    let unfilled = variants::unfilled(&request.variants[0], arguments);
    let mut warnings = proxies(&request).into_iter().chain(unfilled).collect::<Vec<_>>();
    if measured.phase.phase + 1 < plan.phases.len() {
        warnings.push("These are figures of the warm-up, which was interrupted.".to_owned());
    }
    // What was measured is never lost.
    let capacity = capacity::of(&plan, &measured, arguments).unwrap_or_else(|error| {
        warnings.push(format!("The generator's own limit was not measured: {error}."));
        None
    });
    let report = Report::new(&request, &measured, &expected, capacity, warnings);
    let is_written = write(&report, arguments)?;
    let is_printed = print(&report, &request, arguments)?;
    if measured.phase.interrupted {
        return Ok(interruption::exit_code());
    }
    let is_good = measured.totals.all.ok > 0 && is_printed && is_written;
    Ok(if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn failed(message: &str) -> ExitCode {
    crate::cli::print_error(&message);
    ExitCode::FAILURE
}

/// Refuses a file that cannot be written before anything is sent.
fn check_output(arguments: &HitArguments) -> Result<(), String> {
    arguments.output.iter().try_for_each(|path| {
        let opened = OpenOptions::new().create(true).append(true).open(path);
        opened.map(drop).map_err(|error| format!("--output {}: {}.", path.display(), words(&error)))
    })
}

fn json(report: &Report) -> Result<String, serde_json::Error> {
    Ok(serde_json::to_string_pretty(report)? + "\n")
}

/// Writes the files of `--output`; the result is printed also where that fails.
fn write(report: &Report, arguments: &HitArguments) -> Result<bool, Box<dyn Error>> {
    let text = json(report)?;
    let mut is_written = true;
    for path in &arguments.output {
        if let Err(error) = std::fs::write(path, &text) {
            crate::cli::print_error(&format!("{} was not written: {}.", path.display(), words(&error)));
            is_written = false;
        }
    }
    Ok(is_written)
}

/// Prints the report; on standard error where standard output takes nothing, such as a full disk or a closed pipe.
fn print(report: &Report, request: &Request, arguments: &HitArguments) -> Result<bool, Box<dyn Error>> {
    let text = match (arguments.json, arguments.prometheus) {
        (true, _) => json(report)?,
        (false, true) => report.prometheus(),
        (false, false) => report.text(request),
    };
    let Err(error) = stdout().write_all(text.as_bytes()).and_then(|()| stdout().flush()) else { return Ok(true) };
    // Where neither takes it, there is no place left.
    let _ = stderr().write_all(text.as_bytes());
    crate::cli::print_error(&format!("the result stands above: standard output took nothing ({error})"));
    Ok(false)
}

/// Proxies are not used: they would be measured. Said where another machine is the target.
fn proxies(request: &Request) -> Option<String> {
    let host = request.target.host.as_str();
    let is_here = host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let name = PROXIES.into_iter().find(|name| is_set(name)).filter(|_| !is_here)?;
    Some(format!("{name} is set and not used: requests go straight to the server."))
}
