//! A timeout for each message of a stream, which tonic does not offer.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use events_core::intake::FramePosition;
use hyper::body::{Body, Frame, SizeHint};
use tokio::time::{Sleep, sleep};
use tonic::Status;

use crate::message::too_slow;
use crate::status;

/// A body that fails when an incomplete message does not end in time.
/// Between messages there is no time limit.
pub struct MessageTimeout<B> {
    body: B,
    position: FramePosition,
    limit: Duration,
    timeout: Option<Pin<Box<Sleep>>>,
}

impl<B> MessageTimeout<B> {
    pub fn new(body: B, limit: Duration) -> Self {
        Self { body, position: FramePosition::default(), limit, timeout: None }
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
                Poll::Ready(frame.map(|frame| frame.map_err(|error| status::from_body(error.into()))))
            }
            Poll::Pending if self.position.is_within_message() => {
                let limit = self.limit;
                let timeout = self.timeout.get_or_insert_with(|| Box::pin(sleep(limit)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::{BodyExt, StreamBody};
    use tokio::sync::mpsc;
    use tokio::time::Instant;
    use tokio_stream::wrappers::ReceiverStream;

    const LIMIT: Duration = Duration::from_secs(7);

    type Frames = mpsc::Sender<Result<Frame<Bytes>, Status>>;

    /// A body that a test sends piece by piece.
    fn sent() -> (Frames, MessageTimeout<impl Body<Data = Bytes, Error = Status> + Send + Unpin>) {
        let (send, frames) = mpsc::channel(1);
        (send, MessageTimeout::new(StreamBody::new(ReceiverStream::new(frames)), LIMIT))
    }

    #[tokio::test(start_paused = true)]
    async fn each_message_has_its_time() {
        let (send, body) = sent();
        let reading = tokio::spawn(body.collect());
        for _ in 0..3 {
            for piece in [&b"\0\0\0\0"[..], b"\x02a", b"b"] {
                send.send(Ok(Frame::data(Bytes::from_static(piece)))).await.expect("the body is there");
                sleep(LIMIT / 3).await;
            }
            sleep(LIMIT * 2).await;
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
        assert_eq!((failure.code(), started.elapsed()), (tonic::Code::DeadlineExceeded, LIMIT));
    }
}
