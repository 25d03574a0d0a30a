//! Protobuf messages to events.
//!
//! Read straight from the wire: the attributes become JSON text without a tree of `Value`s in between, and
//! messages may nest to the contract's 32 levels, which is where the usual recursion limit of 100 ends.
//! Tests hold it against `prost`.

mod attributes;
mod event;
mod wire;

pub use event::{decode_bulk, decode_event, not_a_message};
