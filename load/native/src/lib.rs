//! A load generator for HTTP/1.1 and gRPC that measures from the instant at which each request was due.

pub mod audit;
pub mod cli;
pub mod engine;
pub mod failure;
pub mod ledger;
pub mod list_check;
pub mod message;
pub mod mismatch;
pub mod null;
pub mod plan;
pub mod random;
pub mod reply;
pub mod results;
pub mod template;
pub mod wire;
pub mod workload;
