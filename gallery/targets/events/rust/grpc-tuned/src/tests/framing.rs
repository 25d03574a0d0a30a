//! Calls that client libraries cannot make, frame by frame.

use bytes::Bytes;
use events_core::token::Token;
use h2::client::{ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use prost::Message;
use tonic::Code;
use tonic::codegen::http::{HeaderMap, HeaderName, HeaderValue, Request, Response};

use super::client::EventBatchRequest;
use super::{Server, event};

const PROCESS_EVENT: &str = "/com.example.grpc.EventService/ProcessEvent";
const PROCESS_EVENT_BATCH: &str = "/com.example.grpc.EventService/ProcessEventBatch";
const STREAM_EVENTS: &str = "/com.example.grpc.EventService/StreamEvents";
const EVENT_HEALTH_CHECK: &str = "/com.example.grpc.EventService/HealthCheck";
const HEALTH_CHECK: &str = "/grpc.health.v1.Health/Check";

/// A connection, and the calls that it carries.
struct Connection(SendRequest<Bytes>);

impl Connection {
    async fn to(server: &Server) -> Self {
        let stream = tokio::net::TcpStream::connect(server.address).await.expect("listening");
        let (send, connection) = h2::client::handshake(stream).await.expect("it speaks HTTP/2");
        tokio::spawn(connection);
        Self(send)
    }

    /// Sends the head of a call.
    async fn begin(&mut self, method: &str, headers: &[(&str, &str)]) -> (ResponseFuture, SendStream<Bytes>) {
        let mut request = Request::post(format!("http://server{method}")).header("content-type", "application/grpc");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        std::future::poll_fn(|context| self.0.poll_ready(context)).await.expect("the connection is usable");
        self.0.send_request(request.body(()).expect("a request"), false).expect("sent")
    }

    /// Makes a call with this body: its status and its headers.
    async fn call(&mut self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> (Code, HeaderMap) {
        let (response, mut send) = self.begin(method, headers).await;
        send.send_data(Bytes::copy_from_slice(body), true).expect("sent");
        end(response).await
    }

    async fn code(&mut self, method: &str, headers: &[(&str, &str)], body: &[u8]) -> Code {
        self.call(method, headers, body).await.0
    }
}

async fn end(response: ResponseFuture) -> (Code, HeaderMap) {
    let (mut head, mut body): (_, RecvStream) = response.await.map(Response::into_parts).expect("an answer");
    while let Some(data) = body.data().await {
        data.expect("a reply");
    }
    head.headers.extend(body.trailers().await.expect("an end").unwrap_or_default());
    let status = head.headers.get("grpc-status").expect("a status");
    (Code::from_bytes(status.as_bytes()), head.headers)
}

fn framed(flag: u8, message: &impl Message) -> Vec<u8> {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).expect("short").to_be_bytes();
    [&[flag][..], &length, &message].concat()
}

fn batch() -> EventBatchRequest {
    EventBatchRequest { events: vec![event("1")] }
}

#[tokio::test]
async fn a_unary_call_carries_one_message() {
    let server = Server::start().await;
    let mut connection = Connection::to(&server).await;
    for (method, message) in [
        (PROCESS_EVENT, framed(0, &event("1"))),
        (PROCESS_EVENT_BATCH, framed(0, &batch())),
        (EVENT_HEALTH_CHECK, framed(0, &())),
        (HEALTH_CHECK, framed(0, &())),
    ] {
        let before = server.rows();
        for broken in [vec![], message[..message.len() - 1].to_vec(), message.repeat(2), message.repeat(3)] {
            assert_eq!(connection.code(method, &[], &broken).await, Code::Internal, "{method} {broken:x?}");
        }
        assert_eq!(server.rows(), before, "{method}");
        assert_eq!(connection.code(method, &[], &message).await, Code::Ok, "{method}");
    }
}

#[tokio::test]
async fn a_reply_has_only_the_headers_that_clients_read() {
    let server = Server::start().await;
    let (_, headers) = Connection::to(&server).await.call(PROCESS_EVENT, &[], &framed(0, &event("1"))).await;
    let names: Vec<_> = headers.keys().map(HeaderName::as_str).collect();
    assert_eq!(names, ["content-type", "grpc-status"]);
}

#[tokio::test]
async fn a_flag_of_compression_that_no_header_explains_is_internal() {
    let server = Server::start().await;
    let mut connection = Connection::to(&server).await;
    for (method, message) in [
        (PROCESS_EVENT, framed(1, &event("1"))),
        (PROCESS_EVENT_BATCH, framed(1, &batch())),
        (STREAM_EVENTS, framed(1, &event("1"))),
    ] {
        for headers in [&[][..], &[("grpc-encoding", "identity")]] {
            assert_eq!(connection.code(method, headers, &message).await, Code::Internal, "{method} {headers:?}");
        }
    }
    assert_eq!(server.rows(), 0);
    let identity = [("grpc-encoding", "identity")];
    assert_eq!(connection.code(PROCESS_EVENT, &identity, &framed(0, &event("1"))).await, Code::Ok);
}

#[tokio::test]
async fn compressed_calls_are_unimplemented_and_name_the_accepted_encoding() {
    let server = Server::start().await;
    let mut connection = Connection::to(&server).await;
    for method in [PROCESS_EVENT, PROCESS_EVENT_BATCH, STREAM_EVENTS, EVENT_HEALTH_CHECK, HEALTH_CHECK] {
        for headers in [&[("grpc-encoding", "gzip")][..], &[("grpc-encoding", "identity"), ("grpc-encoding", "br")]] {
            let (code, headers_of_reply) = connection.call(method, headers, &framed(0, &event("1"))).await;
            assert_eq!(code, Code::Unimplemented, "{method} {headers:?}");
            assert_eq!(headers_of_reply.get("grpc-accept-encoding").map(HeaderValue::as_bytes), Some(&b"identity"[..]));
        }
    }
    assert_eq!(server.rows(), 0);
}

#[tokio::test]
async fn a_slow_message_ends_its_call_and_no_other() {
    for method in [PROCESS_EVENT, PROCESS_EVENT_BATCH, STREAM_EVENTS] {
        let server = Server::start().await;
        let mut connection = Connection::to(&server).await;
        let (response, mut send) = connection.begin(method, &[]).await;
        send.send_data(Bytes::from_static(b"\0\0\0\0\x09tri"), false).expect("sent");
        // Answered after it on the same connection, so that the partial message has arrived before time is paused.
        assert_eq!(connection.code(EVENT_HEALTH_CHECK, &[], &framed(0, &())).await, Code::Ok);
        tokio::time::pause();
        assert_eq!(end(response).await.0, Code::DeadlineExceeded, "{method}");
        assert_eq!(server.rows(), 0, "{method}");
        tokio::time::resume();
    }
}

#[tokio::test]
async fn several_tokens_are_none() {
    let server = Server::start_with(Token::new("secret")).await;
    let mut connection = Connection::to(&server).await;
    let message = framed(0, &event("1"));
    let (right, wrong) = (("authorization", "Bearer secret"), ("authorization", "Bearer wrong"));
    for headers in [[right, wrong], [wrong, right], [right, right]] {
        assert_eq!(connection.code(PROCESS_EVENT, &headers, &message).await, Code::Unauthenticated, "{headers:?}");
    }
    assert_eq!(server.rows(), 0);
    let lower_case = [("authorization", "bearer secret")];
    assert_eq!(connection.code(PROCESS_EVENT, &lower_case, &message).await, Code::Ok);
}
