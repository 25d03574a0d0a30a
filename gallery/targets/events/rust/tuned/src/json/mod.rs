//! JSON bodies to events.
//!
//! A custom parser, because the contract requires what no general parser provides: syntax errors are reported
//! before all others wherever they occur, wrong kinds and duplicates are reported by path, lone surrogates and
//! numbers out of range are distinguished from broken syntax, and attributes keep their text after one pass.
//! Tests compare its grammar with that of `serde_json`.

mod attributes;
mod event;
mod reader;

pub use event::{decode_bulk, decode_event};
