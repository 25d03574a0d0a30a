//! A decoded event whose syntax is valid and whose rules have not been checked.
//!
//! A decoder must read a message to its end before it reports anything, because syntax errors have priority,
//! and must then report the first broken rule in the contract's order, not in the order of the message.
//! So decoders only record what they find; `validation` decides.

use std::borrow::Cow;

/// The content of a field.
#[derive(Debug, Default, PartialEq)]
pub enum Field<T> {
    /// Nothing.
    #[default]
    Absent,
    /// `null`: the same as absent, except that its name must not occur again.
    Null,
    /// A value of the field's kind.
    Present(T),
    /// A value of some other kind.
    WrongKind,
    /// The name occurs more than once.
    Duplicate,
}

impl<T> Field<T> {
    /// Records the value of a name that may occur once.
    pub fn put(&mut self, found: Self) {
        *self = match self {
            Self::Absent => found,
            _ => Self::Duplicate,
        };
    }
}

/// A string, or for dates an integer, as written in the message.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scalar<'a> {
    /// Text without escapes.
    Plain(&'a str),
    /// The inside of a JSON string that contains escapes; its syntax has been checked.
    Escaped(&'a str),
    /// The literal of a JSON number without fraction and exponent.
    Integer(&'a str),
}

/// Why a value cannot be stored although its syntax is valid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Flaw {
    /// U+0000.
    Nul,
    /// Half of a surrogate pair.
    LoneSurrogate,
    /// A number that a double cannot hold, or a literal that is too long.
    NumberRange,
    /// Too many levels.
    Depth,
    /// A protobuf `Value` in which nothing is set.
    NoKind,
}

impl Flaw {
    /// The contract's wording.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::Nul => "contains \\u0000, which cannot be stored",
            Self::LoneSurrogate => "contains a lone surrogate, which cannot be stored",
            Self::NumberRange => "contains a number outside the double range",
            Self::Depth => "nested deeper than 32 levels",
            Self::NoKind => "contains a value without a kind",
        }
    }
}

/// `updatedAttributes`: the JSON text of an object, and the first thing in it that cannot be stored.
#[derive(Debug, PartialEq)]
pub struct Attributes<'a> {
    pub text: Cow<'a, str>,
    pub flaw: Option<Flaw>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Draft<'a> {
    pub header: Field<Header<'a>>,
    pub body: Field<Body<'a>>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Header<'a> {
    pub uuid: Field<Scalar<'a>>,
    pub event_name: Field<Scalar<'a>>,
    pub created_date: Field<Scalar<'a>>,
    pub saved_date: Field<Scalar<'a>>,
    pub event_type: Field<Scalar<'a>>,
}

#[derive(Debug, Default, PartialEq)]
pub struct Body<'a> {
    pub entities: Field<Entities<'a>>,
}

/// The array of entities. Elements beyond the limit are counted and dropped.
#[derive(Debug, Default, PartialEq)]
pub struct Entities<'a> {
    pub kept: Vec<Field<EntityUpdate<'a>>>,
    pub count: usize,
}

impl<'a> Entities<'a> {
    /// Adds the next element.
    pub fn push(&mut self, entity: Field<EntityUpdate<'a>>) {
        self.count += 1;
        if self.count <= events_core::limits::ENTITIES {
            self.kept.push(entity);
        }
    }
}

#[derive(Debug, Default, PartialEq)]
pub struct EntityUpdate<'a> {
    pub entity_type: Field<Scalar<'a>>,
    pub entity_id: Field<Scalar<'a>>,
    pub attributes: Field<Attributes<'a>>,
}
