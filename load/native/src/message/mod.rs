//! Messages: JSON templates as they are, and the same templates compiled to protobuf.

mod compile;
mod descriptors;
mod encoder;
mod tree;
mod varint;

pub use compile::compile;
pub use descriptors::{BatchField, Descriptors};
pub use encoder::{Encoder, Scratch};
pub use tree::unescape;
pub use varint::{read_varint, varint_length, write_varint};
