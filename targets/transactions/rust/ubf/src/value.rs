use crate::field::FieldType;
use crate::view::View;

/// One occurrence's value; text, bytes and nested buffers borrow from the buffer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<'a> {
    /// `short`
    Short(i16),
    /// `long`
    Long(i64),
    /// `char`
    Char(u8),
    /// `float`
    Float(f32),
    /// `double`
    Double(f64),
    /// `string`
    Text(&'a str),
    /// `carray`
    Carray(&'a [u8]),
    /// A buffer within the buffer.
    Nested(View<'a>),
}

impl Value<'_> {
    /// The type of a field that can hold it.
    #[must_use]
    pub fn field_type(&self) -> FieldType {
        match self {
            Self::Short(_) => FieldType::Short,
            Self::Long(_) => FieldType::Long,
            Self::Char(_) => FieldType::Char,
            Self::Float(_) => FieldType::Float,
            Self::Double(_) => FieldType::Double,
            Self::Text(_) => FieldType::Text,
            Self::Carray(_) => FieldType::Carray,
            Self::Nested(_) => FieldType::Nested,
        }
    }
}
