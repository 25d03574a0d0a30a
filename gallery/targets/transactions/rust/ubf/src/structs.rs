use crate::buffer::Buffer;
use crate::error::UbfError;
use crate::field::{Field, Kind, kind};
use crate::scalar::Scalar;
use crate::view::View;

/// A struct whose members are fields: `#[derive(UbfStruct)]`.
pub trait UbfStruct<'a>: Sized {
    /// Adds every member.
    fn add_to(&self, buffer: &mut Buffer) -> Result<(), UbfError>;

    /// Reads every member; fields that are not the struct's are ignored.
    fn read_from(view: View<'a>) -> Result<Self, UbfError>;

    /// A buffer with the members of this struct alone.
    fn to_buffer(&self) -> Result<Buffer, UbfError> {
        let mut buffer = Buffer::new();
        self.add_to(&mut buffer)?;
        Ok(buffer)
    }
}

/// A type that a struct's member can have: a scalar, an `Option` of one (absent), or a `Vec` (every occurrence).
#[diagnostic::on_unimplemented(
    message = "a `{Self}` cannot be stored in a field of kind `{K}`",
    label = "this member does not fit its field",
    note = "short: i16, long: i64, char: u8, float: f32, double: f64, string: String or &str, carray: &[u8], \
            nested: a struct that derives UbfStruct; each also as Option or Vec"
)]
pub trait UbfField<'a, K: Kind>: Sized {
    /// Adds the member's occurrences.
    fn add_to(&self, field: Field<K>, buffer: &mut Buffer) -> Result<(), UbfError>;

    /// Reads the member.
    fn read_from(field: Field<K>, view: View<'a>) -> Result<Self, UbfError>;
}

/// One occurrence, which must be there. Not for every `Scalar` at once: `Option` might become one elsewhere.
macro_rules! single {
    ($($of_type:ty, $kind:ident);*) => {$(
        impl<'a> UbfField<'a, kind::$kind> for $of_type {
            fn add_to(&self, field: Field<kind::$kind>, buffer: &mut Buffer) -> Result<(), UbfError> {
                buffer.add(field, self)
            }

            fn read_from(field: Field<kind::$kind>, view: View<'a>) -> Result<Self, UbfError> {
                view.require(field)
            }
        }
    )*};
}
single!(
    i16, Short; i64, Long; u8, Char; f32, Float; f64, Double; String, Text; &'a str, Text; &'a [u8], Carray;
    View<'a>, Nested
);

impl<'a, K: Kind, T: Scalar<'a, K>> UbfField<'a, K> for Option<T> {
    fn add_to(&self, field: Field<K>, buffer: &mut Buffer) -> Result<(), UbfError> {
        self.as_ref().map_or(Ok(()), |value| buffer.add(field, value))
    }

    fn read_from(field: Field<K>, view: View<'a>) -> Result<Self, UbfError> {
        view.get(field, 0)
    }
}

impl<'a, K: Kind, T: Scalar<'a, K>> UbfField<'a, K> for Vec<T> {
    fn add_to(&self, field: Field<K>, buffer: &mut Buffer) -> Result<(), UbfError> {
        self.iter().try_for_each(|value| buffer.add(field, value))
    }

    fn read_from(field: Field<K>, view: View<'a>) -> Result<Self, UbfError> {
        view.all(field).map(|value| T::read(field, value)).collect()
    }
}
