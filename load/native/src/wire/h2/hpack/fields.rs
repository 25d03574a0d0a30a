//! Decoding whole fields, for replies of REST APIs: their status, and their headers as HTTP/1 would show them.

use super::dynamic_table::DynamicTable;
use super::integer::{Invalid, integer, read_string};
use super::table::{STATIC_NAMES, static_status};

type Field = (Vec<u8>, Vec<u8>);

/// Decodes the header blocks of one connection; all of them, in their order.
#[derive(Debug, Default)]
pub struct FieldDecoder {
    table: DynamicTable<Field>,
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
                    self.table.insert(field.clone(), field.0.len() + field.1.len());
                    field
                }
                0x20..=0x3f => {
                    self.table.resize(integer(&mut block, 5)?)?;
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
                let value = static_status(index).map_or_else(Vec::new, |status| status.to_string().into_bytes());
                Ok((STATIC_NAMES[index - 1].into(), value))
            }
            _ => self.table.get(index),
        }
    }

    fn literal(&self, block: &mut &[u8], prefix: u32) -> Result<Field, Invalid> {
        let name = match integer(block, prefix)? {
            0 => string(block)?,
            index => self.field_at(index)?.0,
        };
        Ok((name, string(block)?))
    }
}

fn string(block: &mut &[u8]) -> Result<Vec<u8>, Invalid> {
    let mut text = Vec::new();
    read_string(block, &mut text)?;
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
