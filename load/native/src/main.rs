//! `bakeoff-load`: parses the command line, runs, reports.

use std::process::ExitCode;

use bakeoff_load::cli::{self, Cli, Command};
use clap::Parser;

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Run(arguments) => cli::run(&arguments),
        Command::Hit(arguments) => cli::hit(&arguments),
        Command::Request => cli::request(),
        Command::Check(arguments) => cli::check(&arguments),
        Command::Null(arguments) => cli::null(&arguments),
        Command::Audit(arguments) => cli::audit(&arguments),
    };
    result.unwrap_or_else(|error| {
        cli::print_error(&error);
        ExitCode::from(2)
    })
}
