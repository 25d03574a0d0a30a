//! Header compression (RFC 7541), as far as a gRPC client needs it: the status fields of replies,
//! and requests whose fields hardly vary.

mod decoder;
mod dynamic_table;
mod encoder;
mod fields;
mod integer;
mod table;

pub use decoder::{Decoder, Outcome};
pub use encoder::{Encoder, RequestField, RequestFields};
pub use fields::FieldDecoder;
pub(super) use integer::write_string;
pub use integer::{Invalid, write_literal};
pub use table::DEFAULT_TABLE_SIZE;
