//! `map<string, google.protobuf.Value>` to the JSON text of an object.

use std::borrow::Cow;
use std::io::Write;

use super::wire::{Fields, Malformed, Value, utf8};
use crate::draft::{Attributes, Flaw};
use events_core::limits::ATTRIBUTE_DEPTH;

/// Builds the attributes of one entity from its map entries.
pub struct AttributesText {
    /// Not yet checked to be UTF-8: one check of the whole is faster than many of short strings.
    text: Vec<u8>,
    flaw: Option<Flaw>,
}

/// The kind of a `Value` so far. The last kind set wins, but parts of a struct or list are merged.
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
        let mut text = Vec::with_capacity(size);
        text.push(b'{');
        Self { text, flaw: None }
    }

    pub fn finish(mut self) -> Result<Attributes<'static>, Malformed> {
        self.text.push(b'}');
        let text = String::from_utf8(self.text).map_err(|_| Malformed)?;
        Ok(Attributes { text: Cow::Owned(text), flaw: self.flaw })
    }

    /// Adds an entry of a map: `{1: key, 2: value}`. Its value's objects and arrays are of level `depth`.
    pub fn entry(&mut self, entry: &[u8], depth: usize) -> Result<(), Malformed> {
        // The key may follow the value, or be absent.
        let (mut key, mut value, mut parts) = (&[][..], &[][..], 0);
        for field in Fields::new(entry) {
            match field? {
                (1, Value::Bytes(bytes)) => {
                    // Checked now, because the next key replaces it.
                    utf8(key)?;
                    key = bytes;
                }
                (2, Value::Bytes(bytes)) => (value, parts) = (bytes, parts + 1),
                _ => {}
            }
        }
        self.separate(b'{');
        self.string(key);
        self.text.push(b':');
        if parts == 1 {
            return self.value(std::iter::once(value), depth);
        }
        let values = Fields::new(entry).filter_map(|field| match field {
            Ok((2, Value::Bytes(bytes))) => Some(bytes),
            _ => None,
        });
        self.value(values, depth)
    }

    /// Writes one `Value`, which may be split into parts.
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
            self.write("null");
        }
        Ok(())
    }

    fn kind(&mut self, field: (u32, Value<'_>), kind: Kind, start: usize, depth: usize) -> Result<Kind, Malformed> {
        match field {
            (1, Value::Varint(_)) => {
                self.overwrite(start)?;
                self.write("null");
            }
            (2, Value::Fixed64(bits)) => {
                self.overwrite(start)?;
                self.number(f64::from_bits(bits));
            }
            (3, Value::Bytes(bytes)) => {
                self.overwrite(start)?;
                self.string(bytes);
            }
            (4, Value::Varint(flag)) => {
                self.overwrite(start)?;
                self.write(if flag == 0 { "false" } else { "true" });
            }
            (5, Value::Bytes(bytes)) => {
                self.open(start, kind == Kind::Struct, b'{', depth)?;
                self.elements(bytes, depth, |out, entry| out.entry(entry, depth + 1))?;
                self.text.push(b'}');
                return Ok(Kind::Struct);
            }
            (6, Value::Bytes(bytes)) => {
                self.open(start, kind == Kind::List, b'[', depth)?;
                self.elements(bytes, depth, |out, value| {
                    out.separate(b'[');
                    out.value(std::iter::once(value), depth + 1)
                })?;
                self.text.push(b']');
                return Ok(Kind::List);
            }
            _ => return Ok(kind),
        }
        Ok(Kind::Scalar)
    }

    /// Takes back what was written from `start` on, after a look whether it was text.
    fn overwrite(&mut self, start: usize) -> Result<(), Malformed> {
        utf8(&self.text[start..])?;
        self.text.truncate(start);
        Ok(())
    }

    /// Opens an object or array, or opens again the one that was written there.
    fn open(&mut self, start: usize, again: bool, bracket: u8, depth: usize) -> Result<(), Malformed> {
        if again {
            self.text.pop();
        } else {
            self.overwrite(start)?;
            self.text.push(bracket);
        }
        if depth > ATTRIBUTE_DEPTH {
            self.note(Flaw::Depth);
        }
        Ok(())
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
        if self.text.last() != Some(&bracket) {
            self.text.push(b',');
        }
    }

    /// The shortest text that reads back as the same double; whole numbers as JSON clients write them.
    fn number(&mut self, number: f64) {
        if !number.is_finite() {
            self.note(Flaw::NumberRange);
            self.write("null");
            return;
        }
        let mut buffer = zmij::Buffer::new();
        let text = buffer.format_finite(number);
        self.write(text.strip_suffix(".0").unwrap_or(text));
    }

    fn string(&mut self, string: &[u8]) {
        self.text.push(b'"');
        let mut rest = string;
        while let Some(special) = first_special(rest) {
            self.text.extend_from_slice(&rest[..special]);
            self.escape(rest[special]);
            rest = &rest[special + 1..];
        }
        self.text.extend_from_slice(rest);
        self.text.push(b'"');
    }

    fn escape(&mut self, byte: u8) {
        if byte == 0 {
            self.note(Flaw::Nul);
        }
        match byte {
            b'"' => self.write("\\\""),
            b'\\' => self.write("\\\\"),
            _ => write!(self.text, "\\u{byte:04x}").expect("a Vec takes all bytes"),
        }
    }

    fn write(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
    }

    fn note(&mut self, flaw: Flaw) {
        self.flaw.get_or_insert(flaw);
    }
}

/// Where the first byte is that JSON does not take as it is.
fn first_special(bytes: &[u8]) -> Option<usize> {
    let (words, tail) = bytes.as_chunks::<8>();
    // Most strings have none: eight bytes are looked at together until one of them may be.
    let clean = words.iter().take_while(|word| !may_hold_special(**word)).count() * 8;
    let special = |byte: &u8| matches!(byte, 0..b' ' | b'"' | b'\\');
    if clean == bytes.len() - tail.len() {
        return tail.iter().position(special).map(|position| clean + position);
    }
    bytes[clean..].iter().position(special).map(|position| clean + position)
}

/// Whether one of eight bytes is below a space, `"` or `\`. False positives occur for bytes above 0x7f only.
fn may_hold_special(bytes: [u8; 8]) -> bool {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGH: u64 = ONES << 7;
    let word = u64::from_le_bytes(bytes);
    let below = |word: u64, limit: u8| word.wrapping_sub(ONES * u64::from(limit));
    let equal = |byte: u8| below(word ^ (ONES * u64::from(byte)), 1);
    (below(word, b' ') | equal(b'"') | equal(b'\\')) & HIGH != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_special_byte_is_found_wherever_it_stands() {
        for length in 0..40 {
            for usual in [b'a', b' ', b'!', b'#', b'[', b']', 0x7f, 0x80, 0xa0, 0xff] {
                let mut bytes = vec![usual; length];
                assert_eq!(first_special(&bytes), None, "{bytes:?}");
                for position in (0..length).rev() {
                    for special in (0..b' ').chain([b'"', b'\\']) {
                        bytes[position] = special;
                        assert_eq!(first_special(&bytes), Some(position), "{bytes:?}");
                    }
                }
            }
        }
    }
}
