//! Code generated from the contract's proto file.

#![allow(missing_docs, clippy::pedantic, dead_code, reason = "generated code, with a client for the tests")]

tonic::include_proto!("user");

/// The proto file and its imports, which reflection serves.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptors.bin"));
