//! Encrypted requests over both protocols, and targets whose certificate is not trusted.

use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::{Value, json};

use crate::authority::{Authority, NAME};
use crate::support::{plan, read_request, run, serve};
use crate::{events, support};

const TOKEN: &str = "Bearer abc.def";

fn transport(authority: &Authority) -> Value {
    json!({"tls": authority.tls(), "headers": {"authorization": TOKEN, "x-tenant": "7"}})
}

/// Answers each HTTP request with as many bytes as it brought, and keeps the heads.
fn serve_http(authority: &Authority) -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let (seen, config) = (Arc::clone(&heads), Arc::clone(&authority.server));
    let address = serve(move |socket| {
        let session = ServerConnection::new(Arc::clone(&config)).expect("a session");
        let mut stream = StreamOwned::new(session, socket);
        while let Some((head, body)) = read_request(&mut stream) {
            seen.lock().expect("a lock").push(head);
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
            if stream.write_all(&[head.as_bytes(), &body].concat()).is_err() {
                return;
            }
        }
    });
    (address, heads)
}

#[test]
fn http_travels_encrypted() {
    let authority = Authority::new("http/1.1");
    let (address, heads) = serve_http(&authority);
    let phases = json!([{"name": "all", "virtual_users": 4, "iterations": 100}]);
    let memory = run(&plan(address, &json!({"transport": transport(&authority), "phases": phases})));
    assert_eq!((memory.ok(), memory.connections_opened()), (100, 4), "{:?}", memory.errors());
    let heads = heads.lock().expect("a lock");
    let host = format!("Host: {NAME}:{}", address.port());
    for line in [host.as_str(), "authorization: Bearer abc.def", "x-tenant: 7"] {
        assert!(heads.iter().all(|head| head.lines().any(|known| known == line)), "{line}: {:?}", heads[0]);
    }
}

#[test]
fn an_operations_own_header_goes_before_the_plans() {
    let authority = Authority::new("http/1.1");
    let (address, heads) = serve_http(&authority);
    let mut operation = support::operation("POST", json!(["/things"]), json!(["{}"]));
    operation["http"]["headers"] = json!({"X-Tenant": "own"});
    run(&plan(address, &json!({"transport": transport(&authority), "operations": [operation]})));
    let heads = heads.lock().expect("a lock");
    assert!(heads.iter().all(|head| head.contains("X-Tenant: own") && !head.contains("x-tenant: 7")), "{:?}", heads[0]);
}

#[test]
fn messages_of_many_records_come_through_both_ways() {
    let authority = Authority::new("http/1.1");
    let (address, _) = serve_http(&authority);
    let text = "x".repeat(300_000);
    let operation = support::operation("POST", json!(["/things"]), json!([text]));
    let memory = run(&plan(address, &json!({"transport": transport(&authority), "operations": [operation]})));
    assert_eq!(memory.ok(), 3, "{:?}", memory.errors());
    assert!(memory.totals[0].bytes_received > 900_000);
}

#[test]
fn grpc_travels_encrypted() {
    let authority = Authority::new("h2");
    let (address, seen) = serve_grpc(Arc::clone(&authority.server));
    let phases = json!([{"name": "all", "virtual_users": 4, "iterations": 100}]);
    let plan = events::plan(address, &json!({"transport": transport(&authority), "phases": phases}));
    let memory = run(&plan);
    assert_eq!((memory.ok(), memory.connections_opened()), (100, 4), "{:?}", memory.errors());
    let seen = seen.lock().expect("a lock");
    let expected = (format!("https://{NAME}:{}", address.port()), TOKEN.to_owned(), "7".to_owned());
    assert!(seen.len() == 100 && seen.iter().all(|call| *call == expected), "{:?}", seen[0]);
}

type Call = (String, String, String);

/// A gRPC server by others; keeps scheme, authority and metadata of each call.
fn serve_grpc(config: Arc<ServerConfig>) -> (SocketAddr, Arc<Mutex<Vec<Call>>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let acceptor = tokio_rustls::TlsAcceptor::from(config);
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                tokio::spawn(async move {
                    let socket = acceptor.accept(socket).await.expect("a session");
                    let mut connection = h2::server::handshake(socket).await.expect("a handshake");
                    while let Some(Ok((request, respond))) = connection.accept().await {
                        seen.lock().expect("a lock").push(call_of(&request));
                        answer(respond);
                    }
                });
            }
        });
    });
    (address, calls)
}

/// A REST API over HTTP/2, by others: answers with what a request brought.
fn serve_rest_over_http2(config: Arc<ServerConfig>) -> (SocketAddr, Arc<Mutex<Vec<Call>>>) {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("non-blocking");
    let address = listener.local_addr().expect("an address");
    let calls = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&calls);
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async move {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a listener");
            let acceptor = tokio_rustls::TlsAcceptor::from(config);
            while let Ok((socket, _)) = listener.accept().await {
                let (acceptor, seen) = (acceptor.clone(), Arc::clone(&seen));
                tokio::spawn(async move {
                    let socket = acceptor.accept(socket).await.expect("a session");
                    let mut connection = h2::server::handshake(socket).await.expect("a handshake");
                    while let Some(Ok((request, mut respond))) = connection.accept().await {
                        seen.lock().expect("a lock").push(call_of(&request));
                        tokio::spawn(async move {
                            let mut content = request.into_body();
                            let mut body = Vec::new();
                            while let Some(Ok(data)) = content.data().await {
                                let _ = content.flow_control().release_capacity(data.len());
                                body.extend_from_slice(&data);
                            }
                            let response = http::Response::builder().status(201).body(()).expect("a response");
                            let mut stream = respond.send_response(response, false).expect("sent");
                            stream.send_data(Bytes::from(body), true).expect("sent");
                        });
                    }
                });
            }
        });
    });
    (address, calls)
}

#[test]
fn rest_travels_encrypted_over_http2() {
    let authority = Authority::new("h2");
    let (address, seen) = serve_rest_over_http2(Arc::clone(&authority.server));
    let mut create = support::operation("POST", json!(["/things"]), json!(["{\"n\":", {"slot": "sequence"}, "}"]));
    create["http"]["expect"] = json!(201);
    create["http"]["reply_templates"] = json!({"/n": [{"slot": "sequence"}]});
    let mut transport = transport(&authority);
    (transport["http_version"], transport["connections"]) = (json!("2"), json!(2));
    let phases = json!([{"name": "all", "virtual_users": 8, "iterations": 200}]);
    let changes = json!({"transport": transport, "phases": phases, "operations": [create]});
    let memory = run(&plan(address, &changes));
    assert_eq!((memory.ok(), memory.connections_opened()), (200, 2), "{:?}", memory.errors());
    let call = &memory.totals[0].calls[0];
    assert_eq!((call.checked, call.checks_failed), (200, 0), "each reply is the one to its request");
    let seen = seen.lock().expect("a lock");
    let expected = (format!("https://{NAME}:{}", address.port()), TOKEN.to_owned(), "7".to_owned());
    assert!(seen.len() == 200 && seen.iter().all(|call| *call == expected), "{:?}", seen[0]);
}

#[test]
fn a_target_without_http2_is_a_failure_of_tls() {
    let authority = Authority::new("http/1.1");
    let (address, heads) = serve_http(&authority);
    let mut transport = transport(&authority);
    transport["http_version"] = json!("2");
    let memory = run(&plan(address, &json!({"transport": transport})));
    assert_eq!(memory.errors(), [("tls".to_owned(), 3)].into());
    assert!(heads.lock().expect("a lock").is_empty());
}

fn call_of(request: &http::Request<h2::RecvStream>) -> Call {
    let metadata = |name: &str| request.headers()[name].to_str().expect("text").to_owned();
    let uri = request.uri();
    let origin = format!("{}://{}", uri.scheme_str().unwrap_or_default(), uri.authority().expect("an authority"));
    (origin, metadata("authorization"), metadata("x-tenant"))
}

fn answer(mut respond: h2::server::SendResponse<Bytes>) {
    let response = http::Response::builder().header("content-type", "application/grpc").body(()).expect("a response");
    let mut stream = respond.send_response(response, false).expect("sent");
    stream.send_data(Bytes::from_static(b"\0\0\0\0\x02\x08\x01"), false).expect("sent");
    let mut trailers = http::HeaderMap::new();
    trailers.insert("grpc-status", http::HeaderValue::from_static("0"));
    stream.send_trailers(trailers).expect("sent");
}

#[test]
fn a_target_with_an_untrusted_certificate_gets_no_request() {
    let (authority, other) = (Authority::new("http/1.1"), Authority::new("http/1.1"));
    let (address, heads) = serve_http(&authority);
    for tls in [
        other.tls(),
        json!({"ca_file": authority.ca_file(), "server_name": "other.test"}),
        json!({"ca_file": authority.ca_file()}),
    ] {
        let memory = run(&plan(address, &json!({"transport": {"tls": tls}})));
        assert_eq!(memory.errors(), [("certificate".to_owned(), 3)].into(), "{tls}");
    }
    assert!(heads.lock().expect("a lock").is_empty());
}

#[test]
fn a_target_without_tls_differs_from_one_that_is_not_trusted() {
    let authority = Authority::new("http/1.1");
    let plain = serve(|mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n");
        let _ = read_request(&mut stream);
    });
    let memory = run(&plan(plain, &json!({"transport": transport(&authority)})));
    assert_eq!(memory.errors(), [("tls".to_owned(), 3)].into());
    let closing = serve(drop);
    let memory = run(&plan(closing, &json!({"transport": transport(&authority)})));
    let errors = memory.errors();
    let broken: u64 = ["closed", "reset"].iter().filter_map(|kind| errors.get(*kind)).sum();
    assert_eq!(broken, 3, "{errors:?}");
}

#[test]
fn a_protocol_that_the_target_does_not_offer_is_a_failure_of_tls() {
    let authority = Authority::new("h2");
    let (address, _) = serve_http(&authority);
    let memory = run(&plan(address, &json!({"transport": transport(&authority)})));
    assert_eq!(memory.errors(), [("tls".to_owned(), 3)].into());
}

#[test]
fn authorities_that_cannot_be_read_end_the_run_before_it_begins() {
    let authority = Authority::new("http/1.1");
    let empty = authority.file("empty.pem");
    std::fs::write(&empty, "").expect("written");
    for (tls, words) in [
        (json!({"ca_file": "/no/such/file.pem"}), "cannot use /no/such/file.pem"),
        (json!({"ca_file": empty}), "it holds no certificate in PEM form"),
        (json!({"ca_file": authority.ca_file(), "server_name": "no name"}), "is not a name"),
    ] {
        let plan = plan("127.0.0.1:1".parse().expect("an address"), &json!({"transport": {"tls": tls}}));
        let options = bakeoff_load::engine::Options {
            threads: 1,
            agent: bakeoff_load::engine::Agent::default(),
            instructions: None,
            interrupted: Arc::default(),
        };
        let result = bakeoff_load::engine::run(&plan, &options, &mut support::Memory::default());
        assert!(result.expect_err("refused").to_string().contains(words), "{words}");
    }
}
