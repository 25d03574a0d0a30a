//! `ProcessEvent`, `ProcessEventBatch` and `HealthCheck`.

use std::marker::PhantomData;

use bytes::BufMut;
use events_core::token::Token;
use prost::Message;
use tonic::client::Grpc;
use tonic::codec::{Codec, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::{Code, Request, Status};
use tonic_prost::{ProstCodec, ProstDecoder};

use super::client::{EventBatchRequest, EventBatchResponse, EventFailure, HealthRequest, HealthResponse};
use super::{EventRequest, EventResponse, Server, event, event_of_size, processed};

fn refused<T>(answer: Result<tonic::Response<T>, Status>) -> (Code, String) {
    match answer {
        Ok(_) => (Code::Ok, String::new()),
        Err(status) => (status.code(), status.message().to_owned()),
    }
}

fn refusal(code: Code, message: &str) -> (Code, String) {
    (code, message.to_owned())
}

/// Sends bytes as they are.
struct RawCodec<Reply>(PhantomData<Reply>);

struct RawEncoder;

impl Encoder for RawEncoder {
    type Item = Vec<u8>;
    type Error = Status;

    fn encode(&mut self, message: Vec<u8>, buffer: &mut EncodeBuf<'_>) -> Result<(), Status> {
        buffer.put_slice(&message);
        Ok(())
    }
}

impl<Reply: Message + Default + Send + 'static> Codec for RawCodec<Reply> {
    type Encode = Vec<u8>;
    type Decode = Reply;
    type Encoder = RawEncoder;
    type Decoder = ProstDecoder<Reply>;

    fn encoder(&mut self) -> RawEncoder {
        RawEncoder
    }

    fn decoder(&mut self) -> Self::Decoder {
        ProstCodec::<Reply, Reply>::default().decoder()
    }
}

async fn send_raw<Reply>(server: &Server, method: &'static str, message: &[u8]) -> (Code, String)
where
    Reply: Message + Default + Send + 'static,
{
    let mut grpc = Grpc::new(server.channel().await);
    grpc.ready().await.expect("connected");
    let request = Request::new(message.to_vec());
    refused(grpc.unary(request, PathAndQuery::from_static(method), RawCodec::<Reply>(PhantomData)).await)
}

const PROCESS_EVENT: &str = "/com.example.grpc.EventService/ProcessEvent";
const PROCESS_EVENT_BATCH: &str = "/com.example.grpc.EventService/ProcessEventBatch";

#[tokio::test]
async fn an_event_is_stored() {
    let server = Server::start().await;
    let reply = server.client().await.process_event(event("1")).await.expect("a valid event");
    assert_eq!((reply.into_inner(), server.rows()), (processed(), 1));
}

#[tokio::test]
async fn a_broken_rule_is_invalid_argument() {
    let server = Server::start().await;
    let reply = server.client().await.process_event(EventRequest::default()).await;
    assert_eq!(refused(reply), refusal(Code::InvalidArgument, "eventHeader: required"));
    assert_eq!(server.rows(), 0);
}

#[tokio::test]
async fn bytes_that_are_no_message_are_invalid_argument() {
    let server = Server::start().await;
    let refusal = refusal(Code::InvalidArgument, "body: not a valid message");
    for bytes in [&b"\x0a"[..], b"\x0a\x03\x0a\x01\xff"] {
        assert_eq!(send_raw::<EventResponse>(&server, PROCESS_EVENT, bytes).await, refusal);
        assert_eq!(send_raw::<EventBatchResponse>(&server, PROCESS_EVENT_BATCH, bytes).await, refusal);
    }
    let health = "/com.example.grpc.EventService/HealthCheck";
    assert_eq!(send_raw::<HealthResponse>(&server, health, b"\x0a").await, refusal);
}

#[tokio::test]
async fn each_method_has_its_limit_of_size() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let too_long = "eventHeader.eventName: must have at most 100 characters";
    let largest = client.process_event(event_of_size(1_048_576)).await;
    assert_eq!(refused(largest), refusal(Code::InvalidArgument, too_long));
    let larger = client.process_event(event_of_size(1_048_577)).await;
    assert_eq!(refused(larger), refusal(Code::ResourceExhausted, "body: larger than 1048576 bytes"));

    let bulk = |bytes| {
        let overhead = EventBatchRequest { events: vec![event_of_size(bytes)] }.encoded_len() - bytes;
        EventBatchRequest { events: vec![event_of_size(bytes - overhead)] }
    };
    let largest = client.process_event_batch(bulk(16_777_216)).await;
    let message = "0 of 1 events processed; event 0: event: larger than 1048576 bytes";
    assert_eq!(refused(largest), refusal(Code::InvalidArgument, message));
    let larger = client.process_event_batch(bulk(16_777_217)).await;
    assert_eq!(refused(larger), refusal(Code::ResourceExhausted, "body: larger than 16777216 bytes"));
}

#[tokio::test]
async fn a_batch_reports_each_event() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let events = vec![event("1"), EventRequest::default(), event("2")];
    let mut reply =
        client.process_event_batch(EventBatchRequest { events }).await.expect("some are valid").into_inner();
    assert_eq!(std::mem::take(&mut reply.batch_id).len(), 36);
    reply.processing_time_ms = 0;
    let expected = EventBatchResponse {
        success: false,
        message: "2 of 3 events processed".to_owned(),
        processed_count: 2,
        failed_count: 1,
        failures: vec![EventFailure { index: 1, message: "eventHeader: required".to_owned() }],
        ..EventBatchResponse::default()
    };
    assert_eq!((reply, server.rows()), (expected, 2));
}

#[tokio::test]
async fn batches_of_no_or_too_many_events_are_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut send = async |count| {
        let events = vec![EventRequest::default(); count];
        refused(client.process_event_batch(EventBatchRequest { events }).await)
    };
    let message = "events: must hold 1 to 10000 events";
    assert_eq!(send(0).await, refusal(Code::InvalidArgument, message));
    assert_eq!(send(10_001).await, refusal(Code::ResourceExhausted, message));
    let none = "0 of 10000 events processed; event 0: eventHeader: required";
    assert_eq!(send(10_000).await, refusal(Code::InvalidArgument, none));
}

#[tokio::test]
async fn health_is_an_answer_not_an_error() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut check = async || client.health_check(HealthRequest::default()).await.expect("always OK").into_inner();
    assert_eq!(check().await, HealthResponse { healthy: true, message: "OK".to_owned() });
    server.disconnect();
    assert_eq!(check().await, HealthResponse { healthy: false, message: "database: unavailable".to_owned() });
}

#[tokio::test]
async fn other_methods_are_unimplemented() {
    let server = Server::start().await;
    for method in ["/com.example.grpc.EventService/Other", "/com.example.grpc.Other/ProcessEvent"] {
        assert_eq!(send_raw::<EventResponse>(&server, method, b"").await.0, Code::Unimplemented);
    }
}

#[tokio::test]
async fn without_the_token_only_health_is_answered() {
    let server = Server::start_with(Token::new("secret")).await;
    let mut client = server.client().await;
    let refused_as = refusal(Code::Unauthenticated, "authorization: a valid bearer token is required");
    for wrong in [None, Some("Bearer wrong")] {
        let mut request = Request::new(event("1"));
        if let Some(wrong) = wrong {
            request.metadata_mut().insert("authorization", wrong.parse().expect("a value"));
        }
        assert_eq!(refused(client.process_event(request).await), refused_as, "{wrong:?}");
    }
    assert_eq!(send_raw::<EventResponse>(&server, "/nowhere/Nothing", &[]).await, refused_as);
    assert_eq!(server.rows(), 0);
    assert!(client.health_check(HealthRequest::default()).await.is_ok());
}

#[tokio::test]
async fn with_the_token_an_event_is_stored() {
    let server = Server::start_with(Token::new("secret")).await;
    let mut request = Request::new(event("1"));
    request.metadata_mut().insert("authorization", "Bearer secret".parse().expect("a value"));
    let reply = server.client().await.process_event(request).await.expect("stored");
    assert_eq!((reply.into_inner(), server.rows()), (processed(), 1));
}
