//! The user service over REST.

mod deadline;
mod json;
mod message;
mod reply;
mod routes;
mod server;

use std::process::ExitCode;

use users_core::process;
use users_core::settings::Target;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "SERVER_PORT",
    default_port: 8082,
};

fn main() -> ExitCode {
    process::run(&TARGET, server::serve)
}
