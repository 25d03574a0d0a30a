//! A load generator that is never the bottleneck and never flatters.

pub mod plan;
pub mod random;
pub mod template;
pub mod message;
pub mod workload;
