//! What is generated from the contract's proto file.

#![allow(
    missing_docs,
    clippy::pedantic,
    dead_code,
    reason = "generated code, in part for messages that the core decodes"
)]

tonic::include_proto!("com.example.grpc");

/// The proto file and what it imports, as clients get it by reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
