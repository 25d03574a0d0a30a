use std::fmt;
use std::marker::PhantomData;

/// The type of a field's values, with the numbers that Enduro/X gives them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum FieldType {
    /// `i16`.
    Short = 0,
    /// `i64`.
    Long = 1,
    /// One byte.
    Char = 2,
    /// `f32`.
    Float = 3,
    /// `f64`.
    Double = 4,
    /// UTF-8 without zero bytes.
    Text = 5,
    /// Bytes.
    Carray = 6,
    /// A buffer within the buffer.
    Nested = 10,
}

impl FieldType {
    /// None where no type has this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Short,
            1 => Self::Long,
            2 => Self::Char,
            3 => Self::Float,
            4 => Self::Double,
            5 => Self::Text,
            6 => Self::Carray,
            10 => Self::Nested,
            _ => return None,
        })
    }
}

const NUMBER_BITS: u32 = 25;

/// A field's type and number in one: type × 2^25 + number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FieldId(pub(crate) u32);

impl FieldId {
    /// The id as it stands in a buffer.
    #[must_use]
    pub const fn as_u32(self) -> u32 {
        self.0
    }

    /// The number without the type, as in a field table: 1003.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0 & ((1 << NUMBER_BITS) - 1)
    }

    /// None where no field has this type.
    #[must_use]
    pub fn field_type(self) -> Option<FieldType> {
        FieldType::from_number(self.0 >> NUMBER_BITS)
    }
}

impl fmt::Display for FieldId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{}", self.number())
    }
}

impl fmt::Debug for FieldId {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(to, "{:?}:{}", self.field_type(), self.number())
    }
}

/// The type of a field as a type, so that the compiler refuses a value of another.
pub trait Kind {
    /// The type that the field's id carries.
    const TYPE: FieldType;
}

/// The kinds of fields.
pub mod kind {
    use super::{FieldType, Kind};

    macro_rules! kinds {
        ($($name:ident),*) => {$(
            #[doc = concat!("Fields of type ", stringify!($name), ".")]
            #[derive(Debug, Clone, Copy)]
            pub enum $name {}
            impl Kind for $name {
                const TYPE: FieldType = FieldType::$name;
            }
        )*};
    }
    kinds!(Short, Long, Char, Float, Double, Text, Carray, Nested);
}

/// A field of a table: `const MESSAGE: Field<kind::Text> = Field::new(1003);`
#[derive(Debug)]
pub struct Field<K: Kind> {
    number: u32,
    kind: PhantomData<K>,
}

impl<K: Kind> Clone for Field<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Kind> Copy for Field<K> {}

impl<K: Kind> Field<K> {
    /// The field of this number.
    ///
    /// # Panics
    /// If the number is 0 or does not fit into 25 bits: at compile time, for a constant.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        assert!(number > 0 && number < 1 << NUMBER_BITS, "a field's number has 1 to 25 bits");
        Self { number, kind: PhantomData }
    }

    /// Number and type in one.
    #[must_use]
    pub const fn id(self) -> FieldId {
        FieldId(((K::TYPE as u32) << NUMBER_BITS) | self.number)
    }
}
