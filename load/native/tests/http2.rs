//! REST over HTTP/2, compressed gRPC messages, calls with several messages, and keepalive pings.

use std::collections::BTreeMap;
use std::io::{Read as _, Write as _};
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use base64::Engine as _;
use bytes::Bytes;
use h2::server;
use http::{HeaderMap, HeaderValue, Request, Response};
use prost::Message as _;
use serde_json::{Value, json};

use crate::support::{self, operation, plan, run};

/// A request that the server received.
#[derive(Debug, Clone)]
struct Received {
    line: String,
    headers: HeaderMap,
    body: Vec<u8>,
}

/// A reply: its status, headers and body, and whether gRPC's trailers follow.
#[derive(Debug, Clone)]
struct Answer {
    status: u16,
    headers: Vec<(&'static str, &'static str)>,
    body: Vec<u8>,
    is_grpc: bool,
}

/// A server of another library, which gives each request the same answer.
fn serve(answer: Answer) -> (SocketAddr, Arc<Mutex<Vec<Received>>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    let seen = Arc::new(Mutex::new(Vec::new()));
    let shared = Arc::clone(&seen);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            while let Ok((socket, _)) = listener.accept().await {
                let (seen, answer) = (Arc::clone(&shared), answer.clone());
                tokio::spawn(async move {
                    let mut connection = server::handshake(socket).await.expect("a handshake");
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        tokio::spawn(reply(request, respond, Arc::clone(&seen), answer.clone()));
                    }
                });
            }
        });
    });
    (address, seen)
}

async fn reply(
    request: Request<h2::RecvStream>,
    mut respond: server::SendResponse<Bytes>,
    seen: Arc<Mutex<Vec<Received>>>,
    answer: Answer,
) {
    let (head, mut content) = request.into_parts();
    let mut body = Vec::new();
    while let Some(Ok(data)) = content.data().await {
        let _ = content.flow_control().release_capacity(data.len());
        body.extend_from_slice(&data);
    }
    let line = format!("{} {}", head.method, head.uri.path_and_query().expect("a path"));
    seen.lock().expect("a lock").push(Received { line, headers: head.headers, body });
    let mut response = Response::builder().status(answer.status);
    for (name, value) in &answer.headers {
        response = response.header(*name, *value);
    }
    let mut stream = respond.send_response(response.body(()).expect("a response"), false).expect("sent");
    stream.send_data(Bytes::from(answer.body), !answer.is_grpc).expect("sent");
    if answer.is_grpc {
        let mut trailers = HeaderMap::new();
        trailers.insert("grpc-status", HeaderValue::from_static("0"));
        let _ = stream.send_trailers(trailers);
    }
}

fn rest(body: &str) -> Answer {
    let headers = vec![("content-type", "application/json"), ("location", "/items/77")];
    Answer { status: 200, headers, body: body.as_bytes().to_vec(), is_grpc: false }
}

#[test]
fn rest_requests_travel_over_http2() {
    let (address, seen) = serve(rest("{\"id\":7}"));
    let mut create = operation("POST", json!(["/items"]), json!(["{\"n\":", {"slot": "sequence"}, "}"]));
    (create["creates"], create["name"], create["weight"]) = (json!("item"), json!("create"), json!(0));
    create["http"]["headers"] = json!({"Content-Type": "application/json", "Host": "ignored", "X-Tenant": "7"});
    create["http"]["header_templates"] = json!({"X-Request": ["r-", {"slot": "sequence"}]});
    create["http"]["capture"] = json!({"id": "header:location/"});
    let mut put = operation("PUT", json!(["/items/", {"slot": "captured", "name": "id"}]), json!(["{}"]));
    (put["needs"], put["http"]["reply"]) = (json!("item"), json!({"/id": 7}));
    let transport = json!({"http_version": "2", "connections": 1, "headers": {"authorization": "Bearer t"}});
    let phases = json!([{"name": "one", "virtual_users": 8, "iterations": 200}]);
    let changes = json!({"operations": [create, put], "transport": transport, "phases": phases, "verify_share": 1.0});
    let memory = run(&plan(address, &changes));
    assert_eq!((memory.errors(), memory.ok(), memory.connections_opened()), (BTreeMap::new(), 200, 1));
    let seen = seen.lock().expect("a lock");
    let first = seen.iter().find(|seen| seen.line == "POST /items").expect("a creation");
    assert_eq!(first.body, b"{\"n\":0}");
    for (name, value) in
        [("x-tenant", "7"), ("x-request", "r-0"), ("authorization", "Bearer t"), ("content-length", "7")]
    {
        assert_eq!(first.headers.get(name).and_then(|value| value.to_str().ok()), Some(value), "{name}");
    }
    assert!(seen.iter().filter(|seen| seen.line == "PUT /items/77").count() > 180);
}

#[test]
fn statuses_and_bodies_of_http2_are_checked() {
    let mut get = operation("GET", json!(["/"]), json!([]));
    get["http"]["reply"] = json!({"/id": 8});
    let changes = |get: &Value| json!({"operations": [get], "transport": {"http_version": "2"}, "verify_share": 1.0});
    let (address, _) = serve(rest("{\"id\":7}"));
    assert_eq!(run(&plan(address, &changes(&get))).errors(), [("body".to_owned(), 3)].into());
    let (address, _) = serve(Answer { status: 302, ..rest("") });
    assert_eq!(run(&plan(address, &changes(&get))).errors(), [("status_302".to_owned(), 3)].into());
}

const PROTO: &str = r#"syntax = "proto3"; package p;
service S {
  rpc One(M) returns (M);
  rpc Many(M) returns (stream M);
  rpc Collect(stream M) returns (M);
}
message M { int64 n = 1; }"#;

/// A plan with one operation that calls a method.
fn grpc_plan(address: SocketAddr, method: &str, reply: Value, changes: &Value) -> bakeoff_load::plan::Plan {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("p.proto"), PROTO).expect("written");
    let set = protox::compile(["p.proto"], [folder.path()]).expect("compiles").encode_to_vec();
    let set = base64::engine::general_purpose::STANDARD.encode(set);
    let mut call = operation("POST", json!(["/"]), json!(["{\"n\":", {"slot": "integer", "min": 5, "max": 5}, "}"]));
    call["http"] = Value::Null;
    call["grpc"] = json!({"method": method, "expect": "OK", "reply": reply, "capture": {}});
    let mut all = json!({
        "operations": [call], "transport": {"protocol": "grpc"}, "verify_share": 1.0,
        "proto": {"file": "", "import_path": "", "descriptor_set": set},
    });
    support::merge(&mut all, changes);
    plan(address, &all)
}

fn grpc(messages: &[(u8, &[u8])]) -> Answer {
    let framed = |(flag, message): &(u8, &[u8])| [&[*flag, 0, 0, 0, message.len() as u8], *message].concat();
    let headers = vec![("content-type", "application/grpc"), ("grpc-encoding", "gzip")];
    Answer { status: 200, headers, body: messages.iter().map(framed).collect::<Vec<_>>().concat(), is_grpc: true }
}

fn zipped(message: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(message).expect("memory");
    encoder.finish().expect("memory")
}

fn unzipped(message: &[u8]) -> Vec<u8> {
    let mut text = Vec::new();
    flate2::read::GzDecoder::new(message).read_to_end(&mut text).expect("gzip");
    text
}

#[test]
fn compressed_messages_are_sent_and_read() {
    let (address, seen) = serve(grpc(&[(1, &zipped(b"\x08\x07"))]));
    let gzip = json!({"transport": {"protocol": "grpc", "gzip": true}});
    assert_eq!(run(&grpc_plan(address, "p.S/One", json!({"/n": 7}), &gzip)).errors(), BTreeMap::new());
    assert_eq!(run(&grpc_plan(address, "p.S/One", json!({"/n": 8}), &gzip)).errors(), [("body".to_owned(), 3)].into());
    let seen = seen.lock().expect("a lock")[0].clone();
    assert_eq!((seen.body[0], seen.headers["grpc-encoding"].as_bytes()), (1, &b"gzip"[..]));
    assert_eq!(unzipped(&seen.body[5..]), b"\x08\x05");
    assert_eq!(
        run(&grpc_plan(address, "p.S/One", json!({}), &json!({}))).errors(),
        [("malformed".to_owned(), 3)].into(),
        "compression that was not offered"
    );
}

#[test]
fn a_stream_of_replies_is_a_list() {
    let (address, _) = serve(grpc(&[(0, b"\x08\x07"), (0, b""), (0, b"\x08\x09")]));
    let right = json!({"/0/n": 7, "/1/n": 0, "/2/n": "9"});
    assert_eq!(run(&grpc_plan(address, "p.S/Many", right, &json!({}))).errors(), BTreeMap::new());
    let wrong = json!({"/2/n": 8});
    assert_eq!(run(&grpc_plan(address, "p.S/Many", wrong, &json!({}))).errors(), [("body".to_owned(), 3)].into());
    let (address, _) = serve(grpc(&[]));
    assert_eq!(
        run(&grpc_plan(address, "p.S/Many", json!({}), &json!({}))).errors(),
        BTreeMap::new(),
        "no reply is one"
    );
}

#[test]
fn numbers_of_64_bits_are_captured_and_sent_as_text_and_as_numbers() {
    // 2^53 + 1, which no double holds.
    let (address, seen) = serve(grpc(&[(0, b"\x08\x81\x80\x80\x80\x80\x80\x80\x10")]));
    let captured = json!({"slot": "captured", "name": "n"});
    let grpc = |capture: Value| json!({"method": "p.S/One", "expect": "OK", "reply": {}, "capture": capture});
    let call = |name: &str, weight: u32, message: Value, capture: Value| {
        let mut call = operation("POST", json!(["/"]), message);
        (call["name"], call["weight"], call["http"], call["grpc"]) =
            (json!(name), json!(weight), Value::Null, grpc(capture));
        call
    };
    let mut create = call("create", 0, json!(["{\"n\":1}"]), json!({"n": "/n"}));
    create["creates"] = json!("number");
    let mut text = call("text", 1, json!(["{\"n\":\"", captured, "\"}"]), json!({}));
    let mut number = call("number", 1, json!(["{\"n\":", captured, "}"]), json!({}));
    (text["needs"], number["needs"]) = (json!("number"), json!("number"));
    let phases = json!([{"name": "one", "virtual_users": 1, "iterations": 20}]);
    let changes = json!({"operations": [create, text, number], "phases": phases});
    let memory = run(&grpc_plan(address, "p.S/One", json!({}), &changes));
    assert_eq!((memory.errors(), memory.ok()), (BTreeMap::new(), 20));
    assert!(memory.totals[0].calls.iter().all(|call| call.ok > 0), "both ways are sent");
    let seen = seen.lock().expect("a lock");
    let same = b"\0\0\0\0\x09\x08\x81\x80\x80\x80\x80\x80\x80\x10";
    assert!(seen.iter().skip(1).all(|seen| seen.body == same), "{:?}", seen[1].body);
}

#[test]
fn a_batch_without_a_field_is_a_stream_of_requests() {
    let (address, seen) = serve(grpc(&[(0, b"\x08\x03")]));
    let batch = json!({
        "transport": {"protocol": "grpc", "batch": 3},
        "batch": {"method": "p.S/Collect", "expect": "OK", "reply": {"/n": 3}},
    });
    let memory = run(&grpc_plan(address, "p.S/One", json!({}), &batch));
    assert_eq!((memory.errors(), memory.totals[0].operations), (BTreeMap::new(), 9));
    assert_eq!(seen.lock().expect("a lock")[0].body, b"\0\0\0\0\x02\x08\x05".repeat(3));
}

#[test]
fn a_connection_whose_pings_are_not_answered_has_failed() {
    let silent = support::serve(|mut stream| {
        let _ = stream.write_all(b"\0\0\0\x04\0\0\0\0\0");
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer).is_ok_and(|count| count > 0) {}
    });
    let ping = json!({"interval_ms": 50, "timeout_ms": 100});
    let begun = Instant::now();
    let changes = json!({"transport": {"protocol": "grpc", "ping": ping, "timeout_ms": 60_000}});
    let memory = run(&grpc_plan(silent, "p.S/One", json!({}), &changes));
    assert_eq!(memory.errors(), [("timeout".to_owned(), 3)].into());
    assert!(begun.elapsed() < Duration::from_secs(30), "long before the requests' own timeout");
    let (address, _) = serve(grpc(&[(0, b"")]));
    assert_eq!(run(&grpc_plan(address, "p.S/One", json!({}), &changes)).ok(), 3);
}
