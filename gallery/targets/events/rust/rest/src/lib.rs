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

use std::time::Duration;

use events_core::settings::{Limits, Target};

pub use crate::event::EventRequest;
pub use crate::reply::Reply;
pub use crate::server::serve;

/// The target's own names and defaults.
pub const TARGET: Target = Target {
    name: env!("CARGO_PKG_NAME"),
    module: env!("CARGO_CRATE_NAME"),
    port_variable: "SERVER_PORT",
    default_port: 8081,
    protocols: &["h2", "http/1.1"],
    limits: Limits { read_header: Duration::ZERO, read: Duration::from_mins(1), idle: Duration::ZERO, streams: 0 },
};
