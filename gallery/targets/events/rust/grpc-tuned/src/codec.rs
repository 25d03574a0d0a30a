//! The codec: requests by the core's decoder, replies by `prost`.
//!
//! With tonic's own codec a message that does not decode is INTERNAL; the contract requires INVALID_ARGUMENT.

use std::marker::PhantomData;

use bytes::Buf;
use events_core::error::{Error, ErrorKind};
use events_core::model::Event;
use events_tuned::protobuf;
use prost::Message;
use tonic::Status;
use tonic::codec::{BufferSettings, Codec, DecodeBuf, Decoder};
use tonic_health::pb::HealthCheckRequest;
use tonic_prost::ProstEncoder;

use crate::status;

/// An `EventRequest`: an event, or the rule that it breaks.
pub struct IncomingEvent(pub Result<Event, Error>);

/// An `EventBatchRequest`: events, each valid or not, or the rule that the whole breaks.
pub struct IncomingBatch(pub Result<Vec<Result<Event, Error>>, Error>);

/// A request message.
pub trait Incoming: Sized {
    /// Decodes a message. An error ends the call; a broken rule is a value.
    fn decode(message: &[u8]) -> Result<Self, Error>;
}

impl Incoming for IncomingEvent {
    fn decode(message: &[u8]) -> Result<Self, Error> {
        decoded(protobuf::decode_event(message)).map(Self)
    }
}

impl Incoming for IncomingBatch {
    fn decode(message: &[u8]) -> Result<Self, Error> {
        decoded(protobuf::decode_bulk(message)).map(Self)
    }
}

impl Incoming for HealthCheckRequest {
    fn decode(message: &[u8]) -> Result<Self, Error> {
        plain(message)
    }
}

/// Decodes a message without events.
pub fn plain<T: Message + Default>(message: &[u8]) -> Result<T, Error> {
    Message::decode(message).map_err(|_| protobuf::not_a_message())
}

fn decoded<T>(message: Result<T, Error>) -> Result<Result<T, Error>, Error> {
    match message {
        Err(error) if error.kind() == ErrorKind::Malformed => Err(error),
        message => Ok(message),
    }
}

/// The codec of all methods.
pub struct EventCodec<Reply, Request>(PhantomData<(Reply, Request)>);

impl<Reply, Request> Default for EventCodec<Reply, Request> {
    fn default() -> Self {
        Self(PhantomData)
    }
}

impl<Reply, Request> Codec for EventCodec<Reply, Request>
where
    Reply: Message + Send + 'static,
    Request: Incoming + Send + 'static,
{
    type Encode = Reply;
    type Decode = Request;
    type Encoder = ProstEncoder<Reply>;
    type Decoder = EventDecoder<Request>;

    fn encoder(&mut self) -> Self::Encoder {
        ProstEncoder::new(buffers())
    }

    fn decoder(&mut self) -> Self::Decoder {
        EventDecoder(PhantomData)
    }
}

/// Decodes by [`Incoming`].
pub struct EventDecoder<Request>(PhantomData<Request>);

impl<Request: Incoming> Decoder for EventDecoder<Request> {
    type Item = Request;
    type Error = Status;

    fn decode(&mut self, buffer: &mut DecodeBuf<'_>) -> Result<Option<Request>, Status> {
        // tonic hands over whole messages, each in one piece.
        let message = Request::decode(buffer.chunk()).map_err(|error| status::from(&error));
        buffer.advance(buffer.remaining());
        message.map(Some)
    }

    fn buffer_settings(&self) -> BufferSettings {
        buffers()
    }
}

/// Messages are small: tonic's 8 KiB per direction and call would dominate memory under load.
fn buffers() -> BufferSettings {
    BufferSettings::new(1_024, 32 * 1_024)
}
