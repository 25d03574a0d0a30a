//! The services over a real connection, with a fake database.

use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::Arc;

use events_core::error::BoxError;
use events_core::process;
use events_core::shutdown::{Shutdown, Trigger};
use events_core::testing::CountingStorage;
use events_core::token::Token;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_stream::wrappers::ReceiverStream;
use tonic::transport::Channel;
use tonic::{Code, Request, Response, Status, Streaming};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::TARGET;
use crate::proto::event_service_client::EventServiceClient;
use crate::proto::{
    EntityUpdate, EventBatchRequest, EventBody, EventHeader, EventRequest, EventResponse, HealthRequest,
};
use crate::server::serve;

struct Server {
    address: SocketAddr,
    storage: Arc<CountingStorage>,
    trigger: Trigger,
    serving: JoinHandle<Result<(), BoxError>>,
}

impl Server {
    async fn start() -> Self {
        Self::start_with(None, &[]).await
    }

    async fn start_with(token: Option<Token>, settings: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("bound");
        let storage = Arc::new(CountingStorage::default());
        let (trigger, shutdown) = Shutdown::new();
        let writer = storage.writer(&TARGET, settings);
        let serving = tokio::spawn(serve(process::Server {
            listener,
            tls: None,
            writer,
            token,
            limits: TARGET.limits,
            shutdown,
        }));
        Self { address, storage, trigger, serving }
    }

    async fn channel(&self) -> Channel {
        let endpoint = Channel::from_shared(format!("http://{}", self.address)).expect("a URI");
        endpoint.connect().await.expect("listening")
    }

    async fn client(&self) -> EventServiceClient<Channel> {
        EventServiceClient::new(self.channel().await)
    }
}

fn event(id: &str) -> EventRequest {
    let header = EventHeader {
        uuid: "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f".to_owned(),
        event_name: "CarCreated".to_owned(),
        ..EventHeader::default()
    };
    let entity =
        EntityUpdate { entity_type: "Car".to_owned(), entity_id: id.to_owned(), updated_attributes: HashMap::new() };
    EventRequest { event_header: Some(header), event_body: Some(EventBody { entities: vec![entity] }) }
}

/// An event whose message has at least so many bytes.
fn large_event(bytes: usize) -> EventRequest {
    let mut event = event("1");
    event.event_header.as_mut().expect("set above").event_name = "x".repeat(bytes);
    event
}

fn changed(change: impl FnOnce(&mut EventHeader, &mut EntityUpdate)) -> EventRequest {
    let mut event = event("1");
    let header = event.event_header.as_mut().expect("set above");
    change(header, &mut event.event_body.as_mut().expect("set above").entities[0]);
    event
}

fn refused<T>(answer: Result<Response<T>, Status>) -> (Code, String) {
    match answer {
        Ok(_) => (Code::Ok, String::new()),
        Err(status) => (status.code(), status.message().to_owned()),
    }
}

/// Replies up to the end of the stream, and the status that ended it.
async fn rest(mut replies: Streaming<EventResponse>) -> (Vec<EventResponse>, Code) {
    let mut received = Vec::new();
    loop {
        match replies.message().await {
            Ok(Some(reply)) => received.push(reply),
            Ok(None) => return (received, Code::Ok),
            Err(status) => return (received, status.code()),
        }
    }
}

async fn send_all(server: &Server, events: Vec<EventRequest>) -> (Vec<EventResponse>, Code) {
    let replies = server.client().await.stream_events(tokio_stream::iter(events)).await.expect("a stream");
    rest(replies.into_inner()).await
}

#[tokio::test]
async fn an_event_is_stored() {
    let server = Server::start().await;
    let reply = server.client().await.process_event(event("1")).await.expect("a valid event");
    assert_eq!((reply.into_inner(), server.storage.rows()), (EventResponse::processed(), 1));
}

#[tokio::test]
async fn a_broken_rule_is_invalid_argument_with_the_path_of_the_field() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for (event, path) in [
        (EventRequest::default(), "eventHeader"),
        (changed(|header, _| header.uuid.clear()), "eventHeader.uuid"),
        (changed(|header, _| header.event_name = "x".repeat(101)), "eventHeader.eventName"),
        (changed(|header, _| header.event_type = "\0".to_owned()), "eventHeader.eventType"),
        (changed(|header, _| header.created_date = "yesterday".to_owned()), "eventHeader.createdDate"),
        (changed(|_, entity| entity.entity_type.clear()), "eventBody.entities[0].entityType"),
        (changed(|_, entity| entity.entity_id = "x".repeat(256)), "eventBody.entities[0].entityId"),
        (
            changed(|_, entity| drop(entity.updated_attributes.insert("a".to_owned(), prost_types::Value::default()))),
            "eventBody.entities[0].updatedAttributes",
        ),
    ] {
        let (code, message) = refused(client.process_event(event).await);
        assert_eq!(code, Code::InvalidArgument, "{path}: {message}");
        assert!(message.starts_with(&format!("{path}: ")), "{path}: {message}");
    }
    assert_eq!(server.storage.rows(), 0);
}

#[tokio::test]
async fn sizes_are_limited() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let largest = refused(client.process_event(large_event(1_048_000)).await);
    assert_eq!(largest.0, Code::InvalidArgument, "{}", largest.1);
    for bytes in [1_048_576, 17 << 20] {
        let (code, message) = refused(client.process_event(large_event(bytes)).await);
        assert_eq!(code, Code::ResourceExhausted, "{message}");
        assert_eq!(message, "body: too large");
    }
    let batch = EventBatchRequest { events: vec![large_event(2 << 20), event("1")] };
    let report = client.process_event_batch(batch).await.expect("one is valid").into_inner();
    assert_eq!(report.failures[0].message, "event: larger than 1048576 bytes");
}

#[tokio::test]
async fn a_batch_reports_each_event() {
    let server = Server::start().await;
    let events = vec![event("1"), EventRequest::default(), event("2")];
    let reply = server.client().await.process_event_batch(EventBatchRequest { events }).await;
    let reply = reply.expect("some are valid").into_inner();
    assert_eq!(reply.message, "2 of 3 events processed");
    assert_eq!((reply.success, reply.processed_count, reply.failed_count), (false, 2, 1));
    assert_eq!((reply.failures[0].index, server.storage.rows()), (1, 2));
}

#[tokio::test]
async fn batches_of_no_or_too_many_events_are_refused() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for (count, expected) in [(0, Code::InvalidArgument), (10_001, Code::ResourceExhausted)] {
        let events = vec![EventRequest::default(); count];
        let (code, message) = refused(client.process_event_batch(EventBatchRequest { events }).await);
        assert_eq!((code, message.as_str()), (expected, "events: must hold 1 to 10000 events"));
    }
}

#[tokio::test]
async fn a_full_queue_is_resource_exhausted() {
    let server = Server::start_with(None, &[("QUEUE_EVENTS", "1"), ("FLUSHERS", "1")]).await;
    server.storage.block();
    let mut calls = Vec::new();
    for _ in 0..3 {
        let mut client = server.client().await;
        calls.push(tokio::spawn(async move { refused(client.process_event(event("1")).await) }));
    }
    // One is being stored, one is queued, and one is refused while they wait.
    server.storage.arrived().await;
    while calls.iter().all(|call| !call.is_finished()) {
        tokio::task::yield_now().await;
    }
    server.storage.release();
    let mut codes = Vec::new();
    for call in calls {
        codes.push(call.await.expect("no panic").0);
    }
    codes.sort_by_key(|code| *code as i32);
    assert_eq!(codes, [Code::Ok, Code::Ok, Code::ResourceExhausted]);
}

#[tokio::test]
async fn health_follows_the_database() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let mut health = HealthClient::new(server.channel().await);
    let request = || HealthCheckRequest { service: "com.example.grpc.EventService".to_owned() };
    let mut watched = health.watch(request()).await.expect("a known service").into_inner();
    for (available, expected) in [(true, ServingStatus::Serving), (false, ServingStatus::NotServing)] {
        server.storage.set_unavailable(!available);
        assert_eq!(watched.message().await.expect("an update").expect("an update").status(), expected);
        assert_eq!(health.check(request()).await.expect("a status").into_inner().status(), expected);
        let reply = client.health_check(HealthRequest::default()).await.expect("always OK").into_inner();
        assert_eq!(reply.healthy, available);
    }
    server.trigger.fire();
    assert_eq!(watched.message().await.expect("an end"), None);
    drop((client, health));
    server.serving.await.expect("no panic").expect("no error");
}

#[tokio::test]
async fn without_the_token_only_health_is_answered() {
    let server = Server::start_with(Token::new("secret"), &[]).await;
    let mut client = server.client().await;
    for (header, expected) in [
        (None, Code::Unauthenticated),
        (Some("Bearer wrong"), Code::Unauthenticated),
        (Some("Bearer secret"), Code::Ok),
    ] {
        let mut request = Request::new(event("1"));
        if let Some(header) = header {
            request.metadata_mut().insert("authorization", header.parse().expect("a value"));
        }
        assert_eq!(refused(client.process_event(request).await).0, expected, "{header:?}");
    }
    assert_eq!(server.storage.rows(), 1);
    assert!(client.health_check(HealthRequest::default()).await.is_ok());
    assert!(HealthClient::new(server.channel().await).check(HealthCheckRequest::default()).await.is_ok());
}

#[tokio::test]
async fn replies_come_in_the_order_of_events_and_an_invalid_one_ends_nothing() {
    let server = Server::start().await;
    let is_invalid = |number| number % 3 == 1;
    // More than the window of unanswered events.
    let events = (0..3_000).map(|number| if is_invalid(number) { EventRequest::default() } else { event("1") });
    let (replies, code) = send_all(&server, events.collect()).await;
    let success: Vec<_> = replies.iter().map(|reply| reply.success).collect();
    assert_eq!((success, code), ((0..3_000).map(|number| !is_invalid(number)).collect(), Code::Ok));
}

#[tokio::test]
async fn a_message_that_is_too_large_ends_the_stream_after_the_replies_before_it() {
    let server = Server::start().await;
    for bytes in [1_048_576, 17 << 20] {
        let (replies, code) = send_all(&server, vec![event("1"), large_event(bytes), event("2")]).await;
        assert_eq!((replies.len(), code), (1, Code::ResourceExhausted));
    }
}

#[tokio::test]
async fn an_unavailable_database_is_unavailable() {
    let server = Server::start().await;
    server.storage.set_unavailable(true);
    // Time is paused after the connection is established, which takes real time.
    let mut client = server.client().await;
    tokio::time::pause();
    let (code, message) = refused(client.process_event(event("1")).await);
    assert_eq!((code, message.as_str()), (Code::Unavailable, "database: unavailable, retry later"));
    let replies = client.stream_events(tokio_stream::iter([event("1")])).await.expect("a stream");
    assert_eq!(rest(replies.into_inner()).await.1, Code::Unavailable);
}

#[tokio::test]
async fn shutdown_answers_what_was_accepted_and_ends_streams() {
    let server = Server::start().await;
    let (send, events) = mpsc::channel(1);
    let stream = server.client().await.stream_events(ReceiverStream::new(events)).await;
    let mut replies = stream.expect("a stream").into_inner();
    send.send(event("1")).await.expect("the stream is open");
    assert_eq!(replies.message().await.expect("a reply"), Some(EventResponse::processed()));
    server.storage.block();
    let mut client = server.client().await;
    let call = tokio::spawn(async move { refused(client.process_event(event("2")).await) });
    server.storage.arrived().await;

    server.trigger.fire();
    let (replies, code) = rest(replies).await;
    assert_eq!((replies.len(), code), (0, Code::Unavailable));
    server.storage.release();
    assert_eq!(call.await.expect("no panic").0, Code::Ok);
    server.serving.await.expect("no panic").expect("no error");
    assert_eq!(server.storage.rows(), 2);
}

/// The services that a version of reflection lists.
macro_rules! listed_services {
    ($server:expr, $version:ident) => {{
        use tonic_reflection::pb::$version::ServerReflectionRequest;
        use tonic_reflection::pb::$version::server_reflection_client::ServerReflectionClient;
        use tonic_reflection::pb::$version::server_reflection_request::MessageRequest;
        use tonic_reflection::pb::$version::server_reflection_response::MessageResponse;
        let request = ServerReflectionRequest {
            host: String::new(),
            message_request: Some(MessageRequest::ListServices(String::new())),
        };
        let mut client = ServerReflectionClient::new($server.channel().await);
        let replies = client.server_reflection_info(tokio_stream::once(request)).await.expect("a stream");
        let reply = replies.into_inner().message().await.expect("a reply").and_then(|reply| reply.message_response);
        let Some(MessageResponse::ListServicesResponse(list)) = reply else {
            unreachable!("expected a list, got {reply:?}");
        };
        list.service.into_iter().map(|service| service.name).collect::<Vec<_>>()
    }};
}

#[tokio::test]
async fn both_versions_of_reflection_list_the_service() {
    let server = Server::start().await;
    let service = "com.example.grpc.EventService".to_owned();
    assert!(listed_services!(server, v1).contains(&service));
    assert!(listed_services!(server, v1alpha).contains(&service));
}

#[test]
fn the_size_of_a_large_event_is_above_its_text() {
    assert!(large_event(1_048_576).encoded_len() > 1_048_576);
}
