//! `map<string, google.protobuf.Value>` to the JSON text of an object.

use std::borrow::Cow;
use std::fmt::Write;

use super::wire::{Fields, Malformed, Value, utf8};
use crate::draft::{Attributes, Flaw};
use crate::limits::ATTRIBUTE_DEPTH;

/// The attributes of one entity while its map entries come in.
pub struct AttributesText {
    text: String,
    flaw: Option<Flaw>,
}

/// What a `Value` holds so far. The last kind set counts, but a struct or list that comes in parts is one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Unset,
    Scalar,
    Struct,
    List,
}

impl AttributesText {
    /// `size` is about how long the text will be.
    pub fn new(size: usize) -> Self {
        let mut text = String::with_capacity(size);
        text.push('{');
        Self { text, flaw: None }
    }

    pub fn finish(mut self) -> Attributes<'static> {
        self.text.push('}');
        Attributes { text: Cow::Owned(self.text), flaw: self.flaw }
    }

    /// Adds an entry of a map: `{1: key, 2: value}`. Its value's objects and arrays are of level `depth`.
    pub fn entry(&mut self, entry: &[u8], depth: usize) -> Result<(), Malformed> {
        // The key may come after the value, or not at all.
        let (mut key, mut value, mut parts) = ("", &[][..], 0);
        for field in Fields::new(entry) {
            match field? {
                (1, Value::Bytes(bytes)) => key = utf8(bytes)?,
                (2, Value::Bytes(bytes)) => (value, parts) = (bytes, parts + 1),
                _ => {}
            }
        }
        self.separate(b'{');
        self.string(key);
        self.text.push(':');
        if parts == 1 {
            return self.value(std::iter::once(value), depth);
        }
        let values = Fields::new(entry).filter_map(|field| match field {
            Ok((2, Value::Bytes(bytes))) => Some(bytes),
            _ => None,
        });
        self.value(values, depth)
    }

    /// Writes one `Value`, which may come in parts.
    fn value<'a>(&mut self, parts: impl Iterator<Item = &'a [u8]>, depth: usize) -> Result<(), Malformed> {
        let start = self.text.len();
        let mut kind = Kind::Unset;
        for part in parts {
            for field in Fields::new(part) {
                kind = self.kind(field?, kind, start, depth)?;
            }
        }
        if kind == Kind::Unset {
            self.note(Flaw::NoKind);
            self.text.push_str("null");
        }
        Ok(())
    }

    fn kind(&mut self, field: (u32, Value<'_>), kind: Kind, start: usize, depth: usize) -> Result<Kind, Malformed> {
        match field {
            (1, Value::Varint(_)) => self.scalar(start, |out| out.text.push_str("null")),
            (2, Value::Fixed64(bits)) => self.scalar(start, |out| out.number(f64::from_bits(bits))),
            (3, Value::Bytes(bytes)) => {
                let text = utf8(bytes)?;
                self.scalar(start, |out| out.string(text));
            }
            (4, Value::Varint(flag)) => {
                self.scalar(start, |out| out.text.push_str(if flag == 0 { "false" } else { "true" }));
            }
            (5, Value::Bytes(bytes)) => {
                self.open(start, kind == Kind::Struct, '{', depth);
                self.elements(bytes, depth, |out, entry| out.entry(entry, depth + 1))?;
                self.text.push('}');
                return Ok(Kind::Struct);
            }
            (6, Value::Bytes(bytes)) => {
                self.open(start, kind == Kind::List, '[', depth);
                self.elements(bytes, depth, |out, value| {
                    out.separate(b'[');
                    out.value(std::iter::once(value), depth + 1)
                })?;
                self.text.push(']');
                return Ok(Kind::List);
            }
            _ => return Ok(kind),
        }
        Ok(Kind::Scalar)
    }

    fn scalar(&mut self, start: usize, write: impl FnOnce(&mut Self)) {
        self.text.truncate(start);
        write(self);
    }

    /// Opens an object or array, or opens again the one that was written there.
    fn open(&mut self, start: usize, again: bool, bracket: char, depth: usize) {
        if again {
            self.text.pop();
        } else {
            self.text.truncate(start);
            self.text.push(bracket);
        }
        if depth > ATTRIBUTE_DEPTH {
            self.note(Flaw::Depth);
        }
    }

    /// Writes what field 1 of a `Struct` or `ListValue` repeats; nothing of it below the deepest level,
    /// so that a hostile message cannot use up the stack.
    fn elements(
        &mut self,
        message: &[u8],
        depth: usize,
        mut element: impl FnMut(&mut Self, &[u8]) -> Result<(), Malformed>,
    ) -> Result<(), Malformed> {
        for field in Fields::new(message) {
            if let (1, Value::Bytes(bytes)) = field?
                && depth <= ATTRIBUTE_DEPTH
            {
                element(self, bytes)?;
            }
        }
        Ok(())
    }

    /// A comma, unless the bracket has just been opened.
    fn separate(&mut self, bracket: u8) {
        if self.text.as_bytes().last() != Some(&bracket) {
            self.text.push(',');
        }
    }

    /// The shortest text that reads back as the same double; whole numbers as JSON clients write them.
    fn number(&mut self, number: f64) {
        if !number.is_finite() {
            self.note(Flaw::NumberRange);
            self.text.push_str("null");
            return;
        }
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(number);
        self.text.push_str(text.strip_suffix(".0").unwrap_or(text));
    }

    fn string(&mut self, string: &str) {
        self.text.push('"');
        let mut rest = string;
        while let Some(special) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
            self.text.push_str(&rest[..special]);
            self.escape(rest.as_bytes()[special]);
            rest = &rest[special + 1..];
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.text.push_str("\\\""),
            b'\\' => self.text.push_str("\\\\"),
            0 => self.note(Flaw::Nul),
            _ => write!(self.text, "\\u{byte:04x}").expect("a String takes all text"),
        }
    }

    fn note(&mut self, flaw: Flaw) {
        self.flaw.get_or_insert(flaw);
    }
}
