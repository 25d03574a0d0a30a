//! The reply to a call.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::{BufMut, Bytes, BytesMut};
use hyper::body::{Body, Frame};
use prost::Message;
use tonic::Status;
use tonic::codegen::http::header::CONTENT_TYPE;
use tonic::codegen::http::{HeaderMap, HeaderValue, Response};
use tonic::metadata::GRPC_CONTENT_TYPE;

use crate::message::PREFIX_BYTES;

/// The body of a reply: one message and the status OK, or a body from tonic.
///
/// It hides its length, because hyper would add a `content-length` header that gRPC clients ignore.
pub enum Reply {
    Message(Bytes),
    Ok,
    End,
    Tonic(tonic::body::Body),
}

impl Reply {
    /// A reply of one message.
    pub fn message(message: &impl Message) -> Response<Self> {
        let length = message.encoded_len();
        let mut framed = BytesMut::with_capacity(PREFIX_BYTES + length);
        framed.put_u8(0);
        // The largest reply lists 10,000 events.
        framed.put_u32(u32::try_from(length).expect("a reply of megabytes at the most"));
        message.encode_raw(&mut framed);
        let mut response = Response::new(Self::Message(framed.freeze()));
        response.headers_mut().insert(CONTENT_TYPE, GRPC_CONTENT_TYPE);
        response
    }

    /// A reply of a status alone.
    pub fn status(status: Status) -> Response<Self> {
        status.into_http::<tonic::body::Body>().map(Self::Tonic)
    }
}

impl Body for Reply {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let (frame, rest) = match &mut *self {
            Self::Tonic(body) => return Pin::new(body).poll_frame(context),
            Self::Message(message) => (Some(Ok(Frame::data(std::mem::take(message)))), Self::Ok),
            Self::Ok => (Some(Ok(Frame::trailers(ok()))), Self::End),
            Self::End => (None, Self::End),
        };
        *self = rest;
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Tonic(body) => body.is_end_stream(),
            Self::Message(_) | Self::Ok => false,
            Self::End => true,
        }
    }
}

fn ok() -> HeaderMap {
    let mut trailers = HeaderMap::with_capacity(1);
    trailers.insert(Status::GRPC_STATUS, HeaderValue::from_static("0"));
    trailers
}
