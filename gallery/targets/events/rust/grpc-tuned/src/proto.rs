//! Code generated from the contract's proto file.

#![allow(
    missing_docs,
    clippy::pedantic,
    dead_code,
    reason = "generated code, in part for messages that the core decodes"
)]

use events_core::error::Error;

use crate::codec::{Incoming, plain};

tonic::include_proto!("com.example.grpc");

impl Incoming for HealthRequest {
    fn decode(message: &[u8]) -> Result<Self, Error> {
        plain(message)
    }
}

impl EventResponse {
    /// The reply to an event that is durable.
    pub fn processed() -> Self {
        Self { success: true, message: "Event processed successfully".to_owned() }
    }

    /// The reply to an invalid event of a stream.
    pub fn failed(message: &str) -> Self {
        Self { success: false, message: message.to_owned() }
    }
}

/// The proto file and its imports, which reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
