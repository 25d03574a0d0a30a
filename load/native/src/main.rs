//! `bakeoff-load`: parses the command line, runs, reports.

use std::process::ExitCode;

use bakeoff_load::cli::{Cli, Command};
use clap::Parser;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => bakeoff_load::cli::run(&arguments),
        Command::Null(arguments) => bakeoff_load::cli::null(&arguments),
        Command::Audit(arguments) => bakeoff_load::cli::audit(&arguments),
    };
    result.unwrap_or_else(|error| {
        eprintln!("error: {error}");
        ExitCode::from(2)
    })
}
