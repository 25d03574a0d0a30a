//! Protobuf's variable-length integers.

/// Bytes that a number takes.
#[inline]
#[must_use]
pub fn varint_length(value: u64) -> usize {
    let bits = 64 - (value | 1).leading_zeros() as usize;
    bits.div_ceil(7)
}

/// Appends a number.
#[inline]
pub fn write_varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from the front of `bytes`; none when they end early or it is longer than 64 bits.
pub fn read_varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f).checked_shl(shift)?;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_lengths_agree() {
        for value in [0, 1, 127, 128, 16_383, 16_384, u64::from(u32::MAX), u64::MAX] {
            let mut out = Vec::new();
            write_varint(value, &mut out);
            assert_eq!(out.len(), varint_length(value));
            assert_eq!(read_varint(&mut out.as_slice()), Some(value));
        }
        assert_eq!(read_varint(&mut [0x80_u8].as_slice()), None);
    }
}
