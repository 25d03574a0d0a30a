//! Against an HTTP/2 server that others wrote, and that grants little.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::{Buf, Bytes, BytesMut};
use h2::server::{self, SendResponse};
use h2::{RecvStream, SendStream};
use http::{HeaderMap, HeaderValue, Request, Response};
use serde_json::json;

use crate::{events, support};

/// Counts of the requests that the server received.
#[derive(Default)]
struct Received {
    messages: Mutex<Vec<Bytes>>,
    paths: Mutex<Vec<String>>,
    /// The header `x-request` of each call.
    requests: Mutex<Vec<String>>,
    at_once: AtomicUsize,
    most_at_once: AtomicUsize,
}

/// A server with these settings, in a thread with its own runtime.
fn serve(settings: fn(&mut server::Builder)) -> (SocketAddr, Arc<Received>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    let seen = Arc::new(Received::default());
    let shared = Arc::clone(&seen);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            while let Ok((socket, _)) = listener.accept().await {
                let seen = Arc::clone(&shared);
                tokio::spawn(async move {
                    let mut builder = server::Builder::new();
                    settings(&mut builder);
                    let mut connection = builder.handshake::<_, Bytes>(socket).await.expect("a handshake");
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        tokio::spawn(answer(request, respond, Arc::clone(&seen)));
                    }
                });
            }
        });
    });
    (address, seen)
}

/// Answers each message of a call as it comes.
async fn answer(request: Request<RecvStream>, mut respond: SendResponse<Bytes>, seen: Arc<Received>) {
    assert_eq!(request.headers()["content-type"], "application/grpc");
    assert_eq!(request.headers()["te"], "trailers");
    if let Some(request) = request.headers().get("x-request") {
        seen.requests.lock().expect("a lock").push(request.to_str().expect("ASCII").to_owned());
    }
    seen.paths.lock().expect("a lock").push(request.uri().path().to_owned());
    let at_once = seen.at_once.fetch_add(1, Ordering::SeqCst) + 1;
    seen.most_at_once.fetch_max(at_once, Ordering::SeqCst);
    let response = Response::builder().status(200).header("content-type", "application/grpc+proto");
    let mut stream = respond.send_response(response.body(()).expect("a response"), false).expect("sent");
    let mut body = request.into_body();
    let mut pending = BytesMut::new();
    while let Some(Ok(data)) = body.data().await {
        let _ = body.flow_control().release_capacity(data.len());
        pending.extend_from_slice(&data);
        take_messages(&mut pending, &mut stream, &seen);
    }
    seen.at_once.fetch_sub(1, Ordering::SeqCst);
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    trailers.insert("grpc-message", HeaderValue::from_static("as%20it%20should%20be"));
    // The client may have closed the connection already.
    let _ = stream.send_trailers(trailers);
}

fn take_messages(pending: &mut BytesMut, stream: &mut SendStream<Bytes>, seen: &Received) {
    while let Some(prefix) = pending.first_chunk::<5>() {
        let length = u32::from_be_bytes([prefix[1], prefix[2], prefix[3], prefix[4]]) as usize;
        if pending.len() < 5 + length {
            return;
        }
        pending.advance(5);
        seen.messages.lock().expect("a lock").push(pending.split_to(length).freeze());
        let reply = Bytes::from_static(b"\0\0\0\0\x02\x08\x01");
        stream.send_data(reply, false).expect("the client waits for it");
    }
}

fn stingy(builder: &mut server::Builder) {
    builder
        .initial_window_size(1_000)
        .initial_connection_window_size(65_535)
        .max_concurrent_streams(2)
        .header_table_size(0)
        .max_frame_size(16_384);
}

fn generous(builder: &mut server::Builder) {
    builder.initial_window_size(1 << 20).initial_connection_window_size(1 << 24).max_frame_size(1 << 20);
}

#[test]
fn large_messages_through_small_windows() {
    for settings in [stingy, generous] {
        let (address, seen) = serve(settings);
        let changes = json!({
            "size_bytes": 65_536,
            "phases": [{"name": "all", "virtual_users": 3, "iterations": 30}],
        });
        let memory = support::run(&events::plan(address, &changes));
        assert_eq!((memory.ok(), memory.errors().len(), memory.connections_opened()), (30, 0, 3));
        let messages = seen.messages.lock().expect("a lock");
        assert_eq!(messages.len(), 30);
        assert!(messages.iter().all(|message| message.len() > 65_000), "padded, whatever the encoding");
    }
}

#[test]
fn users_share_a_connection_within_its_limit_of_streams() {
    let (address, seen) = serve(stingy);
    let changes = json!({
        "transport": {"protocol": "grpc", "connections": 1},
        "phases": [{"name": "all", "virtual_users": 20, "iterations": 400}],
    });
    let memory = support::run(&events::plan(address, &changes));
    assert_eq!((memory.ok(), memory.errors().len(), memory.connections_opened()), (400, 0, 1));
    assert!(seen.most_at_once.load(Ordering::SeqCst) <= 2, "the server allows two streams");
    assert!(
        seen.paths.lock().expect("a lock").iter().all(|path| path == "/com.example.grpc.EventService/ProcessEvent")
    );
}

#[test]
fn one_long_call_for_each_connection() {
    let (address, seen) = serve(stingy);
    let changes = json!({
        "transport": {"protocol": "grpc", "stream": true, "connections": 2, "window": 4},
        "phases": [
            {"name": "one", "virtual_users": 4, "iterations": 200},
            {"name": "two", "virtual_users": 6, "iterations": 200},
        ],
    });
    let memory = support::run(&events::plan(address, &changes));
    assert_eq!((memory.ok(), memory.errors().len(), memory.connections_opened()), (400, 0, 2));
    assert_eq!(seen.messages.lock().expect("a lock").len(), 400);
    assert_eq!(seen.paths.lock().expect("a lock").len(), 2, "the calls last through both phases");
}

#[test]
fn metadata_may_differ_from_call_to_call() {
    for settings in [stingy, generous] {
        let (address, seen) = serve(settings);
        let mut changes = json!({"phases": [{"name": "all", "virtual_users": 1, "iterations": 3}]});
        let mut operations = events::changes()["operations"].clone();
        operations[0]["grpc"]["metadata_templates"] = json!({"x-request": ["r-", {"slot": "sequence"}]});
        changes["operations"] = operations;
        assert_eq!(support::run(&events::plan(address, &changes)).ok(), 3);
        assert_eq!(*seen.requests.lock().expect("a lock"), ["r-0", "r-1", "r-2"]);
    }
}
