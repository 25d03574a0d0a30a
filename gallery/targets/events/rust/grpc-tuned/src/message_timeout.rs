//! A timeout for each message of a stream, which tonic does not offer.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};
use tonic::Status;

use crate::message::{MESSAGE_TIMEOUT, PREFIX_BYTES, too_slow};

/// A body that fails when an incomplete message does not end in time.
/// Between messages there is no time limit.
pub struct MessageTimeout<B> {
    body: B,
    position: FramePosition,
    timeout: Option<Pin<Box<Sleep>>>,
}

impl<B> MessageTimeout<B> {
    pub fn new(body: B) -> Self {
        Self { body, position: FramePosition::default(), timeout: None }
    }
}

impl<B> Body for MessageTimeout<B>
where
    B: Body<Data = Bytes, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Unpin,
{
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match Pin::new(&mut self.body).poll_frame(context) {
            Poll::Ready(frame) => {
                if let Some(Some(data)) = frame.as_ref().and_then(|frame| frame.as_ref().ok()).map(Frame::data_ref)
                    && self.position.advance(data)
                {
                    self.timeout = None;
                }
                Poll::Ready(frame.map(|frame| frame.map_err(|error| Status::from_error(error.into()))))
            }
            Poll::Pending if self.position.is_within_message() => {
                let timeout = self.timeout.get_or_insert_with(|| Box::pin(sleep(MESSAGE_TIMEOUT)));
                timeout.as_mut().poll(context).map(|()| Some(Err(too_slow())))
            }
            Poll::Pending => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The position of a body within its messages.
#[derive(Default)]
struct FramePosition {
    prefix: [u8; PREFIX_BYTES],
    prefix_bytes: usize,
    /// Bytes that the message still lacks.
    missing: usize,
}

impl FramePosition {
    /// Advances by `data`. Returns whether a message has ended.
    fn advance(&mut self, mut data: &[u8]) -> bool {
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
                self.missing = u32::from_be_bytes(length) as usize;
            }
            let (here, rest) = data.split_at(self.missing.min(data.len()));
            self.missing -= here.len();
            data = rest;
            ended |= self.missing == 0;
        }
        ended
    }

    fn is_within_message(&self) -> bool {
        self.prefix_bytes > 0 || self.missing > 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt, StreamBody};
    use tokio::sync::mpsc;
    use tokio::time::Instant;
    use tokio_stream::wrappers::ReceiverStream;

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

    type Frames = mpsc::Sender<Result<Frame<Bytes>, Status>>;

    /// A body that a test sends piece by piece.
    fn sent() -> (Frames, MessageTimeout<impl Body<Data = Bytes, Error = Status> + Send + Unpin>) {
        let (send, frames) = mpsc::channel(1);
        (send, MessageTimeout::new(StreamBody::new(ReceiverStream::new(frames))))
    }

    #[tokio::test(start_paused = true)]
    async fn each_message_has_its_time() {
        let (send, body) = sent();
        let reading = tokio::spawn(body.collect());
        for _ in 0..3 {
            for piece in [&b"\0\0\0\0"[..], b"\x02a", b"b"] {
                send.send(Ok(Frame::data(Bytes::from_static(piece)))).await.expect("the body is there");
                sleep(MESSAGE_TIMEOUT / 3).await;
            }
            sleep(MESSAGE_TIMEOUT * 2).await;
        }
        drop(send);
        assert!(reading.await.expect("no panic").is_ok());
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_that_does_not_end_in_time_fails_the_body() {
        let (send, mut body) = sent();
        send.send(Ok(Frame::data(Bytes::from_static(b"\0\0\0\0\x02a")))).await.expect("the body is there");
        assert!(body.frame().await.is_some_and(|frame| frame.is_ok()));
        let started = Instant::now();
        let failure = body.frame().await.expect("an error").expect_err("too slow");
        assert_eq!((failure.code(), started.elapsed()), (tonic::Code::DeadlineExceeded, MESSAGE_TIMEOUT));
    }
}
