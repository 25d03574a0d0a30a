//! gRPC framing in pieces of any size.

use bytes::Bytes;
use events_core::intake::Intake;
use futures_util::{FutureExt, stream};
use http_body_util::StreamBody;
use hyper::body::Frame;
use producer_api_rust_grpc_tuned::message::{PREFIX_BYTES, read};
use tonic::{Code, Status};

/// Small, so that messages above it are found.
const LIMIT: usize = 64;

/// A body in pieces of any size is read as it would be in one, and holds one message or none.
pub fn grpc_message(input: &[u8]) {
    let Some((&size, body)) = input.split_first() else { return };
    let pieces: Vec<_> = body
        .chunks(usize::from(size).max(1))
        .map(|piece| Ok::<_, Status>(Frame::data(Bytes::copy_from_slice(piece))))
        .collect();
    let mut charge = Intake::new(0).charge();
    let message =
        read(StreamBody::new(stream::iter(pieces)), LIMIT, &mut charge).now_or_never().expect("nothing to wait for");
    assert_eq!(message.map_err(|status| status.code()), expected(body).map(Bytes::copy_from_slice));
}

fn expected(body: &[u8]) -> Result<&[u8], Code> {
    let (prefix, message) = body.split_at_checked(PREFIX_BYTES).ok_or(Code::Internal)?;
    let (flag, length) = prefix.split_at(1);
    let length = length.iter().fold(0, |length, byte| length << 8 | usize::from(*byte));
    match flag {
        [0] if length > LIMIT => Err(Code::ResourceExhausted),
        [0] if length == message.len() => Ok(message),
        _ => Err(Code::Internal),
    }
}
