//! JSON bodies to events.
//!
//! The parser is our own because the contract asks for what no general one gives: syntax errors before all
//! others wherever they stand, wrong kinds and duplicates by path, lone surrogates and numbers out of range
//! told apart from broken syntax, and the attributes as the text they came in, looked at once.
//! Tests hold its grammar against `serde_json`.

mod attributes;
mod escape;
mod event;
mod number;
mod reader;

pub(crate) use escape::unescape;
pub use event::{decode_bulk, decode_event};
