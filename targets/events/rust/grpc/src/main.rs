//! The events API over gRPC.

mod api;
mod codec;
mod health;
mod preface;
mod proto;
mod server;
mod services;
mod status;
mod stream;
#[cfg(test)]
mod tests;
mod unary;

use std::process::ExitCode;

use events_core::process;
use events_core::settings::Target;
use server::Http2;
use services::Services;

// Requests allocate on one thread and are freed on another, which is what it is fast at.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 9090,
    protocols: &["h2"],
};

fn main() -> ExitCode {
    process::run(&TARGET, |desk| Services::new(&desk).map(Http2::new))
}
