//! A load generator that is never the bottleneck and never flatters.

pub mod audit;
pub mod cli;
pub mod engine;
pub mod failure;
pub mod ledger;
pub mod message;
pub mod null;
pub mod plan;
pub mod random;
pub mod reply;
pub mod results;
pub mod template;
pub mod wire;
pub mod workload;
