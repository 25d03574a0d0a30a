//! The events API over gRPC.

mod api;
mod codec;
mod health;
pub mod message;
mod message_timeout;
mod preface_timeout;
mod proto;
mod reply;
mod server;
mod services;
mod status;
mod stream;
#[cfg(test)]
mod tests;
mod unary;

use std::process::ExitCode;
use std::time::Duration;

use events_core::process::{self, Server};
use events_core::settings::{Limits, Target};
use events_tuned::connections;
use events_tuned::postgres::Postgres;
use server::Http2;
use services::Services;

const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 9090,
    protocols: &["h2"],
    limits: Limits {
        read_header: Duration::from_secs(10),
        read: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        // Clients that share a connection between many users need more than hyper's 200.
        streams: 4_096,
    },
};

/// Serves until SIGTERM or SIGINT.
#[must_use]
pub fn run() -> ExitCode {
    process::run::<Postgres, _>(&TARGET, async |server: Server| {
        let services = Services::new(server.writer, server.token, server.shutdown.clone())?;
        let tls = server.tls.map(|tls| tls.acceptor);
        connections::serve(server.listener, tls, Http2::new(services, server.limits), server.shutdown).await;
        Ok(())
    })
}
