//! Messages: JSON templates as they are, and the same templates compiled to protobuf.

mod compile;
mod encoder;
mod tree;
mod varint;

pub use compile::{BatchField, Descriptors, compile};
pub use encoder::{Encoder, Scratch};
pub use varint::{read_varint, varint_length, write_varint};
