//! Charges for the messages of gRPC calls.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};

use super::Charge;
use crate::error::BoxError;

/// A flag, and the length of the message that follows.
pub const PREFIX_BYTES: usize = 5;

/// A body that charges for each message until it has arrived, and fails with [`Error`](crate::error::Error) when the
/// budget has no room for it.
pub struct ChargedMessages<B> {
    body: B,
    position: FramePosition,
    charge: Charge,
}

impl<B> ChargedMessages<B> {
    /// Charges for what is read from `body`.
    pub fn new(body: B, charge: Charge) -> Self {
        Self { body, position: FramePosition::default(), charge }
    }

    fn take(&mut self, data: &[u8]) -> Result<(), BoxError> {
        if self.position.advance(data) {
            self.charge.release();
        }
        Ok(self.charge.grow(self.position.arrived())?)
    }
}

impl<B: Body<Data = Bytes, Error: Into<BoxError>> + Unpin> Body for ChargedMessages<B> {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        Pin::new(&mut self.body).poll_frame(context).map(|frame| {
            frame.map(|frame| {
                let frame = frame.map_err(Into::into)?;
                frame.data_ref().map_or(Ok(()), |data| self.take(data))?;
                Ok(frame)
            })
        })
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The position of a gRPC body within its messages.
#[derive(Default)]
pub struct FramePosition {
    prefix: [u8; PREFIX_BYTES],
    prefix_bytes: usize,
    length: usize,
    /// Bytes that the message still lacks.
    missing: usize,
}

impl FramePosition {
    /// Advances by `data`. Returns whether a message has ended.
    pub fn advance(&mut self, mut data: &[u8]) -> bool {
        let mut ended = false;
        while let Some((&byte, rest)) = data.split_first() {
            if self.missing == 0 {
                self.prefix[self.prefix_bytes] = byte;
                self.prefix_bytes += 1;
                data = rest;
                if self.prefix_bytes < PREFIX_BYTES {
                    continue;
                }
                self.prefix_bytes = 0;
                let [_flag, length @ ..] = self.prefix;
                self.length = u32::from_be_bytes(length) as usize;
                self.missing = self.length;
            }
            let (here, rest) = data.split_at(self.missing.min(data.len()));
            self.missing -= here.len();
            data = rest;
            ended |= self.missing == 0;
        }
        ended
    }

    /// Whether a message has begun and not ended.
    #[must_use]
    pub fn is_within_message(&self) -> bool {
        self.prefix_bytes > 0 || self.missing > 0
    }

    /// Bytes that have arrived of the message that has not ended.
    #[must_use]
    pub fn arrived(&self) -> usize {
        if self.missing == 0 { 0 } else { self.length - self.missing }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::intake::Intake;

    #[test]
    fn the_position_is_right_for_pieces_of_any_size() {
        // Messages of 3, 0 and 300 bytes.
        let mut bytes = b"\0\0\0\0\x03abc\0\0\0\0\0\0\0\0\x01\x2c".to_vec();
        bytes.resize(bytes.len() + 300, b'x');
        for size in 1..=bytes.len() {
            let (mut place, mut position) = (FramePosition::default(), 0);
            for piece in bytes.chunks(size) {
                let before = position;
                position += piece.len();
                let ended = [8, 13, bytes.len()].iter().any(|end| (before + 1..=position).contains(end));
                assert_eq!(place.advance(piece), ended, "{size} {position}");
                assert_eq!(place.is_within_message(), ![8, 13, bytes.len()].contains(&position), "{size} {position}");
            }
        }
    }

    #[test]
    fn each_message_is_charged_until_it_has_arrived() {
        let intake = Intake::new(64 << 10);
        let mut body = ChargedMessages::new((), intake.charge());
        let refused = |answer: Result<(), BoxError>| answer.err().and_then(|error| error.downcast::<Error>().ok());
        for _ in 0..2 {
            assert_eq!(refused(body.take(&[0, 0, 1, 0, 0])), None);
            assert_eq!(refused(body.take(&vec![b'x'; 60_000])), None);
            assert_eq!(
                refused(intake.charge().grow(20_000).map_err(Into::into)),
                Some(Box::new(Error::too_many_bytes()))
            );
            assert_eq!(refused(body.take(&[b'x'; 5_536])), None);
            assert_eq!(intake.charge().grow(20_000), Ok(()));
        }
        let mut large = ChargedMessages::new((), intake.charge());
        assert_eq!(refused(large.take(&[0, 0, 2, 0, 0])), None);
        assert_eq!(refused(large.take(&vec![b'x'; 90_000])), Some(Box::new(Error::too_many_bytes())));
    }
}
