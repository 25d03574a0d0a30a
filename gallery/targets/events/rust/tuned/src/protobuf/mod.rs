//! Protobuf messages to events.
//!
//! Decoded directly from the wire format: attributes become JSON text without an intermediate tree of `Value`s,
//! and messages may nest to the contract's 32 levels, about the usual recursion limit of 100.
//! Tests compare it with `prost`.

mod attributes;
mod event;
mod wire;

pub use event::{decode_bulk, decode_event, not_a_message};
