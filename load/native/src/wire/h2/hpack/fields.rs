//! Decoding whole fields, for replies of REST APIs: their status, and their headers as HTTP/1 would show them.

use std::collections::VecDeque;

use super::integer::{Invalid, integer};
use super::table::{DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC_NAMES};
use crate::wire::h2::huffman;

const STATIC_STATUS: [&str; 7] = ["200", "204", "206", "304", "400", "404", "500"];
const FIRST_STATUS: usize = 8;

type Field = (Vec<u8>, Vec<u8>);

/// Decodes the header blocks of one connection; all of them, in their order.
#[derive(Debug)]
pub struct FieldDecoder {
    entries: VecDeque<Field>,
    size: usize,
    limit: usize,
}

impl Default for FieldDecoder {
    fn default() -> Self {
        Self { entries: VecDeque::new(), size: 0, limit: DEFAULT_TABLE_SIZE }
    }
}

impl FieldDecoder {
    /// Appends the block's fields to `head`, as lines; returns its status, where it has one.
    ///
    /// # Errors
    /// The block is not valid.
    pub fn decode(&mut self, mut block: &[u8], head: &mut Vec<u8>) -> Result<Option<u16>, Invalid> {
        let mut status = None;
        while let Some(first) = block.first() {
            let (name, value) = match first {
                0x80.. => self.field_at(integer(&mut block, 7)?)?,
                0x40..=0x7f => {
                    let field = self.literal(&mut block, 6)?;
                    self.insert(field.clone());
                    field
                }
                0x20..=0x3f => {
                    self.resize(integer(&mut block, 5)?)?;
                    continue;
                }
                _ => self.literal(&mut block, 4)?,
            };
            if name == b":status" {
                status = std::str::from_utf8(&value).ok().and_then(|text| text.parse().ok());
            } else {
                [name.as_slice(), b": ", &value, b"\r\n"].iter().for_each(|part| head.extend_from_slice(part));
            }
        }
        Ok(status)
    }

    fn field_at(&self, index: usize) -> Result<Field, Invalid> {
        match index {
            0 => Err(Invalid),
            1..=61 => {
                let value = index.checked_sub(FIRST_STATUS).and_then(|at| STATIC_STATUS.get(at)).copied();
                Ok((STATIC_NAMES[index - 1].into(), value.unwrap_or_default().into()))
            }
            _ => self.entries.get(index - 62).cloned().ok_or(Invalid),
        }
    }

    fn literal(&self, block: &mut &[u8], prefix: u32) -> Result<Field, Invalid> {
        let name = match integer(block, prefix)? {
            0 => string(block)?,
            index => self.field_at(index)?.0,
        };
        Ok((name, string(block)?))
    }

    fn insert(&mut self, field: Field) {
        let size = field.0.len() + field.1.len() + ENTRY_OVERHEAD;
        self.evict(self.limit.saturating_sub(size));
        if size <= self.limit {
            self.size += size;
            self.entries.push_front(field);
        }
    }

    fn resize(&mut self, limit: usize) -> Result<(), Invalid> {
        if limit > DEFAULT_TABLE_SIZE {
            return Err(Invalid);
        }
        self.limit = limit;
        self.evict(limit);
        Ok(())
    }

    fn evict(&mut self, room: usize) {
        while self.size > room {
            match self.entries.pop_back() {
                Some((name, value)) => self.size -= name.len() + value.len() + ENTRY_OVERHEAD,
                None => break,
            }
        }
    }
}

fn string(block: &mut &[u8]) -> Result<Vec<u8>, Invalid> {
    let is_huffman = block.first().ok_or(Invalid)? & 0x80 != 0;
    let length = integer(block, 7)?;
    let (raw, rest) = block.split_at_checked(length).ok_or(Invalid)?;
    *block = rest;
    if !is_huffman {
        return Ok(raw.to_vec());
    }
    let mut text = Vec::new();
    huffman::decode(raw, &mut text).ok_or(Invalid)?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_also_through_the_table() {
        let mut decoder = FieldDecoder::default();
        let mut head = Vec::new();
        assert_eq!(decoder.decode(b"\x88\x6e\x02/a\x40\x01x\x01y", &mut head), Ok(Some(200)));
        assert_eq!(head, b"location: /a\r\nx: y\r\n");
        head.clear();
        assert_eq!(decoder.decode(b"\x8d\xbe\xbf", &mut head), Ok(Some(404)));
        assert_eq!(head, b"x: y\r\nlocation: /a\r\n");
        assert_eq!(decoder.decode(b"\xc0", &mut head), Err(Invalid));
        assert_eq!(decoder.decode(b"\x40\x05ab", &mut head), Err(Invalid));
    }
}
