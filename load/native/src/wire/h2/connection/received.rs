//! The received parts of replies that are not complete yet.

use crate::failure::Failure;
use crate::wire::h2::messages::{self, Front, LONGEST_MESSAGE, PREFIX_BYTES};

/// Memory beyond this is given back once it is empty: most replies are small, whatever one was.
const KEPT_MEMORY: usize = 64 * 1024;

/// Bytes of replies, never more than the longest message has.
#[derive(Debug, Default)]
pub(super) struct Received(Vec<u8>);

impl Received {
    /// Keeps more of the only message of a call.
    ///
    /// # Errors
    /// No message is that long.
    #[inline]
    pub fn keep(&mut self, content: &[u8]) -> Result<(), Failure> {
        if self.0.len() + content.len() > PREFIX_BYTES + LONGEST_MESSAGE {
            return Err(Failure::Malformed);
        }
        self.0.extend_from_slice(content);
        Ok(())
    }

    /// Everything that came.
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// The content at the front.
    pub fn front(&self) -> Front<'_> {
        messages::front(&self.0)
    }

    /// Passes on the messages of a long call that are complete by now, and keeps what has come of the next one.
    ///
    /// # Errors
    /// These bytes are not messages, or one arrived that was not requested.
    pub fn pass_on(
        &mut self,
        content: &[u8],
        gzip: bool,
        take: &mut impl FnMut(&[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        if self.0.is_empty() {
            self.0.extend_from_slice(pass_on(content, gzip, take)?);
            return Ok(());
        }
        self.0.extend_from_slice(content);
        let left = pass_on(&self.0, gzip, take)?.len();
        self.0.drain(..self.0.len() - left);
        if self.0.is_empty() {
            self.0.shrink_to(KEPT_MEMORY);
        }
        Ok(())
    }

    /// Empty again, for another stream.
    pub fn emptied(mut self) -> Self {
        self.0.clear();
        self.0.shrink_to(KEPT_MEMORY);
        self
    }
}

/// Passes on the messages at the front; returns what comes after them.
fn pass_on<'a>(
    mut bytes: &'a [u8],
    gzip: bool,
    take: &mut impl FnMut(&[u8]) -> Result<(), Failure>,
) -> Result<&'a [u8], Failure> {
    loop {
        match messages::front(bytes) {
            Front::Message(message, rest) => {
                take(message)?;
                bytes = rest;
            }
            Front::Compressed(message, rest) if gzip => {
                take(&messages::decompressed(message).ok_or(Failure::Malformed)?)?;
                bytes = rest;
            }
            Front::Incomplete => return Ok(bytes),
            Front::Compressed(..) | Front::Invalid => return Err(Failure::Malformed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(message: &[u8]) -> Vec<u8> {
        [messages::prefix(message.len()).as_slice(), message].concat()
    }

    #[test]
    fn messages_are_passed_on_whole_however_they_come() {
        let bytes = [framed(b"one"), framed(b""), framed(b"three")].concat();
        for size in 1..=bytes.len() {
            let (mut received, mut passed) = (Received::default(), Vec::new());
            for piece in bytes.chunks(size) {
                let mut take = |message: &[u8]| {
                    passed.push(message.to_vec());
                    Ok(())
                };
                received.pass_on(piece, false, &mut take).expect("messages");
            }
            assert_eq!(passed, [b"one".as_slice(), b"", b"three"], "in pieces of {size}");
            assert!(received.0.is_empty());
        }
    }

    #[test]
    fn the_longest_message_is_kept_and_nothing_beyond() {
        let mut received = Received::default();
        received.keep(&vec![0; PREFIX_BYTES + LONGEST_MESSAGE]).expect("the longest message");
        assert_eq!(received.keep(&[0]), Err(Failure::Malformed));
        let mut none = |_: &[u8]| Ok(());
        let longer = messages::prefix(LONGEST_MESSAGE + 1);
        assert_eq!(Received::default().pass_on(&longer, false, &mut none), Err(Failure::Malformed));
    }

    #[test]
    fn large_memory_is_given_back() {
        let large = framed(&vec![0; 4 * KEPT_MEMORY]);
        let mut received = Received::default();
        received.keep(&large).expect("kept");
        assert!(received.emptied().0.capacity() <= KEPT_MEMORY);
        let mut received = Received::default();
        for piece in large.chunks(KEPT_MEMORY) {
            received.pass_on(piece, false, &mut |_: &[u8]| Ok(())).expect("a message");
        }
        assert!(received.0.capacity() <= KEPT_MEMORY);
    }
}
