//! Requests over HTTP, and replies by the request that they answer.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::json;

use crate::support::{operation, plan, read_request, run, serve};

#[test]
fn the_reply_to_a_head_ends_with_its_head() {
    for headers in ["Content-Length: 5000\r\n", "Transfer-Encoding: chunked\r\n", ""] {
        let address = serve(move |mut stream| {
            let reply = format!("HTTP/1.1 200 OK\r\n{headers}\r\n");
            while read_request(&mut stream).is_some_and(|(head, _)| head.starts_with("HEAD / HTTP/1.1")) {
                if stream.write_all(reply.as_bytes()).is_err() {
                    return;
                }
            }
        });
        let head = operation("HEAD", json!(["/"]), json!([]));
        let memory = run(&plan(address, &json!({"operations": [head], "transport": {"timeout_ms": 2_000}})));
        assert_eq!((memory.ok(), memory.connections_opened()), (3, 1), "{headers:?}: {:?}", memory.errors());
    }
}

/// A server that is content with everything and keeps the heads of its requests.
fn serve_and_keep_heads() -> (SocketAddr, Arc<Mutex<Vec<String>>>) {
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let address = serve(move |mut stream| {
        while let Some((head, _)) = read_request(&mut stream) {
            seen.lock().expect("a lock").push(head);
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    (address, heads)
}

#[test]
fn a_batch_has_the_headers_of_the_first_operation() {
    let (address, heads) = serve_and_keep_heads();
    let mut post = operation("POST", json!(["/"]), json!([]));
    post["http"]["headers"] = json!({"x-of": "operation", "x-both": "operation"});
    let batch = json!({"method": "POST", "path": "/bulk", "expect": 200, "open": "[", "separator": ",", "close": "]"});
    let transport = json!({"batch": 2, "headers": {"x-all": "transport", "x-both": "transport"}});
    let memory = run(&plan(address, &json!({"operations": [post], "batch": batch, "transport": transport})));
    assert!(memory.errors().is_empty());
    let head = heads.lock().expect("a lock").pop().expect("a request");
    let mut own: Vec<&str> = head.lines().filter(|line| line.starts_with("x-")).collect();
    own.sort_unstable();
    assert!(head.starts_with("POST /bulk "), "{head}");
    assert_eq!(own, ["x-all: transport", "x-both: operation", "x-of: operation"]);
}

#[test]
fn a_host_of_ones_own_replaces_the_address() {
    let (address, heads) = serve_and_keep_heads();
    for (headers, host) in [(json!({}), address.to_string()), (json!({"host": "shop.test"}), "shop.test".to_owned())] {
        let mut get = operation("GET", json!(["/"]), json!([]));
        get["http"]["headers"] = headers;
        assert_eq!(run(&plan(address, &json!({"operations": [get]}))).ok(), 3);
        let head = heads.lock().expect("a lock").pop().expect("a request");
        let hosts: Vec<&str> = head.lines().filter(|line| line.to_ascii_lowercase().starts_with("host:")).collect();
        assert_eq!(hosts, [format!("Host: {host}")]);
    }
}
