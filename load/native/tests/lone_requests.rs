//! `request` sends what no plan describes, and `check` sends nothing.

use std::io::Write as _;
use std::net::TcpListener;
use std::process::{Command, Stdio};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::{self, operation, plan_json};

/// Feeds the program, and returns its exit status and what it printed.
fn fed(arguments: &[&str], input: &str) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"));
    let mut process = command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("it starts");
    process.stdin.take().expect("an input").write_all(input.as_bytes()).expect("written");
    let output = process.wait_with_output().expect("it ends");
    (output.status.code(), String::from_utf8(output.stdout).expect("text"))
}

fn checked(plan: &Value) -> (Option<i32>, Value) {
    let (status, printed) = fed(&["check", "--plan", "-"], &plan.to_string());
    (status, serde_json::from_str(&printed).expect("JSON"))
}

#[test]
fn a_plan_is_checked_without_sending_anything() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let mut read = operation("GET", json!(["/things/", {"slot": "captured", "name": "id"}]), json!([]));
    (read["name"], read["needs"]) = (json!("read"), json!("thing"));
    let mut create = operation("POST", json!(["/things"]), json!(["{\"a\":", {"slot": "sequence"}, "}"]));
    (create["name"], create["creates"]) = (json!("create"), json!("thing"));
    create["http"]["capture"] = json!({"id": "/id"});
    let (status, found) = checked(&plan_json(address, &json!({"operations": [create, read]})));
    assert_eq!((status, &found["faults"]), (Some(0), &json!([])));
    assert_eq!(
        found["samples"],
        json!([
            {"operation": "create", "method": "POST", "path": "/things", "headers": "", "message": "{\"a\":0}", "bytes": 7},
            {"operation": "read", "method": "GET", "path": "/things/1", "headers": "", "message": "", "bytes": 0},
        ])
    );
}

#[test]
fn each_operation_at_fault_is_named() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let wrong = |name: &str| {
        let mut wrong = operation("POST", json!(["/a"]), json!(["{\"a\":", {"slot": "value", "name": "none"}, "}"]));
        wrong["name"] = json!(name);
        wrong
    };
    let right = operation("GET", json!(["/a"]), json!([]));
    let (status, found) = checked(&plan_json(address, &json!({"operations": [wrong("one"), right, wrong("two")]})));
    let faults: Vec<&Value> =
        found["faults"].as_array().expect("a list").iter().map(|fault| &fault["operation"]).collect();
    assert_eq!((status, faults), (Some(1), vec![&json!("one"), &json!("two")]));
    let (status, found) = checked(&plan_json(address, &json!({"phases": []})));
    assert_eq!((status, &found["faults"][0]["operation"]), (Some(1), &Value::Null));
    assert!(found["faults"][0]["message"].as_str().is_some_and(|message| message.contains("phases")), "{found}");
}

#[test]
fn single_requests_are_lines_of_json() {
    let address = support::serve(|mut stream| {
        while let Some((head, body)) = support::read_request(&mut stream) {
            let echo = [head.as_bytes(), b"\r\n\r\n", &body].concat();
            let reply = format!("HTTP/1.1 201 Created\r\nX-A: b\r\nContent-Length: {}\r\n\r\n", echo.len());
            stream.write_all(&[reply.as_bytes(), &echo].concat()).expect("written");
        }
    });
    let closed = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("an address");
    let lines = [
        json!({"url": format!("http://{address}/a"), "method": "PUT", "headers": [["X-B", "1"], ["X-B", "2"]],
               "body": "日本"}),
        json!({"url": format!("http://{closed}/")}),
        json!({"url": "nonsense"}),
        json!({"url": format!("http://{address}/"), "headers": [["a b", "c"]]}),
    ];
    let (status, printed) = fed(&["request"], &lines.map(|line| line.to_string()).join("\n"));
    let replies: Vec<Value> = printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!((status, replies.len()), (Some(0), 4));
    assert_eq!((&replies[0]["status"], &replies[0]["error"]), (&json!("201"), &Value::Null));
    assert_eq!(replies[0]["headers"][0], json!(["X-A", "b"]));
    let sent = base64(&replies[0]["body_base64"]);
    assert!(sent.starts_with("PUT /a HTTP/1.1\r\n"), "{sent}");
    for part in ["\r\nX-B: 1\r\nX-B: 2\r\n", "\r\nContent-Length: 6\r\n", "\r\n\r\n日本"] {
        assert!(sent.contains(part), "{part:?} in {sent}");
    }
    for (reply, kind) in [(1, "refused"), (2, "invalid"), (3, "invalid")] {
        assert_eq!((&replies[reply]["status"], &replies[reply]["error"]["kind"]), (&Value::Null, &json!(kind)));
    }
}

fn replies(lines: &[Value]) -> Vec<Value> {
    let lines: Vec<String> = lines.iter().map(Value::to_string).collect();
    let (status, printed) = fed(&["request"], &lines.join("\n"));
    assert_eq!(status, Some(0));
    printed.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect()
}

const OK: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";

#[test]
fn exact_headers_go_out_as_they_are_and_no_others() {
    let address = support::serve(|mut stream| {
        let mut received = Vec::new();
        let mut buffer = [0; 1024];
        while !received.ends_with(b"0\r\n\r\n") {
            let count = std::io::Read::read(&mut stream, &mut buffer).expect("read");
            received.extend_from_slice(&buffer[..count]);
        }
        let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", received.len());
        stream.write_all(&[head.as_bytes(), &received].concat()).expect("written");
    });
    let chunk = "MQ0KYQ0KMA0KDQo="; // 1\r\na\r\n0\r\n\r\n
    let url = format!("http://{address}/");
    let replies = replies(&[
        json!({"url": url, "path": "/%zz é", "method": "POST", "exact": true, "body_base64": chunk,
               "headers": [["transfer-encoding", "chunked"], ["x", ""]]}),
        json!({"url": url, "exact": true, "headers": [["a\r\nb", "c"]]}),
        json!({"url": url, "path": "/ HTTP/1.1\r\nx: y"}),
        json!({"url": format!("grpc://{address}/p.S/M"), "exact": true}),
    ]);
    assert_eq!(
        base64(&replies[0]["body_base64"]),
        "POST /%zz é HTTP/1.1\r\ntransfer-encoding: chunked\r\nx: \r\n\r\n1\r\na\r\n0\r\n\r\n"
    );
    for reply in &replies[1..] {
        assert_eq!(reply["error"]["kind"], "invalid", "{reply}");
    }
}

#[test]
fn a_request_may_follow_on_the_same_connection_while_that_lasts() {
    let lasting = support::serve(|mut stream| {
        while support::read_request(&mut stream).is_some() {
            stream.write_all(OK).expect("written");
        }
    });
    let closing = support::serve(|mut stream| {
        support::read_request(&mut stream);
        stream.write_all(OK).expect("written");
    });
    let lines =
        [lasting, closing].map(|address| json!({"url": format!("http://{address}/"), "then": [{"path": "/b"}]}));
    let replies = replies(&lines);
    assert_eq!((&replies[0]["status"], &replies[0]["then"][0]["status"]), (&json!("200"), &json!("200")));
    assert_eq!((&replies[1]["status"], &replies[1]["then"][0]["status"]), (&json!("200"), &Value::Null));
    let kind = replies[1]["then"][0]["error"]["kind"].as_str().expect("a kind");
    // The end of a connection is seen by reading, or by writing.
    assert!(["closed", "reset"].contains(&kind), "{kind}");
}

#[test]
fn requests_follow_on_new_connections_until_one_gets_no_reply() {
    let closing = support::serve(|mut stream| {
        let (head, body) = support::read_request(&mut stream).expect("a request");
        if body != b"ends" {
            let path = head.split(' ').nth(1).expect("a path");
            let body = [path.as_bytes(), &body].concat();
            write!(stream, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len())
                .expect("written");
            stream.write_all(&body).expect("written");
        }
    });
    let following = [(None, "1"), (Some("/b"), "2"), (None, "ends"), (None, "3")]
        .map(|(path, body)| json!({"path": path, "body_base64": STANDARD.encode(body)}));
    let first = json!({"url": format!("http://{closing}/a"), "method": "POST", "body": "0", "then": following, "reconnects": true});
    let reply = &replies(&[first])[0];
    let then = reply["then"].as_array().expect("a list");
    let bodies: Vec<_> = [reply].into_iter().chain(then).map(|each| base64(&each["body_base64"])).collect();
    assert_eq!(bodies, ["/a0", "/a1", "/b2", ""]);
    assert_eq!(then[2]["error"]["kind"], "closed");
}

#[test]
fn an_answer_before_the_end_of_the_request_counts() {
    let address = support::serve(|mut stream| {
        // A head, and not the body after it.
        let mut byte = [0];
        let mut head = Vec::new();
        while !head.ends_with(b"\r\n\r\n") {
            std::io::Read::read_exact(&mut stream, &mut byte).expect("read");
            head.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 413 Large\r\nContent-Length: 0\r\n\r\n").expect("written");
        // Until the client closes: what it still sends fills the buffers, and nothing reads it.
        std::io::Read::read_to_end(&mut stream, &mut Vec::new()).unwrap_or_default();
    });
    let body = "x".repeat(20_000_000);
    let replies = replies(&[json!({"url": format!("http://{address}/"), "method": "POST", "body": body})]);
    assert_eq!(replies[0]["status"], "413", "{}", replies[0]["error"]);
}

#[test]
fn requests_with_an_id_are_sent_at_the_same_time() {
    let both = std::sync::Barrier::new(2);
    let address = support::serve(move |mut stream| {
        support::read_request(&mut stream);
        both.wait();
        stream.write_all(OK).expect("written");
    });
    let lines = [7, 8].map(|id| json!({"id": id, "url": format!("http://{address}/")}));
    let mut ids: Vec<u64> = replies(&lines).iter().map(|reply| reply["id"].as_u64().expect("an id")).collect();
    ids.sort_unstable();
    assert_eq!(ids, [7, 8]);
}

fn base64(text: &Value) -> String {
    let bytes = STANDARD.decode(text.as_str().expect("text")).expect("base64");
    String::from_utf8(bytes).expect("text")
}
