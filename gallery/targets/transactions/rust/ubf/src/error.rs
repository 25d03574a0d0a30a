use thiserror::Error;

use crate::field::{FieldId, FieldType};

/// Why bytes are no buffer, or why a field has no such value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum UbfError {
    /// Fewer bytes than the header or a value needs; `at` is the offset where they end.
    #[error("the buffer ends at byte {at}, within a field")]
    Truncated {
        /// Offset in bytes from the start.
        at: usize,
    },
    /// The first bytes are not those of a buffer of this version.
    #[error("not a UBF buffer of version 1")]
    Header,
    /// The length of the header is not that of the bytes.
    #[error("the header says {expected} bytes follow, but {found} do")]
    Length {
        /// The size in the header.
        expected: usize,
        /// The size that arrived.
        found: usize,
    },
    /// A field's id has a type that does not exist.
    #[error("field {0:#010x} has an unknown type")]
    UnknownType(u32),
    /// The fields are not in ascending order.
    #[error("field {0} stands behind a higher one")]
    Order(FieldId),
    /// A string is not UTF-8, or holds a zero byte, which ends a string on the other side.
    #[error("field {0} is not a string: it must be UTF-8 without zero bytes")]
    Text(FieldId),
    /// Buffers are nested more than [`crate::MAX_DEPTH`] deep.
    #[error("buffers are nested more than {} deep", crate::MAX_DEPTH)]
    Depth,
    /// The buffer is or would be larger than [`crate::MAX_BYTES`].
    #[error("the buffer is larger than {} bytes", crate::MAX_BYTES)]
    Size,
    /// A required field is absent.
    #[error("field {0} is missing")]
    Missing(FieldId),
    /// There is no such occurrence to change or remove.
    #[error("field {field} has no occurrence {occurrence}")]
    Occurrence {
        /// The field.
        field: FieldId,
        /// Counted from 0.
        occurrence: usize,
    },
    /// A value of another type than the field's.
    #[error("field {field} holds a {expected:?}")]
    Type {
        /// The field.
        field: FieldId,
        /// The field's type.
        expected: FieldType,
    },
}
