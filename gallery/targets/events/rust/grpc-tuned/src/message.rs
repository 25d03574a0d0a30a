//! Reads the only message of a call from the pieces of its HTTP/2 body.
//!
//! Replaces tonic's reader, which copies each message into a buffer of the call, ignores all but the first of
//! several messages, and waits for a slow one without a timeout.

use std::pin::pin;

use bytes::{Buf, BufMut, Bytes, BytesMut};
use events_core::error::Error;
use events_core::intake::Charge;
use futures_util::future::poll_immediate;
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::time::timeout;
use tonic::Status;

use crate::status;

pub use events_core::intake::PREFIX_BYTES;

/// The only message of a body, if it has at most `limit` bytes, arrives in time, and the budget has room for it.
pub async fn read(
    mut body: impl Body<Data = Bytes> + Unpin,
    limit: usize,
    charge: &mut Charge,
) -> Result<Bytes, Status> {
    let time = charge.timeout();
    let mut message = pin!(only_message(&mut body, limit, charge));
    // Nearly every message arrives with its call; only the others need a timer.
    match poll_immediate(&mut message).await {
        Some(answer) => answer,
        None => timeout(time, message).await.unwrap_or_else(|_| Err(too_slow())),
    }
}

/// The status of a call whose message does not arrive in time.
pub(crate) fn too_slow() -> Status {
    status::from(&Error::slow_body())
}

async fn only_message(
    body: &mut (impl Body<Data = Bytes> + Unpin),
    limit: usize,
    charge: &mut Charge,
) -> Result<Bytes, Status> {
    let mut message = some_data(body).await?;
    while message.len() < PREFIX_BYTES {
        message = [message, some_data(body).await?].concat().into();
    }
    let length = message_length(&message)?;
    if length > limit {
        return Err(status::from(&Error::body_too_large(limit)));
    }
    message.advance(PREFIX_BYTES);
    // Nearly every message arrives in one piece, which needs no copy.
    if message.len() < length {
        let mut pieces = BytesMut::with_capacity(length);
        pieces.put(message);
        while pieces.len() < length {
            charge.grow(pieces.len()).map_err(|error| status::from(&error))?;
            pieces.put(some_data(body).await?);
        }
        message = pieces.freeze();
    }
    let is_alone = message.len() == length && (body.is_end_stream() || next_data(body).await?.is_none());
    if is_alone { Ok(message) } else { Err(Status::internal("body: more than one message")) }
}

/// The next piece of an incomplete message.
async fn some_data(body: &mut (impl Body<Data = Bytes> + Unpin)) -> Result<Bytes, Status> {
    next_data(body).await?.ok_or_else(|| Status::internal("body: less than a message"))
}

/// The next piece that is not empty, or none at the end.
async fn next_data(body: &mut (impl Body<Data = Bytes> + Unpin)) -> Result<Option<Bytes>, Status> {
    while let Some(frame) = body.frame().await {
        // A client that broke off reads no answer.
        let frame = frame.map_err(|_| Status::cancelled("body: broken off"))?;
        match frame.into_data() {
            Ok(data) if !data.is_empty() => return Ok(Some(data)),
            _ => {}
        }
    }
    Ok(None)
}

fn message_length(prefix: &[u8]) -> Result<usize, Status> {
    match *prefix {
        [0, a, b, c, d, ..] => Ok(u32::from_be_bytes([a, b, c, d]) as usize),
        // Calls that declare it in `grpc-encoding` are refused before their body is read.
        [1, ..] => Err(Status::internal("body: compressed, but grpc-encoding does not declare it")),
        _ => Err(Status::internal("body: not a message of gRPC")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use events_core::intake::Intake;
    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use tokio::time::{Duration, Instant};
    use tonic::Code;

    const LIMIT: Duration = Duration::from_secs(7);

    type Pieces<'a> = &'a [&'static [u8]];

    fn frames(pieces: Pieces<'_>) -> impl futures_util::Stream<Item = Result<Frame<Bytes>, Status>> + Unpin + use<> {
        let frames: Vec<_> = pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece)))).collect();
        stream::iter(frames)
    }

    /// The result of reading a body of these pieces.
    async fn read_pieces(pieces: Pieces<'_>) -> Result<Bytes, Code> {
        read(StreamBody::new(frames(pieces)), 4, &mut Intake::new(0).charge()).await.map_err(|status| status.code())
    }

    #[tokio::test]
    async fn a_message_is_read_whole_whatever_its_pieces() {
        for pieces in [
            &[&b"\0\0\0\0\x04abcd"[..]][..],
            &[b"\0\0", b"", b"\0\0\x04a", b"bc", b"d", b""],
            &[b"\0\0\0\0\x04", b"abcd"],
        ] {
            assert_eq!(read_pieces(pieces).await, Ok(Bytes::from_static(b"abcd")), "{pieces:?}");
        }
        assert_eq!(read_pieces(&[b"\0\0\0\0\0"]).await, Ok(Bytes::new()));
    }

    #[tokio::test]
    async fn less_or_more_than_one_message_is_none() {
        for pieces in [
            &[][..],
            &[b"".as_slice()],
            &[b"\0\0\0"],
            &[b"\0\0\0\0\x04"],
            &[b"\0\0\0\0\x04abc"],
            &[b"\0\0\0\0\x04abcd\0"],
            &[b"\0\0\0\0\x04abcd", b"\0\0\0\0\0"],
            &[b"\0\0\0\0\x04a", b"bcd\0\0\0\0\0"],
            &[b"\0\0\0\0\0\0\0\0\0\0"],
        ] {
            assert_eq!(read_pieces(pieces).await, Err(Code::Internal), "{pieces:?}");
        }
    }

    #[tokio::test]
    async fn flags_of_a_message_are_refused() {
        for pieces in [b"\x01\0\0\0\x04abcd", b"\x02\0\0\0\x04abcd", b"\xff\0\0\0\x04abcd"] {
            assert_eq!(read_pieces(&[pieces]).await, Err(Code::Internal), "{pieces:?}");
        }
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_is_refused_unread() {
        assert_eq!(read_pieces(&[b"\0\0\0\0\x05"]).await, Err(Code::ResourceExhausted));
    }

    #[tokio::test(start_paused = true)]
    async fn a_message_must_be_there_in_time_with_its_end() {
        for pieces in [&[][..], &[b"\0\0".as_slice()], &[b"\0\0\0\0\x04abc"], &[b"\0\0\0\0\x04abcd"]] {
            let started = Instant::now();
            let endless = StreamBody::new(frames(pieces).chain(stream::pending()));
            let refusal =
                read(endless, 4, &mut Intake::new(0).within(LIMIT).charge()).await.expect_err("it never ends");
            assert_eq!((refusal.code(), started.elapsed()), (Code::DeadlineExceeded, LIMIT), "{pieces:?}");
        }
    }
}
