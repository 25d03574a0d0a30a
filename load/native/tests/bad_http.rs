//! Targets that misbehave over HTTP: every failure is counted by its kind, and the run goes on.

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::time::Duration;

use rustix::net::{AddressFamily, SocketType};
use serde_json::{Value, json};

use crate::support::{plan, read_request, run, serve, serve_on};

/// The outcome of a plan with a server that answers each request with these bytes, and then continues or closes.
fn outcome(reply: &'static str, closes: bool, changes: &Value) -> (u64, BTreeMap<String, u64>, u64) {
    let address = serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            if stream.write_all(reply.as_bytes()).is_err() || closes {
                break;
            }
        }
    });
    let memory = run(&plan(address, changes));
    (memory.ok(), memory.errors(), memory.connections_opened())
}

fn errors(kind: &str, count: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(kind.to_owned(), count)])
}

#[test]
fn refused_connections() {
    let address = TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port");
    let memory = run(&plan(address, &json!({})));
    assert_eq!((memory.ok(), memory.errors()), (0, errors("refused", 3)));
    assert_eq!(memory.totals[0].all.sent, 3, "a request that finds no connection was begun");
}

/// A listener whose queue is full, which makes the kernel drop whatever asks for a connection; and its queue.
fn full_listener() -> (TcpListener, Vec<TcpStream>) {
    let socket = rustix::net::socket(AddressFamily::INET, SocketType::STREAM, None).expect("a socket");
    rustix::net::bind(&socket, &SocketAddr::from(([127, 0, 0, 1], 0))).expect("a port");
    rustix::net::listen(&socket, 0).expect("listens");
    let listener = TcpListener::from(socket);
    let address = listener.local_addr().expect("an address");
    let timeout = Duration::from_millis(100);
    let queue: Vec<TcpStream> = (0..8).map_while(|_| TcpStream::connect_timeout(&address, timeout).ok()).collect();
    assert!(queue.len() < 8, "the queue is full");
    (listener, queue)
}

#[test]
fn connections_that_are_never_made() {
    let (listener, _queue) = full_listener();
    let address = listener.local_addr().expect("an address");
    let memory = run(&plan(address, &json!({"transport": {"timeout_ms": 50}})));
    assert_eq!((memory.ok(), memory.errors()), (0, errors("connect_timeout", 3)));
    assert!(memory.totals[0].all.service.is_none(), "nothing was served");
}

/// The kernel itself asks again for a connection only after a second, which is after the end.
#[test]
fn a_connection_that_is_not_made_in_time_is_tried_again() {
    let (listener, queue) = full_listener();
    let address = listener.local_addr().expect("an address");
    let phase = json!({"name": "n", "virtual_users": 1, "duration_ms": 800});
    let plan = plan(address, &json!({"transport": {"timeout_ms": 50}, "phases": [phase]}));
    let memory = std::thread::scope(|scope| {
        let load = scope.spawn(|| run(&plan));
        std::thread::sleep(Duration::from_millis(200));
        drop(queue);
        serve_on(listener, |mut stream| {
            while read_request(&mut stream).is_some() {
                if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                    return;
                }
            }
        });
        load.join().expect("the load")
    });
    assert!(memory.ok() > 0, "{:?}", memory.errors());
}

#[test]
fn a_reset_in_mid_reply() {
    let address = serve(|mut stream: TcpStream| {
        if read_request(&mut stream).is_some() {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf").expect("written");
            rustix::net::sockopt::set_socket_linger(&stream, Some(Duration::ZERO)).expect("resets when dropped");
        }
    });
    assert_eq!(run(&plan(address, &json!({}))).errors(), errors("reset", 3));
}

#[test]
fn an_end_in_mid_reply() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    assert_eq!(outcome(half, true, &json!({})), (0, errors("closed", 3), 3));
}

#[test]
fn a_server_that_never_answers() {
    let outcome = outcome("", false, &json!({"transport": {"timeout_ms": 50}}));
    assert_eq!(outcome, (0, errors("timeout", 3), 3));
}

#[test]
fn a_reply_that_stops_halfway() {
    let half = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf";
    let outcome = outcome(half, false, &json!({"transport": {"timeout_ms": 50}}));
    assert_eq!(outcome, (0, errors("timeout", 3), 3));
}

#[test]
fn garbage() {
    assert_eq!(outcome("SSH-2.0-OpenSSH_9.9\r\n", false, &json!({})), (0, errors("malformed", 3), 3));
}

#[test]
fn more_than_was_asked_for() {
    let twice = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
    let (ok, _, connections) = outcome(twice, false, &json!({}));
    assert_eq!((ok, connections), (3, 3), "a reply too many makes the connection useless and no request fail");
}

#[test]
fn http_1_0_closes_after_each_reply() {
    let reply = "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{\"ok\":true}";
    assert_eq!(outcome(reply, true, &json!({})), (3, BTreeMap::new(), 3));
}

#[test]
fn chunked_replies() {
    let reply = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"ok\"\r\n6\r\n:true}\r\n0\r\n\r\n";
    let looks = json!({"operations": [{
        "name": "thing", "weight": 1, "key": null, "grpc": null, "creates": null, "needs": null, "effect": null,
        "http": {"method": "GET", "path": ["/"], "headers": {}, "expect": 200, "reply": {"/ok": true}, "capture": {}},
        "variants": [[]],
    }]});
    assert_eq!(outcome(reply, false, &looks), (3, BTreeMap::new(), 1));
    let wrong = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nc\r\n{\"ok\":false}\r\n0\r\n\r\n";
    assert_eq!(outcome(wrong, false, &looks), (0, errors("body", 3), 1));
}

#[test]
fn another_status() {
    let reply = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\n\r\n";
    assert_eq!(outcome(reply, false, &json!({})), (0, errors("status_503", 3), 1));
}

#[test]
fn connections_that_close_after_a_reply_cost_no_request() {
    let address = serve(|mut stream| {
        if read_request(&mut stream).is_some() {
            stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n").expect("written");
        }
    });
    let memory = run(&plan(address, &json!({})));
    assert_eq!((memory.ok(), memory.connections_opened()), (3, 3));
}

#[test]
fn few_descriptors_are_reported_and_counted() {
    let address = serve(|mut stream| {
        while read_request(&mut stream).is_some() {
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                break;
            }
        }
    });
    let run = |limits: &str| {
        let command = format!(
            "ulimit {limits}; exec '{}' hit http://{address}/ --users 100 --requests 400 --json --no-capacity",
            env!("CARGO_BIN_EXE_bakeoff-load")
        );
        let output = std::process::Command::new("sh").args(["-c", &command]).output().expect("runs");
        assert!(output.status.success(), "{output:?}");
        let summary: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        (summary, String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let (summary, words) = run("-Sn 50");
    assert_eq!((&summary["ok"], &summary["failed"]), (&json!(400), &json!(0)), "the soft limit is raised: {words}");
    let (summary, words) = run("-n 50");
    assert!(words.contains("ulimit -Hn 132"), "{words}");
    assert!(summary["ok"].as_u64() > Some(0), "{summary}");
    assert!(summary["errors"]["descriptors_exhausted"].as_u64() > Some(0), "{summary}");
}
