//! Checks that must hold for any input of a client.
//!
//! A check panics when it does not hold. The fuzzers search for such inputs, and `tests/corpus.rs` runs every
//! check on the inputs that were kept.

#![allow(clippy::missing_panics_doc, reason = "a check reports by panicking")]

pub mod corpus;

mod grpc_message;
mod json;
mod protobuf;
mod protobuf_messages;
mod same;
mod timestamp;

pub use grpc_message::grpc_message;
pub use json::{json_bulk, json_event};
pub use protobuf::{protobuf_bulk, protobuf_event};
pub use timestamp::timestamp;

/// A check of the bytes that it is given.
pub type Check = fn(&[u8]);

/// All checks, by the names of their corpora.
pub const CHECKS: [(&str, Check); 6] = [
    ("grpc_message", grpc_message),
    ("json_bulk", json_bulk),
    ("json_event", json_event),
    ("protobuf_bulk", protobuf_bulk),
    ("protobuf_event", protobuf_event),
    ("timestamp", timestamp),
];
