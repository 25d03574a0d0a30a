//! Replacements of libraries that both tuned targets use: decoders, the connection pool, the connection loop.

pub mod connections;
mod draft;
mod escape;
pub mod json;
pub mod postgres;
pub mod protobuf;
mod timestamp;
mod validation;
