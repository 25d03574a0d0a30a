//! HPACK's numbers and strings.

use crate::wire::h2::huffman;

/// The block is not valid; the connection is of no more use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalid;

/// Reads a number that begins in the low `prefix` bits.
pub(super) fn integer(block: &mut &[u8], prefix: u32) -> Result<usize, Invalid> {
    let (first, mut rest) = block.split_first().ok_or(Invalid)?;
    let mask = (1_usize << prefix) - 1;
    let mut value = usize::from(*first) & mask;
    if value == mask {
        for shift in (0..).step_by(7) {
            let (byte, after) = rest.split_first().ok_or(Invalid)?;
            rest = after;
            if shift > 21 {
                return Err(Invalid);
            }
            value += usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
    }
    *block = rest;
    Ok(value)
}

/// Reads a string, Huffman-coded or not, into `text`.
pub(super) fn read_string(block: &mut &[u8], text: &mut Vec<u8>) -> Result<(), Invalid> {
    let is_huffman = block.first().ok_or(Invalid)? & 0x80 != 0;
    let length = integer(block, 7)?;
    let (raw, rest) = block.split_at_checked(length).ok_or(Invalid)?;
    *block = rest;
    text.clear();
    if is_huffman {
        huffman::decode(raw, text).ok_or(Invalid)
    } else {
        text.extend_from_slice(raw);
        Ok(())
    }
}

/// Appends a number whose first byte has `pattern` above its low `prefix` bits.
pub(super) fn write_integer(value: usize, prefix: u32, pattern: u8, out: &mut Vec<u8>) {
    let mask = (1_usize << prefix) - 1;
    if value < mask {
        out.push(pattern | value as u8);
        return;
    }
    out.push(pattern | mask as u8);
    let mut rest = value - mask;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

/// Appends a field that no table takes up.
pub fn write_literal(name: &str, value: &[u8], out: &mut Vec<u8>) {
    out.push(0);
    write_string(name.as_bytes(), out);
    write_string(value, out);
}

pub(in crate::wire::h2) fn write_string(text: &[u8], out: &mut Vec<u8>) {
    write_integer(text.len(), 7, 0, out);
    out.extend_from_slice(text);
}
