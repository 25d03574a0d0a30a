//! The user service over gRPC.

mod charged;
mod deadline;
mod health;
mod methods;
mod proto;
mod server;
mod status;
#[cfg(test)]
mod tests;

use std::process::ExitCode;
use std::time::Duration;

use users_core::process;
use users_core::settings::{Limits, Target};

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 50052,
    // Each call with a message of up to the largest size.
    limits: Limits { read: Duration::from_secs(30), idle: Duration::from_secs(10), streams: 64 },
};

fn main() -> ExitCode {
    process::run(&TARGET, server::serve)
}
