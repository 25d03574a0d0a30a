//! The wire format: fields of a message, one after another.

/// The bytes are not a message.
#[derive(Debug, PartialEq, Eq)]
pub struct Malformed;

/// Deepest nesting of groups. Groups are obsolete, but must be skipped.
const GROUP_DEPTH: usize = 100;

/// The content of a field.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value<'a> {
    Varint(u64),
    Fixed64(u64),
    Fixed32(u32),
    Bytes(&'a [u8]),
    Group,
}

/// The fields of a message in the order of the wire.
pub struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    pub fn new(message: &'a [u8]) -> Self {
        Self { rest: message }
    }

    fn field(&mut self) -> Result<(u32, Value<'a>), Malformed> {
        let (number, wire_type) = self.tag()?;
        let value = match wire_type {
            3 => self.group(number)?,
            4 => return Err(Malformed),
            _ => self.value(wire_type)?,
        };
        Ok((number, value))
    }

    fn value(&mut self, wire_type: u8) -> Result<Value<'a>, Malformed> {
        Ok(match wire_type {
            0 => Value::Varint(self.varint()?),
            1 => Value::Fixed64(u64::from_le_bytes(self.array()?)),
            2 => Value::Bytes(self.bytes()?),
            5 => Value::Fixed32(u32::from_le_bytes(self.array()?)),
            _ => return Err(Malformed),
        })
    }

    /// Number and wire type.
    fn tag(&mut self) -> Result<(u32, u8), Malformed> {
        let tag = u32::try_from(self.varint()?).map_err(|_| Malformed)?;
        let number = tag >> 3;
        if number == 0 {
            return Err(Malformed);
        }
        Ok((number, tag.to_le_bytes()[0] & 7))
    }

    /// Skips to the end of the group `outermost`.
    fn group(&mut self, outermost: u32) -> Result<Value<'a>, Malformed> {
        let mut open = vec![outermost];
        while let Some(&innermost) = open.last() {
            match self.tag()? {
                (number, 3) if open.len() < GROUP_DEPTH => open.push(number),
                (number, 4) if number == innermost => {
                    open.pop();
                }
                (_, wire_type) => {
                    self.value(wire_type)?;
                }
            }
        }
        Ok(Value::Group)
    }

    fn varint(&mut self) -> Result<u64, Malformed> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            // The tenth byte has room for one bit.
            if shift == 63 && byte > 1 {
                return Err(Malformed);
            }
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(Malformed)
    }

    fn bytes(&mut self) -> Result<&'a [u8], Malformed> {
        let length = usize::try_from(self.varint()?).map_err(|_| Malformed)?;
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(Malformed)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], Malformed> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(Malformed)?;
        self.rest = rest;
        Ok(*bytes)
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Value<'a>), Malformed>;

    /// After an error the position is undefined: callers stop there.
    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        // Nearly every field is a tag of one byte, a length of one byte, and so many bytes.
        if let [tag @ 8..0x80, length @ 0..0x80, rest @ ..] = self.rest
            && tag & 7 == 2
            && let Some((bytes, rest)) = rest.split_at_checked(usize::from(*length))
        {
            self.rest = rest;
            return Some(Ok((u32::from(tag >> 3), Value::Bytes(bytes))));
        }
        (!self.rest.is_empty()).then(|| self.field())
    }
}

/// A `string` field's text.
pub fn utf8(bytes: &[u8]) -> Result<&str, Malformed> {
    std::str::from_utf8(bytes).map_err(|_| Malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Result<Vec<(u32, Value<'_>)>, Malformed> {
        Fields::new(bytes).collect()
    }

    #[test]
    fn fields_of_every_wire_type() {
        assert_eq!(read(b""), Ok(vec![]));
        assert_eq!(read(b"\x08\x96\x01"), Ok(vec![(1, Value::Varint(150))]));
        assert_eq!(
            read(b"\x11\x01\0\0\0\0\0\0\0\x1d\x02\0\0\0"),
            Ok(vec![(2, Value::Fixed64(1)), (3, Value::Fixed32(2))])
        );
        assert_eq!(read(b"\x22\x02hi\x22\0"), Ok(vec![(4, Value::Bytes(b"hi")), (4, Value::Bytes(b""))]));
        assert_eq!(read(b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), Ok(vec![(1, Value::Varint(u64::MAX))]));
    }

    #[test]
    fn groups_are_skipped() {
        // Group 1 that holds a varint, a group 2 and bytes; then a varint.
        assert_eq!(
            read(b"\x0b\x08\x01\x13\x14\x22\x01x\x0c\x18\x07"),
            Ok(vec![(1, Value::Group), (3, Value::Varint(7))])
        );
        for broken in [&b"\x0b"[..], b"\x0c", b"\x0b\x14", b"\x0b\x13\x0c\x14"] {
            assert_eq!(read(broken), Err(Malformed), "{broken:x?}");
        }
        let nested = |levels| [vec![0x0b; levels], vec![0x0c; levels]].concat();
        assert_eq!(read(&nested(100)), Ok(vec![(1, Value::Group)]));
        assert_eq!(read(&nested(101)), Err(Malformed));
    }

    #[test]
    fn what_is_no_message() {
        for broken in [
            &b"\x08"[..],                                      // no value
            b"\x08\x80",                                       // cut off
            b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",   // 65 bits
            b"\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\0", // 11 bytes
            b"\x11\0\0\0\0\0\0\0",                             // 7 of 8 bytes
            b"\x1d\0\0\0",                                     // 3 of 4 bytes
            b"\x22\x02h",                                      // 1 of 2 bytes
            b"\x22\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",   // longer than memory
            b"\0\0",                                           // number 0
            b"\x0e\0",                                         // wire type 6
            b"\xff\xff\xff\xff\x7f\0",                         // number above 2^29
        ] {
            assert_eq!(read(broken), Err(Malformed), "{broken:x?}");
        }
    }
}
