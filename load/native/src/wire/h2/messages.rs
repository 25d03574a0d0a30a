//! gRPC's length-prefixed messages.

use std::borrow::Cow;
use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

/// Bytes before a message: whether it is compressed, and its length.
pub const PREFIX_BYTES: usize = 5;
/// No reply is larger: a larger length is damage.
pub const LONGEST_MESSAGE: usize = 64 << 20;

/// The bytes before a message.
#[must_use]
pub fn prefix(length: usize) -> [u8; PREFIX_BYTES] {
    let length = (length as u32).to_be_bytes();
    [0, length[0], length[1], length[2], length[3]]
}

/// The content at the front of the received bytes.
#[derive(Debug, PartialEq, Eq)]
pub enum Front<'a> {
    /// A message, and what comes after it.
    Message(&'a [u8], &'a [u8]),
    /// The same, compressed.
    Compressed(&'a [u8], &'a [u8]),
    Incomplete,
    /// No message, or too long.
    Invalid,
}

/// Takes a message from the front.
#[inline]
#[must_use]
pub fn front(bytes: &[u8]) -> Front<'_> {
    let Some((prefix, rest)) = bytes.split_first_chunk::<PREFIX_BYTES>() else {
        return Front::Incomplete;
    };
    let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
    if prefix[0] > 1 || length > LONGEST_MESSAGE {
        return Front::Invalid;
    }
    match rest.split_at_checked(length) {
        Some((message, rest)) if prefix[0] == 0 => Front::Message(message, rest),
        Some((message, rest)) => Front::Compressed(message, rest),
        None => Front::Incomplete,
    }
}

/// How many messages the bytes begin with.
#[must_use]
pub fn count(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Front::Message(_, rest) | Front::Compressed(_, rest) = front(bytes) {
        (count, bytes) = (count + 1, rest);
    }
    count
}

/// The messages in whole replies, decompressed where that was offered; none when they are damaged.
#[must_use]
pub fn all(mut bytes: &[u8], gzip: bool) -> Option<Vec<Cow<'_, [u8]>>> {
    let mut messages = Vec::new();
    while !bytes.is_empty() {
        let (message, rest) = match front(bytes) {
            Front::Message(message, rest) => (Cow::Borrowed(message), rest),
            Front::Compressed(message, rest) if gzip => (Cow::Owned(decompressed(message)?), rest),
            _ => return None,
        };
        messages.push(message);
        bytes = rest;
    }
    Some(messages)
}

/// A message's content; none when it is damaged or too long.
#[must_use]
pub fn decompressed(message: &[u8]) -> Option<Vec<u8>> {
    let mut content = Vec::new();
    GzDecoder::new(message).take(LONGEST_MESSAGE as u64 + 1).read_to_end(&mut content).ok()?;
    (content.len() <= LONGEST_MESSAGE).then_some(content)
}

/// A message, compressed.
#[must_use]
pub fn compressed(message: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    // Nothing keeps a vector from growing.
    let _ = encoder.write_all(message);
    encoder.finish().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_messages_incomplete_ones_and_garbage_are_distinguished() {
        let framed = [prefix(2).as_slice(), b"hi", b"next"].concat();
        assert_eq!(front(&framed), Front::Message(b"hi", b"next"));
        assert_eq!(front(&framed[..6]), Front::Incomplete);
        assert_eq!(front(&framed[..3]), Front::Incomplete);
        assert_eq!(front(&[0, 0, 0, 0, 0]), Front::Message(b"", b""));
        assert_eq!(front(&[1, 0, 0, 0, 0]), Front::Compressed(b"", b""));
        assert_eq!(front(&[2, 0, 0, 0, 0]), Front::Invalid);
        assert_eq!(front(&[0, 255, 0, 0, 0]), Front::Invalid);
    }
}
