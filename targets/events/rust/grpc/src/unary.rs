//! Calls of one message and one reply, from the bytes of HTTP/2 to those of HTTP/2.
//!
//! tonic's own way copies each message into a buffer of the call and each reply out of another;
//! a call that is answered in microseconds feels both.

use bytes::{BufMut, Bytes, BytesMut};
use events_core::error::Error;
use events_core::protobuf::not_a_message;
use http_body_util::{BodyExt, Full};
use hyper::body::Body as HttpBody;
use prost::Message;
use tonic::body::Body;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderMap, HeaderValue, Request, Response};
use tonic::metadata::GRPC_CONTENT_TYPE;
use tonic::{Code, Status};

use crate::codec::Incoming;
use crate::status;

/// A flag, and the length of the message that follows.
const PREFIX_BYTES: usize = 5;

/// Answers a call by `method`, if its message has at most `limit` bytes.
pub async fn answer<Question: Incoming, Answer: Message>(
    call: Request<impl HttpBody<Data = Bytes> + Unpin>,
    limit: usize,
    method: impl AsyncFnOnce(tonic::Request<Question>) -> Result<tonic::Response<Answer>, Status>,
) -> Response<Body> {
    let answer = match question(call, limit).await {
        Ok(question) => method(tonic::Request::new(question)).await,
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(answer) => reply(&answer.into_inner()),
        Err(status) => status.into_http(),
    }
}

async fn question<Question: Incoming>(
    call: Request<impl HttpBody<Data = Bytes> + Unpin>,
    limit: usize,
) -> Result<Question, Status> {
    let (head, body) = call.into_parts();
    if head.headers.get("grpc-encoding").is_some_and(|coding| coding != "identity") {
        return Err(Status::unimplemented("grpc-encoding: must be identity"));
    }
    let message = read(body, limit).await.map_err(|error| status::from(&error))?;
    Question::decode(&message).map_err(|error| status::from(&error))
}

/// The first message of a body.
async fn read(mut body: impl HttpBody<Data = Bytes> + Unpin, limit: usize) -> Result<Bytes, Error> {
    let mut first = next_data(&mut body).await?;
    while first.len() < PREFIX_BYTES {
        first = [first, next_data(&mut body).await?].concat().into();
    }
    let length = message_length(&first)?;
    if length > limit {
        return Err(Error::body_too_large(limit));
    }
    let mut message = first.split_off(PREFIX_BYTES);
    // Nearly every message comes in one piece: no need to copy it.
    if message.len() < length {
        let mut pieces = BytesMut::with_capacity(length);
        pieces.put(message);
        while pieces.len() < length {
            pieces.put(next_data(&mut body).await?);
        }
        message = pieces.freeze();
    }
    message.truncate(length);
    Ok(message)
}

/// The next piece. A body that ends or breaks off has said less than a message.
async fn next_data(body: &mut (impl HttpBody<Data = Bytes> + Unpin)) -> Result<Bytes, Error> {
    loop {
        match body.frame().await {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if !data.is_empty() => return Ok(data),
                _ => {}
            },
            Some(Err(_)) | None => return Err(not_a_message()),
        }
    }
}

fn message_length(prefix: &[u8]) -> Result<usize, Error> {
    match *prefix {
        [0, a, b, c, d, ..] => usize::try_from(u32::from_be_bytes([a, b, c, d])).map_err(|_| not_a_message()),
        _ => Err(not_a_message()),
    }
}

fn reply(message: &impl Message) -> Response<Body> {
    let length = message.encoded_len();
    let mut framed = BytesMut::with_capacity(PREFIX_BYTES + length);
    framed.put_u8(0);
    // The largest reply tells of 10,000 events.
    framed.put_u32(u32::try_from(length).expect("a reply of megabytes at the most"));
    message.encode_raw(&mut framed);
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert(Status::GRPC_STATUS, HeaderValue::from(Code::Ok as u16));
    let body = Full::new(framed.freeze()).with_trailers(std::future::ready(Some(Ok(trailers))));
    let mut response = Response::new(Body::new(body.map_err(|never| match never {})));
    response.headers_mut().insert(CONTENT_TYPE, GRPC_CONTENT_TYPE);
    response
}

#[cfg(test)]
mod tests {
    use super::*;
    use http_body_util::StreamBody;
    use hyper::body::Frame;

    /// What is read of a body that comes in these pieces and then ends.
    async fn read_pieces(pieces: &[&'static [u8]]) -> Result<Bytes, Error> {
        let frames = pieces.iter().map(|piece| Ok::<_, Status>(Frame::data(Bytes::from_static(piece))));
        read(StreamBody::new(futures_util::stream::iter(frames.collect::<Vec<_>>())), 4).await
    }

    #[tokio::test]
    async fn a_message_is_read_whole_whatever_its_pieces() {
        for pieces in [
            &[&b"\0\0\0\0\x04abcd"[..]][..],
            &[b"\0\0", b"", b"\0\0\x04a", b"bc", b"d"],
            &[b"\0\0\0\0\x04", b"abcd"],
            // What follows is not of the call.
            &[b"\0\0\0\0\x04abcd\0\0\0\0\0"],
            &[b"\0\0\0\0\x04a", b"bcd\0\0\0\0\0"],
        ] {
            assert_eq!(read_pieces(pieces).await, Ok(Bytes::from_static(b"abcd")), "{pieces:?}");
        }
        assert_eq!(read_pieces(&[b"\0\0\0\0\0"]).await, Ok(Bytes::new()));
    }

    #[tokio::test]
    async fn less_than_a_message_is_none_and_nor_is_one_that_is_compressed() {
        for pieces in
            [&[][..], &[&b"\0\0\0"[..]], &[b"\0\0\0\0\x04abc"], &[b"\x01\0\0\0\x04abcd"], &[b"\x02\0\0\0\x04abcd"]]
        {
            assert_eq!(read_pieces(pieces).await, Err(not_a_message()), "{pieces:?}");
        }
    }

    #[tokio::test]
    async fn a_message_that_is_too_large_is_refused_unread() {
        assert_eq!(read_pieces(&[b"\0\0\0\0\x05"]).await, Err(Error::body_too_large(4)));
    }
}
