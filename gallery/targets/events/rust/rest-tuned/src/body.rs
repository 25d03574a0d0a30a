//! Reads a body up to a limit.

use std::pin::pin;
use std::time::Duration;

use axum::body::Body;
use axum::http::{HeaderMap, header::EXPECT};
use bytes::{Bytes, BytesMut};
use events_core::error::Error;
use events_core::limits::BULK_BYTES;
use futures_util::future::poll_immediate;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use tokio::time::timeout;

/// A client that takes longer for a body gets an error.
const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// Limits how much of a refused body is read, and for how long, before the reply. A connection that is closed
/// with unread bytes is reset, and the client may never see the reply.
const DISCARD_BYTES: usize = 2 * BULK_BYTES;
const DISCARD_TIMEOUT: Duration = Duration::from_secs(2);

/// The whole body, if it has at most `limit` bytes, whatever `content-length` declares.
pub async fn read(headers: &HeaderMap, mut body: Body, limit: usize) -> Result<Bytes, Error> {
    if body.size_hint().lower() > limit as u64 {
        discard(headers, body).await;
        return Err(Error::body_too_large(limit));
    }
    if let Some(bytes) = collect_in_time(&mut body, limit).await? {
        return Ok(bytes);
    }
    discard(headers, body).await;
    Err(Error::body_too_large(limit))
}

async fn collect_in_time(body: &mut Body, limit: usize) -> Result<Option<Bytes>, Error> {
    let mut collected = pin!(collect(body, limit));
    // Nearly every body arrives with its head; only the others need a timer.
    let in_time = match poll_immediate(&mut collected).await {
        Some(answer) => Ok(answer),
        None => timeout(READ_TIMEOUT, collected).await,
    };
    match in_time {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(_)) | Err(_) => Err(Error::malformed("body: incomplete")),
    }
}

/// `None` as soon as there are more than `limit` bytes.
async fn collect(body: &mut Body, limit: usize) -> Result<Option<Bytes>, axum::Error> {
    let length = body.size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let Some(first) = next_data(body).await? else {
        return Ok(Some(Bytes::new()));
    };
    // Nearly every body arrives in one piece, which needs no copy.
    if body.is_end_stream() {
        return Ok(Some(first).filter(|bytes| bytes.len() <= limit));
    }
    let mut bytes = BytesMut::with_capacity(length.unwrap_or_default().max(first.len()));
    bytes.extend_from_slice(&first);
    drop(first);
    while bytes.len() <= limit {
        match next_data(body).await? {
            Some(data) => bytes.extend_from_slice(&data),
            None => return Ok(Some(bytes.freeze())),
        }
    }
    Ok(None)
}

async fn next_data(body: &mut Body) -> Result<Option<Bytes>, axum::Error> {
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame?.into_data() {
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
    use http_body_util::StreamBody;
    use hyper::body::{Frame, SizeHint};
    use std::pin::Pin;
    use std::task::{Context, Poll};

    /// A body of unknown length in pieces.
    fn chunked(pieces: &[&'static str]) -> Body {
        let frames: Vec<Result<Frame<Bytes>, std::io::Error>> =
            pieces.iter().map(|piece| Ok(Frame::data(Bytes::from_static(piece.as_bytes())))).collect();
        Body::new(StreamBody::new(futures_util::stream::iter(frames)))
    }

    async fn read_all(body: Body, limit: usize) -> Result<Bytes, Error> {
        read(&HeaderMap::new(), body, limit).await
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
        assert_eq!(read(&headers, Body::new(Unread), 8).await, Err(Error::body_too_large(8)));
    }

    #[tokio::test]
    async fn a_body_that_ends_early_is_incomplete() {
        let frames = [Ok(Frame::data(Bytes::from_static(b"12"))), Err(std::io::Error::other("reset"))];
        let body = Body::new(StreamBody::new(futures_util::stream::iter(frames)));
        assert_eq!(read_all(body, 8).await, Err(Error::malformed("body: incomplete")));
    }
}
