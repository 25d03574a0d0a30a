//! Calls of one message and one reply, from the bytes of HTTP/2 to those of HTTP/2.
//!
//! tonic's own way copies each reply out of a buffer of the call; one that is answered in microseconds feels it.

use bytes::Bytes;
use hyper::body::Body;
use prost::Message;
use tonic::Status;
use tonic::codegen::http::{Request, Response};

use crate::codec::Incoming;
use crate::message;
use crate::reply::Reply;
use crate::status;

/// Answers a call by `method`, if its message has at most `limit` bytes.
pub async fn answer<Question: Incoming, Answer: Message>(
    call: Request<impl Body<Data = Bytes> + Unpin>,
    limit: usize,
    method: impl AsyncFnOnce(tonic::Request<Question>) -> Result<tonic::Response<Answer>, Status>,
) -> Response<Reply> {
    let answer = match question(call, limit).await {
        Ok(question) => method(tonic::Request::new(question)).await,
        Err(refusal) => Err(refusal),
    };
    match answer {
        Ok(answer) => Reply::message(answer.get_ref()),
        Err(status) => Reply::status(status),
    }
}

async fn question<Question: Incoming>(
    call: Request<impl Body<Data = Bytes> + Unpin>,
    limit: usize,
) -> Result<Question, Status> {
    let message = message::read(call.into_body(), limit).await?;
    Question::decode(&message).map_err(|error| status::from(&error))
}
