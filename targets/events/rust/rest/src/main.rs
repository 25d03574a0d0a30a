//! The events API over REST.

mod attributes;
mod error;
mod event;
mod json;
mod middleware;
mod object;
mod reply;
mod routes;
mod server;

use std::process::ExitCode;

use events_core::postgres::Postgres;
use events_core::process;
use events_core::settings::Target;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "SERVER_PORT",
    default_port: 8081,
    protocols: &["h2", "http/1.1"],
};

fn main() -> ExitCode {
    process::run::<Postgres, _>(&TARGET, server::serve)
}
