//! Reads a body up to a limit.

use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header::EXPECT};
use bytes::{Bytes, BytesMut};
use events_core::error::{Error, ErrorKind};
use events_core::intake::Charge;
use events_core::limits::BULK_BYTES;
use futures_util::future::poll_immediate;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

/// Limits how much of a refused body is read, and for how long, before the reply. A connection that is closed
/// with unread bytes is reset, and the client may never see the reply.
const DISCARD_BYTES: usize = 2 * BULK_BYTES;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);
/// The most memory that a client gets for the length that it claims, before it sends more.
const MOST_CLAIMED_BYTES: usize = 128 << 10;

/// The whole body, if it has at most `limit` bytes, whatever `content-length` declares, and the budget has room for it.
pub async fn read(headers: &HeaderMap, mut body: Body, limit: usize, charge: &mut Charge) -> Result<Bytes, Error> {
    let bytes = if body.size_hint().lower() > limit as u64 {
        Err(Error::body_too_large(limit))
    } else {
        collect_in_time(&mut body, limit, charge).await
    };
    if let Err(error) = &bytes
        && matches!(error.kind(), ErrorKind::TooLarge | ErrorKind::Exhausted)
    {
        charge.release();
        discard(headers, body).await;
    }
    bytes
}

async fn collect_in_time(body: &mut Body, limit: usize, charge: &mut Charge) -> Result<Bytes, Error> {
    let time = charge.timeout();
    let mut collected = pin!(collect(body, limit, charge));
    // Nearly every body arrives with its head; only the others need a timer.
    match poll_immediate(&mut collected).await {
        Some(answer) => answer,
        None => timeout(time, collected).await.unwrap_or_else(|_| Err(Error::slow_body())),
    }
}

/// Fails as soon as there are more than `limit` bytes.
async fn collect(body: &mut Body, limit: usize, charge: &mut Charge) -> Result<Bytes, Error> {
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let Some(first) = next_data(body).await? else {
        return Ok(Bytes::new());
    };
    // Nearly every body arrives in one piece, which needs no copy.
    if body.is_end_stream() {
        return if first.len() <= limit { Ok(first) } else { Err(Error::body_too_large(limit)) };
    }
    let mut bytes = BytesMut::with_capacity(length.unwrap_or_default().min(MOST_CLAIMED_BYTES).max(first.len()));
    bytes.extend_from_slice(&first);
    drop(first);
    while bytes.len() <= limit {
        charge.grow(bytes.len())?;
        match next_data(body).await? {
            Some(data) => bytes.extend_from_slice(&data),
            None => return Ok(bytes.freeze()),
        }
    }
    Err(Error::body_too_large(limit))
}

async fn next_data(body: &mut Body) -> Result<Option<Bytes>, Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|_| Error::incomplete_body())?.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Reads a refused body, so that the client can read the reply.
pub async fn discard(headers: &HeaderMap, mut body: Body) {
    // A client that waits for `100 Continue` has not sent the body.
    if body.is_end_stream() || headers.contains_key(EXPECT) {
        return;
    }
    let read = async {
        let mut left = DISCARD_BYTES;
        while let Ok(Some(data)) = next_data(&mut body).await {
            left = left.saturating_sub(data.len());
            if left == 0 {
                break;
            }
        }
    };
    // If the body is too slow or too large, the client may not see the reply.
    let _finished = timeout(DISCARD_TIMEOUT, read).await;
}

#[cfg(test)]
mod tests {
    use super::*;
    use events_core::intake::Intake;
    use futures_util::{StreamExt, stream};
    use http_body_util::StreamBody;
    use hyper::body::{Frame, SizeHint};
    use std::convert::Infallible;
    use std::pin::Pin;
    use std::task::{Context, Poll};
    use tokio::time::Instant;

    /// A body of unknown length in pieces.
    fn chunked(pieces: &[&'static str]) -> Body {
        let frames: Vec<Result<Frame<Bytes>, std::io::Error>> =
            pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))).collect();
        Body::new(StreamBody::new(stream::iter(frames)))
    }

    async fn read_all(body: Body, limit: usize) -> Result<Bytes, Error> {
        read(&HeaderMap::new(), body, limit, &mut Intake::new(1 << 20).charge()).await
    }

    #[tokio::test]
    async fn a_body_up_to_the_limit_is_read_whole() {
        for body in [Body::from("12345678"), chunked(&["12345678"]), chunked(&["1", "", "2345", "678"])] {
            assert_eq!(read_all(body, 8).await, Ok(Bytes::from_static(b"12345678")));
        }
        for body in [Body::empty(), chunked(&[]), chunked(&[""])] {
            assert_eq!(read_all(body, 8).await, Ok(Bytes::new()));
        }
    }

    #[tokio::test]
    async fn a_byte_more_is_refused_with_or_without_a_length() {
        for body in [Body::from("123456789"), chunked(&["123456789"]), chunked(&["1234", "56789", "more"])] {
            assert_eq!(read_all(body, 8).await, Err(Error::body_too_large(8)));
        }
    }

    /// A body of nine bytes that must not be read.
    struct Unread;

    impl hyper::body::Body for Unread {
        type Data = Bytes;
        type Error = std::io::Error;

        fn poll_frame(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
            unreachable!("the body was read")
        }

        fn size_hint(&self) -> SizeHint {
            SizeHint::with_exact(9)
        }
    }

    #[tokio::test]
    async fn a_refused_body_is_not_read_when_the_client_waits_for_100_continue() {
        let mut headers = HeaderMap::new();
        headers.insert(EXPECT, "100-continue".parse().expect("a header value"));
        let refused = read(&headers, Body::new(Unread), 8, &mut Intake::new(0).charge()).await;
        assert_eq!(refused, Err(Error::body_too_large(8)));
    }

    #[tokio::test]
    async fn a_large_body_for_which_the_budget_has_no_room_is_refused() {
        let piece: &'static str = "x".repeat(20_000).leak();
        let intake = Intake::new(65_536);
        let mut other = intake.charge();
        assert_eq!(other.grow(20_000), Ok(()));
        let answer = read(&HeaderMap::new(), chunked(&[piece, "x"]), 1 << 20, &mut intake.charge()).await;
        assert_eq!(answer, Err(Error::too_many_bytes()));
        drop(other);
        let answer = read(&HeaderMap::new(), chunked(&[piece, "x"]), 1 << 20, &mut intake.charge()).await;
        assert_eq!(answer.map(|bytes| bytes.len()), Ok(20_001));
    }

    #[tokio::test]
    async fn a_body_that_ends_early_is_incomplete() {
        let frames = [Ok(Frame::data(Bytes::from_static(b"12"))), Err(std::io::Error::other("reset"))];
        let body = Body::new(StreamBody::new(stream::iter(frames)));
        assert_eq!(read_all(body, 8).await, Err(Error::incomplete_body()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_does_not_arrive_is_too_slow() {
        let part = stream::iter([Ok::<_, Infallible>(Frame::data(Bytes::from_static(b"12")))]).chain(stream::pending());
        let (body, start) = (Body::new(StreamBody::new(part)), Instant::now());
        let limit = Duration::from_secs(7);
        let answer = read(&HeaderMap::new(), body, 8, &mut Intake::new(0).within(limit).charge()).await;
        assert_eq!((answer, start.elapsed()), (Err(Error::slow_body()), limit));
    }
}
