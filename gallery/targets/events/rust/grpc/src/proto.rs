//! Code generated from the contract's proto file.

#![allow(missing_docs, clippy::pedantic, dead_code, reason = "generated code, with a client for the tests")]

tonic::include_proto!("com.example.grpc");

/// The proto file and its imports, which reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));

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
