//! The user service over REST.

mod deadline;
mod json;
mod message;
mod reply;
mod routes;
mod server;

use std::process::ExitCode;
use std::time::Duration;

use users_core::process;
use users_core::settings::{Limits, Target};

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "SERVER_PORT",
    default_port: 8082,
    limits: Limits { read: Duration::from_mins(1), idle: Duration::ZERO, streams: 0 },
};

fn main() -> ExitCode {
    process::run(&TARGET, server::serve)
}
