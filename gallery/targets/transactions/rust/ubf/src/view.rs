use std::str;

use crate::error::UbfError;
use crate::field::{Field, FieldId, FieldType, Kind};
use crate::{HEADER, MAX_BYTES, MAX_DEPTH};

/// A checked buffer that borrows its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View<'a> {
    /// The occurrences, without the header.
    entries: &'a [u8],
}

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

/// One occurrence of a field.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry<'a> {
    /// Which field.
    pub field: FieldId,
    /// Its value.
    pub value: Value<'a>,
}

/// The occurrences in the order of their fields.
#[derive(Debug, Clone)]
pub struct Iter<'a> {
    rest: &'a [u8],
}

impl<'a> View<'a> {
    /// Checks all of the bytes, nested buffers too, so that nothing that is read later can fail.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, UbfError> {
        parse(bytes, 1)
    }

    /// Of entries that are known to be right.
    pub(crate) fn of_entries(entries: &'a [u8]) -> Self {
        Self { entries }
    }

    /// The whole buffer with its header, copied.
    ///
    /// # Panics
    /// Never: a view is at most [`MAX_BYTES`] long.
    #[must_use]
    pub fn to_bytes(self) -> Vec<u8> {
        let length = u32::try_from(self.entries.len()).expect("a view fits");
        let mut bytes = Vec::with_capacity(HEADER + self.entries.len());
        bytes.extend_from_slice(&header(length));
        bytes.extend_from_slice(self.entries);
        bytes
    }

    /// All occurrences, sorted by field.
    #[must_use]
    pub fn iter(self) -> Iter<'a> {
        Iter { rest: self.entries }
    }

    /// How many occurrences a field has.
    #[must_use]
    pub fn count<K: Kind>(self, field: Field<K>) -> usize {
        self.all(field).count()
    }

    /// The values of all occurrences of a field.
    pub(crate) fn all<K: Kind>(self, field: Field<K>) -> impl Iterator<Item = Value<'a>> {
        let id = field.id();
        let below = self.iter().skip_while(move |entry| entry.field < id);
        below.take_while(move |entry| entry.field == id).map(|entry| entry.value)
    }
}

impl<'a> IntoIterator for View<'a> {
    type Item = Entry<'a>;
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = Entry<'a>;

    fn next(&mut self) -> Option<Entry<'a>> {
        if self.rest.is_empty() {
            return None;
        }
        let (entry, rest) = split(self.rest).expect("a view is checked");
        self.rest = rest;
        let value = value(entry).expect("a view is checked");
        Some(Entry { field: entry.field, value })
    }
}

impl Iter<'_> {
    /// Bytes that are not read yet.
    pub(crate) fn remaining(&self) -> usize {
        self.rest.len()
    }
}

pub(crate) fn header(length: u32) -> [u8; HEADER] {
    let [a, b, c, d] = length.to_le_bytes();
    [b'U', b'B', 1, 0, a, b, c, d]
}

/// A field's id, its type, and the bytes of its value without their length.
#[derive(Clone, Copy)]
struct Raw<'a> {
    field: FieldId,
    field_type: FieldType,
    bytes: &'a [u8],
}

fn parse(bytes: &[u8], depth: usize) -> Result<View<'_>, UbfError> {
    if depth > MAX_DEPTH {
        return Err(UbfError::Depth);
    }
    if bytes.len() > MAX_BYTES {
        return Err(UbfError::Size);
    }
    let (head, entries) = bytes.split_first_chunk::<HEADER>().ok_or(UbfError::Truncated { at: bytes.len() })?;
    let [b'U', b'B', 1, 0, length @ ..] = *head else { return Err(UbfError::Header) };
    let expected = u32::from_le_bytes(length) as usize;
    if expected != entries.len() {
        return Err(UbfError::Length { expected, found: entries.len() });
    }
    check(entries, depth).map_err(|error| match error {
        UbfError::Truncated { .. } => UbfError::Truncated { at: bytes.len() },
        other => other,
    })?;
    Ok(View { entries })
}

fn check(entries: &[u8], depth: usize) -> Result<(), UbfError> {
    let mut rest = entries;
    let mut last = FieldId(0);
    while !rest.is_empty() {
        let (entry, behind) = split(rest)?;
        if entry.field < last {
            return Err(UbfError::Order(entry.field));
        }
        match entry.field_type {
            FieldType::Text => drop(text(entry)?),
            FieldType::Nested => drop(parse(entry.bytes, depth + 1)?),
            _ => {}
        }
        last = entry.field;
        rest = behind;
    }
    Ok(())
}

/// The first entry, and what follows it.
fn split(from: &[u8]) -> Result<(Raw<'_>, &[u8]), UbfError> {
    let (id, rest) = from.split_first_chunk::<4>().ok_or(UbfError::Truncated { at: 0 })?;
    let field = FieldId(u32::from_le_bytes(*id));
    let field_type = field.field_type().ok_or(UbfError::UnknownType(field.0))?;
    let (length, rest) = match field_type {
        FieldType::Char => (1, rest),
        FieldType::Short => (2, rest),
        FieldType::Float => (4, rest),
        FieldType::Long | FieldType::Double => (8, rest),
        FieldType::Text | FieldType::Carray | FieldType::Nested => {
            let (length, rest) = rest.split_first_chunk::<4>().ok_or(UbfError::Truncated { at: 0 })?;
            (u32::from_le_bytes(*length) as usize, rest)
        }
    };
    let (bytes, rest) = rest.split_at_checked(length).ok_or(UbfError::Truncated { at: 0 })?;
    Ok((Raw { field, field_type, bytes }, rest))
}

fn text(entry: Raw<'_>) -> Result<&str, UbfError> {
    match str::from_utf8(entry.bytes) {
        Ok(text) if !entry.bytes.contains(&0) => Ok(text),
        _ => Err(UbfError::Text(entry.field)),
    }
}

/// None where the bytes are not as many as the type has.
fn value(entry: Raw<'_>) -> Option<Value<'_>> {
    let bytes = entry.bytes;
    Some(match entry.field_type {
        FieldType::Short => Value::Short(i16::from_le_bytes(bytes.try_into().ok()?)),
        FieldType::Long => Value::Long(i64::from_le_bytes(bytes.try_into().ok()?)),
        FieldType::Char => Value::Char(*bytes.first()?),
        FieldType::Float => Value::Float(f32::from_le_bytes(bytes.try_into().ok()?)),
        FieldType::Double => Value::Double(f64::from_le_bytes(bytes.try_into().ok()?)),
        FieldType::Text => Value::Text(str::from_utf8(bytes).ok()?),
        FieldType::Carray => Value::Carray(bytes),
        FieldType::Nested => Value::Nested(View::of_entries(bytes.get(HEADER..)?)),
    })
}
