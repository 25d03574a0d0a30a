//! The events API over gRPC.

mod api;
mod codec;
mod health;
mod proto;
mod server;
mod services;
mod status;
mod stream;
#[cfg(test)]
mod tests;

use std::process::ExitCode;

use events_core::process;
use events_core::settings::Target;

// Requests allocate on one thread and are freed on another, which is what it is fast at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 9090,
};

fn main() -> ExitCode {
    process::run(&TARGET, server::serve)
}
