//! The events API over gRPC.

mod attributes;
mod authorization;
mod event;
mod health;
mod proto;
mod rules;
mod server;
mod service;
mod size_limits;
mod status;
mod stream;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use events_core::postgres::Postgres;
use events_core::process;
use events_core::settings::Target;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 9090,
    protocols: &["h2"],
};

fn main() -> ExitCode {
    process::run::<Postgres, _>(&TARGET, server::serve)
}
