//! The user service over gRPC.

mod deadline;
mod health;
mod methods;
mod proto;
mod server;
mod status;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use users_core::process;
use users_core::settings::Target;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 50052,
};

fn main() -> ExitCode {
    process::run(&TARGET, server::serve)
}
