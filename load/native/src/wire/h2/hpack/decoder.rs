//! Decoding: keeps only the fields that show the outcome of a call.

use std::sync::Arc;

use super::dynamic_table::DynamicTable;
use super::integer::{Invalid, integer, read_string};
use super::table::{STATIC_NAMES, static_status};

/// A call's outcome, as far as a header block states it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    pub status: Option<u16>,
    pub grpc_status: Option<u16>,
    /// Percent-encoded, where it is not empty.
    pub grpc_message: Option<Arc<[u8]>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Name {
    Status,
    GrpcStatus,
    GrpcMessage,
    Other,
}

/// A field of which only what matters is kept.
#[derive(Debug, Clone)]
struct Field {
    name: Name,
    name_length: usize,
    value_length: usize,
    number: Option<u16>,
    text: Option<Arc<[u8]>>,
}

/// Decodes the header blocks of one connection.
#[derive(Debug, Default)]
pub struct Decoder {
    table: DynamicTable<Field>,
    text: Vec<u8>,
}

impl Decoder {
    /// Decodes a whole block. All blocks must be decoded, in their order: each changes what later ones mean.
    ///
    /// # Errors
    /// The block is not valid.
    pub fn decode(&mut self, mut block: &[u8]) -> Result<Outcome, Invalid> {
        let mut outcome = Outcome::default();
        while let Some(first) = block.first() {
            let field = match first {
                0x80.. => self.field_at(integer(&mut block, 7)?)?,
                0x40..=0x7f => {
                    let field = self.literal(&mut block, 6)?;
                    self.table.insert(field.clone(), field.name_length + field.value_length);
                    field
                }
                0x20..=0x3f => {
                    self.table.resize(integer(&mut block, 5)?)?;
                    continue;
                }
                _ => self.literal(&mut block, 4)?,
            };
            match field.name {
                Name::Status => outcome.status = field.number,
                Name::GrpcStatus => outcome.grpc_status = field.number,
                Name::GrpcMessage => outcome.grpc_message = field.text,
                Name::Other => {}
            }
        }
        Ok(outcome)
    }

    fn field_at(&self, index: usize) -> Result<Field, Invalid> {
        match index {
            0 => Err(Invalid),
            1..=61 => {
                let (name, status) = (STATIC_NAMES[index - 1], static_status(index));
                // Static values other than statuses are never inserted, so that their length does not matter.
                Ok(Field {
                    name: name_of(name.as_bytes()),
                    name_length: name.len(),
                    value_length: 3,
                    number: status,
                    text: None,
                })
            }
            _ => self.table.get(index),
        }
    }

    fn literal(&mut self, block: &mut &[u8], prefix: u32) -> Result<Field, Invalid> {
        let (name, name_length) = match integer(block, prefix)? {
            0 => {
                read_string(block, &mut self.text)?;
                (name_of(&self.text), self.text.len())
            }
            index => {
                let known = self.field_at(index)?;
                (known.name, known.name_length)
            }
        };
        read_string(block, &mut self.text)?;
        let number = match name {
            Name::Other | Name::GrpcMessage => None,
            _ => std::str::from_utf8(&self.text).ok().and_then(|text| text.parse().ok()),
        };
        let text = (name == Name::GrpcMessage && !self.text.is_empty()).then(|| self.text.as_slice().into());
        Ok(Field { name, name_length, value_length: self.text.len(), number, text })
    }
}

fn name_of(name: &[u8]) -> Name {
    match name {
        b":status" => Name::Status,
        b"grpc-status" => Name::GrpcStatus,
        b"grpc-message" => Name::GrpcMessage,
        _ => Name::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(hexadecimal: &str) -> Vec<u8> {
        let digits: String = hexadecimal.chars().filter(|c| !c.is_whitespace()).collect();
        (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).expect("digits")).collect()
    }

    /// RFC 7541, C.6: responses with Huffman codes, in a table of 256 bytes that must evict.
    #[test]
    fn responses_of_the_standard() {
        let mut decoder = Decoder { table: DynamicTable::of_limit(256), ..Decoder::default() };
        let first = "4882 6402 5885 aec3 771a 4b61 96d0 7abe 9410 54d4 44a8 2005 9504 0b81 66e0 82a6 2d1b ff6e \
                     919d 29ad 1718 63c7 8f0b 97c8 e9ae 82ae 43d3";
        let third = "88c1 6196 d07a be94 1054 d444 a820 0595 040b 8166 e084 a62d 1bff c05a 839b d9ab 77ad 94e7 821d \
                     d7f2 e6c7 b335 dfdf cd5b 3960 d5af 2708 7f36 72c1 ab27 0fb5 291f 9587 3160 65c0 03ed 4ee5 b106 \
                     3d50 07";
        for (block, status, size) in [(first, 302, 222), ("4883 640e ffc1 c0bf", 307, 222), (third, 200, 215)] {
            assert_eq!(decoder.decode(&bytes(block)), Ok(Outcome { status: Some(status), ..Outcome::default() }));
            assert_eq!(decoder.table.size(), size);
        }
    }

    #[test]
    fn trailers_state_the_outcome_also_through_the_table() {
        let mut decoder = Decoder::default();
        let block = [b"\x40\x0bgrpc-status\x0213".as_slice(), b"\xbe"].concat();
        assert_eq!(decoder.decode(&block), Ok(Outcome { grpc_status: Some(13), ..Outcome::default() }));
        let whole = Outcome { status: Some(200), grpc_status: Some(13), grpc_message: None };
        assert_eq!(decoder.decode(b"\x88\xbe"), Ok(whole));
        let message = Outcome { grpc_message: Some((*b"no%20way").into()), ..Outcome::default() };
        assert_eq!(decoder.decode(b"\x40\x0cgrpc-message\x08no%20way"), Ok(message.clone()));
        assert_eq!(decoder.decode(b"\xbe"), Ok(message));
        assert_eq!(decoder.decode(b"\x00\x0cgrpc-message\x00"), Ok(Outcome::default()), "an empty one is none");
        assert_eq!(decoder.decode(b"\x20"), Ok(Outcome::default()));
        assert_eq!(decoder.decode(b"\xbe"), Err(Invalid), "the table was emptied");
    }

    #[test]
    fn what_is_not_valid_is_refused() {
        for block in [&b"\x80"[..], b"\xff\xff\xff\xff\xff\x7f", b"\x3f\xe2\x1f", b"\x40\x05ab", b"\x40", b"\x82\xbe"] {
            assert_eq!(Decoder::default().decode(block), Err(Invalid), "{block:02x?}");
        }
    }
}
