//! The events API over REST.

mod body;
mod headers;
mod reply;
mod routes;
mod server;

use std::process::ExitCode;
use std::time::Duration;

use events_core::process::{self, Server};
use events_core::settings::{Limits, Target};
use events_tuned::connections;
use events_tuned::postgres::Postgres;
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
    limits: Limits {
        read_header: Duration::from_mins(1),
        read: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        streams: 200,
    },
};

fn main() -> ExitCode {
    process::run::<Postgres, _>(&TARGET, async |server: Server| {
        let http = Http::new(routes::router(server.writer, server.token), server.limits);
        connections::serve(server.listener, server.tls.map(|tls| tls.acceptor), http, server.shutdown).await;
        Ok(())
    })
}
