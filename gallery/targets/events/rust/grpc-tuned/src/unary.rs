//! Calls of one message and one reply, from the bytes of HTTP/2 to those of HTTP/2.
//!
//! tonic's own implementation copies each reply out of a buffer of the call, a measurable cost for short calls.

use bytes::Bytes;
use events_core::intake::Charge;
use hyper::body::Body;
use prost::Message;
use tonic::Status;
use tonic::codegen::http::{Request, Response};

use crate::codec::Incoming;
use crate::message;
use crate::reply::Reply;
use crate::status;

/// Answers a call by `method`, if its message has at most `limit` bytes and the budget has room for it.
pub async fn answer<Req: Incoming, Res: Message>(
    call: Request<impl Body<Data = Bytes> + Unpin>,
    limit: usize,
    mut charge: Charge,
    method: impl AsyncFnOnce(tonic::Request<Req>) -> Result<tonic::Response<Res>, Status>,
) -> Response<Reply> {
    let message = decode(call, limit, &mut charge).await;
    drop(charge);
    let result = match message {
        Ok(message) => method(tonic::Request::new(message)).await,
        Err(status) => Err(status),
    };
    match result {
        Ok(response) => Reply::message(response.get_ref()),
        Err(status) => Reply::status(status),
    }
}

async fn decode<Req: Incoming>(
    call: Request<impl Body<Data = Bytes> + Unpin>,
    limit: usize,
    charge: &mut Charge,
) -> Result<Req, Status> {
    let message = message::read(call.into_body(), limit, charge).await?;
    Req::decode(&message).map_err(|error| status::from(&error))
}
