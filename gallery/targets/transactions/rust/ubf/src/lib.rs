//! A typed fielded buffer after the model of XATMI's UBF: a flat list of occurrences of typed fields, sorted by field.
//!
//! [`Buffer`] is written, [`View`] reads bytes without copying them. A view is checked once, in [`View::parse`]; after
//! that reading cannot fail except for a field that is missing. [`UbfStruct`], which `#[derive(UbfStruct)]` implements,
//! maps a struct to fields.
//!
//! ```
//! use ubf::{Field, UbfStruct, View, kind};
//!
//! const NAME: Field<kind::Text> = Field::new(1002);
//!
//! #[derive(Debug, PartialEq, UbfStruct)]
//! struct Person {
//!     #[ubf(field = NAME)]
//!     name: String,
//! }
//!
//! let buffer = Person { name: "Ada".into() }.to_buffer()?;
//! assert_eq!(Person::read_from(View::parse(buffer.as_bytes())?)?.name, "Ada");
//! # Ok::<(), ubf::UbfError>(())
//! ```
//!
//! The compiler refuses a member whose type does not fit its field:
//!
//! ```compile_fail,E0277
//! # use ubf::{Field, UbfStruct, View, kind};
//! # const NAME: Field<kind::Text> = Field::new(1002);
//! #[derive(UbfStruct)]
//! struct Person {
//!     #[ubf(field = NAME)]
//!     name: i64,
//! }
//! ```
//!
//! The layout, all numbers little-endian: `UB`, the version (1), a zero byte and the length of what follows as u32; then
//! for each occurrence the field's id as u32 (type × 2^25 + number) and its value: two, eight, one, four or eight bytes
//! for short, long, char, float and double; a u32 length and the bytes for string, carray and nested buffers.

mod buffer;
mod error;
mod field;
mod scalar;
mod structs;
mod view;

pub use buffer::Buffer;
pub use error::UbfError;
pub use field::{Field, FieldId, FieldType, Kind, kind};
pub use scalar::Scalar;
pub use structs::{UbfField, UbfStruct};
pub use ubf_derive::UbfStruct;
pub use view::{Entry, Iter, Value, View};

/// Bytes of the header.
const HEADER: usize = 8;
/// The largest buffer, header included: 16 MiB.
pub const MAX_BYTES: usize = 16 << 20;
/// How deep buffers may be nested in one another.
pub const MAX_DEPTH: usize = 8;
