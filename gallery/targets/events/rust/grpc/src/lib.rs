//! The events API over gRPC.

mod attributes;
mod authorization;
mod event;
mod health;
pub mod proto;
mod rules;
mod server;
mod service;
mod size_limits;
mod status;
mod stream;
#[cfg(test)]
mod tests;

use std::time::Duration;

use events_core::settings::{Limits, Target};

pub use crate::event::from_message;
pub use crate::server::serve;

/// The target's own names and defaults.
pub const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "GRPC_SERVER_PORT",
    default_port: 9090,
    protocols: &["h2"],
    limits: Limits {
        read_header: Duration::ZERO,
        read: Duration::from_secs(30),
        idle: Duration::from_mins(1),
        streams: 200,
    },
};
