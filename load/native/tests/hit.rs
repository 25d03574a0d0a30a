//! `hit`: what is sent, what a good reply is, and what is printed.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Output};

use serde_json::Value;

/// Answers each request of each connection with this status, and closes where its first line says so; gives its URL.
fn server(status: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || while answer(&stream, status).is_some() {});
        }
    });
    format!("http://{address}")
}

/// Reads one request and answers it; none at the connection's end.
fn answer(stream: &TcpStream, status: &str) -> Option<()> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length) = (String::new(), 0);
    while !line.ends_with("\r\n\r\n") {
        let start = line.len();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(value) = line[start..].to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
    }
    reader.read_exact(&mut vec![0; length]).ok()?;
    let reply = format!("HTTP/1.1 {status}\r\nLocation: /there\r\nContent-Length: 2\r\n\r\n{{}}");
    { stream }.write_all(reply.as_bytes()).ok()
}

fn hit(arguments: &[&str]) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"));
    let Output { status, stdout, stderr } = command.arg("hit").args(arguments).output().expect("it runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (status.code(), text(stdout), text(stderr))
}

#[test]
fn a_count_of_requests_is_sent_and_answered() {
    let url = server("201 Created") + "/any";
    let (status, out, error) = hit(&[&url, "-n", "50", "-u", "4", "-d", "{\"a\": \"${uuid}\"}", "--json"]);
    assert_eq!(status, Some(0), "{error}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["method"], &report["users"]), (&"POST".into(), &4.into()));
    assert_eq!((&report["requests"], &report["ok"]), (&50.into(), &50.into()));
    assert_eq!(report["statuses"], serde_json::json!({"201": 50}), "the first reply shows what a good one is");
    assert!(report["capacity_per_s"].as_f64().is_some_and(|rate| rate > 0.0), "{report}");
    assert!(out.starts_with("{\n  \"url\": \"http://127"), "{out}");
}

#[test]
fn the_result_has_a_line_for_each_subject() {
    let (status, out, _) = hit(&[&server("200 OK"), "-d", "300ms", "--warm-up", "100ms", "-u", "1", "--no-capacity"]);
    assert_eq!(status, Some(0));
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("GET http://127.0.0.1:"), "{out}");
    assert!(lines[1].starts_with("  1 user, warm-up of 0.1 s before, 0.3"), "{out}");
    assert_eq!(lines[2], "");
    for (line, name) in [(3, "requests/s  "), (4, "requests    "), (5, "data        "), (7, "latency, ms        min")] {
        assert!(lines[line].starts_with(&format!("  {name}")), "{line}: {out}");
    }
    assert!(out.contains("\n  generator   its own limit was not measured\n"), "{out}");
}

#[test]
fn another_status_than_the_expected_one_fails_the_command() {
    let (status, out, _) = hit(&[&server("200 OK"), "-n", "20", "--expect", "204"]);
    assert_eq!(status, Some(1), "{out}");
    assert!(out.contains("  status      200: 20\n") && out.contains("20 failed (100.00%)"), "{out}");
}

#[test]
fn a_redirect_is_refused_with_its_place_unless_it_is_expected() {
    let url = server("302 Found");
    let (status, out, error) = hit(&[&url, "-n", "1"]);
    assert_eq!((status, out.as_str()), (Some(1), ""));
    let advice = "Measure that address, or accept the redirect as the reply with --expect 302.";
    assert_eq!(error, format!("bakeoff-load: {url} redirects to /there (status 302). {advice}\n"));
    assert_eq!(hit(&[&url, "-n", "1", "--expect", "302", "--no-capacity"]).0, Some(0));
}

#[test]
fn a_server_that_does_not_answer_is_named() {
    let advice = "Start the server, or check the address.";
    let (status, _, error) = hit(&["http://127.0.0.1:1/x"]);
    assert_eq!(status, Some(1));
    assert_eq!(
        error,
        format!("bakeoff-load: http://127.0.0.1:1/x does not answer: nothing listens on this port. {advice}\n")
    );
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}/", silent.local_addr().expect("an address"));
    assert!(
        hit(&[&url, "--timeout", "100ms"]).2.contains("does not answer: no reply before the timeout; see --timeout.")
    );
    let begins_well = server("200");
    assert_eq!(hit(&[&begins_well, "-n", "1", "--no-capacity"]).0, Some(0), "a status line without words");
    assert!(
        hit(&[&server("nonsense")]).2.contains("its reply is no good: its status is not a number of three digits.")
    );
}

/// Answers each connection's first request with these bytes, and leaves it open until the client closes it.
fn endless(reply: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || {
                let mut buffer = [0; 4096];
                if stream.read(&mut buffer).is_ok_and(|count| count > 0) && stream.write_all(reply.as_bytes()).is_ok() {
                    while stream.read(&mut buffer).is_ok_and(|count| count > 0) {}
                }
            });
        }
    });
    format!("http://{address}/")
}

#[test]
fn a_reply_that_does_not_end_is_named() {
    const EVENTS: &str = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: 1\n\n";
    for (reply, reason) in [
        (EVENTS, "it is a stream of server-sent events"),
        ("HTTP/1.1 200 OK\r\n\r\nhi", "its body lasts until the connection is closed"),
        ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhi", "7 bytes of its body are missing"),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n", "the end of its chunked body is missing"),
    ] {
        let url = endless(reply);
        let (status, out, error) = hit(&[&url, "--timeout", "200ms"]);
        let words = format!("{url} answers, and its reply does not end before the timeout (--timeout): {reason}. ");
        assert!(error.contains(&words), "{error}");
        assert_eq!((status, out), (Some(1), String::new()));
    }
}

/// Answers the first request of each connection over HTTP/2 with these frames, and leaves it open; gives its address.
fn endless_over_http2(frames: Vec<u8>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let mut head = [0; 24];
            // The preface, then SETTINGS without a setting in return.
            let _ = stream.read_exact(&mut head).and_then(|()| stream.write_all(&[0, 0, 0, 4, 0, 0, 0, 0, 0]));
            while stream.read_exact(&mut head[..9]).is_ok() {
                let length = u32::from_be_bytes([0, head[0], head[1], head[2]]);
                let _ = stream.read_exact(&mut vec![0; length as usize]);
                // HEADERS: the request has begun.
                if head[3] == 1 && stream.write_all(&frames).is_err() {
                    break;
                }
            }
        }
    });
    address.to_string()
}

/// A frame of a type and a stream, without flags but the end of headers.
fn frame(kind: u8, payload: &[u8]) -> Vec<u8> {
    let flags = if kind == 1 { 4 } else { 0 };
    [&[0, 0, payload.len() as u8, kind, flags, 0, 0, 0, 1], payload].concat()
}

#[test]
fn replies_over_http2_that_do_not_end_are_named() {
    // :status 200, then content-type without an index.
    let events = [&[0x88, 0x0f, 0x10, 17][..], b"text/event-stream"].concat();
    for (headers, reason) in
        [(&events[..], "it is a stream of server-sent events"), (&[0x88], "the end of its body is missing")]
    {
        let url = format!("http://{}/", endless_over_http2([frame(1, headers), frame(0, b"data: 1\n\n")].concat()));
        let (status, out, error) = hit(&[&url, "--http2", "--timeout", "300ms"]);
        let words = format!("{url} answers, and its reply does not end before the timeout (--timeout): {reason}. ");
        assert!(error.contains(&words), "{error}");
        assert_eq!((status, out), (Some(1), String::new()));
    }
}

#[test]
fn a_stream_of_messages_that_does_not_end_is_named() {
    let proto = std::env::temp_dir().join(format!("endless-{}.proto", std::process::id()));
    std::fs::write(&proto, "syntax = \"proto3\"; message M {} service S { rpc Watch(M) returns (stream M); }")
        .expect("written");
    let messages = frame(0, &[0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let url = format!("grpc://{}/S/Watch", endless_over_http2([frame(1, &[0x88]), messages].concat()));
    let proto_file = proto.to_str().expect("text");
    let (status, out, error) = hit(&[&url, "--proto", proto_file, "-d", "{}", "--timeout", "300ms"]);
    std::fs::remove_file(&proto).expect("removed");
    assert!(
        error.contains("does not end before the timeout (--timeout): its status is missing after 2 messages. "),
        "{error}"
    );
    assert_eq!((status, out), (Some(1), String::new()));
}

#[test]
fn a_change_to_another_protocol_is_named_and_its_handshakes_are_measured() {
    // A first frame arrives with the head.
    let url =
        endless("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\u{1}\u{2}hi");
    let headers = ["-H", "Upgrade: websocket", "-H", "Connection: Upgrade", "-n", "20", "--no-capacity", "--json"];
    let (status, out, error) = hit(&[&[&*url][..], &headers].concat());
    assert!(error.contains("goes on in another protocol, such as WebSocket (status 101)"), "{error}");
    assert_eq!((status, out), (Some(1), String::new()));
    let (status, out, error) = hit(&[&[&*url, "--expect", "101"][..], &headers].concat());
    assert_eq!(status, Some(0), "{error}");
    let report: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((&report["requests"], &report["ok"]), (&20.into(), &20.into()), "{report}");
    assert_eq!(report["statuses"], serde_json::json!({"101": 20}));
}
