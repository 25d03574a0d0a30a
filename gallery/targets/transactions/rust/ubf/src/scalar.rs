use crate::error::UbfError;
use crate::field::{Field, Kind, kind};
use crate::view::{Value, View};

/// A type that one occurrence of a field of kind `K` can hold.
pub trait Scalar<'a, K: Kind>: Sized {
    /// Appends the value's bytes, without the field's id.
    fn write(&self, field: Field<K>, to: &mut Vec<u8>) -> Result<(), UbfError>;

    /// The value of an occurrence, whose type is the field's.
    fn read(field: Field<K>, value: Value<'a>) -> Result<Self, UbfError>;
}

impl<'a> View<'a> {
    /// An occurrence of a field, counted from 0; None where there is none.
    pub fn get<K: Kind, T: Scalar<'a, K>>(self, field: Field<K>, occurrence: usize) -> Result<Option<T>, UbfError> {
        self.all(field).nth(occurrence).map(|value| T::read(field, value)).transpose()
    }

    /// The first occurrence of a field that must be there.
    pub fn require<K: Kind, T: Scalar<'a, K>>(self, field: Field<K>) -> Result<T, UbfError> {
        self.get(field, 0)?.ok_or(UbfError::Missing(field.id()))
    }
}

pub(crate) fn mismatch<K: Kind>(field: Field<K>) -> UbfError {
    UbfError::Type { field: field.id(), expected: K::TYPE }
}

/// Appends a length and the bytes that it counts.
pub(crate) fn write_bytes(bytes: &[u8], to: &mut Vec<u8>) -> Result<(), UbfError> {
    let length = u32::try_from(bytes.len()).map_err(|_| UbfError::Size)?;
    to.extend_from_slice(&length.to_le_bytes());
    to.extend_from_slice(bytes);
    Ok(())
}

macro_rules! numbers {
    ($($number:ty, $kind:ident);*) => {$(
        impl<'a> Scalar<'a, kind::$kind> for $number {
            fn write(&self, _: Field<kind::$kind>, to: &mut Vec<u8>) -> Result<(), UbfError> {
                to.extend_from_slice(&self.to_le_bytes());
                Ok(())
            }

            fn read(field: Field<kind::$kind>, value: Value<'a>) -> Result<Self, UbfError> {
                match value {
                    Value::$kind(number) => Ok(number),
                    _ => Err(mismatch(field)),
                }
            }
        }
    )*};
}
numbers!(i16, Short; i64, Long; u8, Char; f32, Float; f64, Double);

impl<'a> Scalar<'a, kind::Text> for &'a str {
    fn write(&self, field: Field<kind::Text>, to: &mut Vec<u8>) -> Result<(), UbfError> {
        if self.as_bytes().contains(&0) {
            return Err(UbfError::Text(field.id()));
        }
        write_bytes(self.as_bytes(), to)
    }

    fn read(field: Field<kind::Text>, value: Value<'a>) -> Result<Self, UbfError> {
        match value {
            Value::Text(text) => Ok(text),
            _ => Err(mismatch(field)),
        }
    }
}

impl<'a> Scalar<'a, kind::Text> for String {
    fn write(&self, field: Field<kind::Text>, to: &mut Vec<u8>) -> Result<(), UbfError> {
        self.as_str().write(field, to)
    }

    fn read(field: Field<kind::Text>, value: Value<'a>) -> Result<Self, UbfError> {
        <&str>::read(field, value).map(str::to_owned)
    }
}

impl<'a> Scalar<'a, kind::Carray> for &'a [u8] {
    fn write(&self, _: Field<kind::Carray>, to: &mut Vec<u8>) -> Result<(), UbfError> {
        write_bytes(self, to)
    }

    fn read(field: Field<kind::Carray>, value: Value<'a>) -> Result<Self, UbfError> {
        match value {
            Value::Carray(bytes) => Ok(bytes),
            _ => Err(mismatch(field)),
        }
    }
}

impl<'a> Scalar<'a, kind::Nested> for View<'a> {
    fn write(&self, _: Field<kind::Nested>, to: &mut Vec<u8>) -> Result<(), UbfError> {
        write_bytes(&self.to_bytes(), to)
    }

    fn read(field: Field<kind::Nested>, value: Value<'a>) -> Result<Self, UbfError> {
        match value {
            Value::Nested(view) => Ok(view),
            _ => Err(mismatch(field)),
        }
    }
}
