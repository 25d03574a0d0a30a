//! The events API over REST.

mod body;
mod headers;
mod reply;
mod routes;
mod server;

use std::process::ExitCode;

use events_core::process;
use events_core::settings::Target;
use server::Http;

// mimalloc is fast when memory is allocated on one thread and freed on another, as requests are.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "SERVER_PORT",
    default_port: 8081,
    protocols: &["h2", "http/1.1"],
};

fn main() -> ExitCode {
    process::run(&TARGET, |state| Ok(Http::new(routes::router(state.writer, state.token))))
}
