//! The requests of one user after given replies, by `lab/src/bakeoff/formats/vectors/flows.json`.

use std::collections::VecDeque;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::{plan, read_request, run, serve};

/// Heads and bodies of requests.
type Requests = Arc<Mutex<Vec<(String, Vec<u8>)>>>;

fn vectors() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/src/bakeoff/formats/vectors/flows.json");
    serde_json::from_slice(&std::fs::read(path).expect("the contract's vectors")).expect("JSON")
}

/// A server that gives these replies by turns.
fn replying(replies: VecDeque<Value>) -> (SocketAddr, Requests) {
    let seen = Requests::default();
    let kept = Arc::clone(&seen);
    let replies = Mutex::new(replies);
    let address = serve(move |mut stream| {
        while let Some(request) = read_request(&mut stream) {
            kept.lock().expect("unbroken").push(request);
            let Some(reply) = replies.lock().expect("unbroken").pop_front() else { return };
            let body = reply["body"].as_str().expect("a body");
            let mut head = format!("HTTP/1.1 {} Some\r\nContent-Length: {}\r\n", reply["status"], body.len());
            for header in reply["headers"].as_array().expect("headers") {
                head +=
                    &format!("{}: {}\r\n", header[0].as_str().expect("a name"), header[1].as_str().expect("a value"));
            }
            if stream.write_all(format!("{head}\r\n{body}").as_bytes()).is_err() {
                return;
            }
        }
    });
    (address, seen)
}

/// The request as a vector has it: of the headers those that depend on the user's state.
fn sent(head: &str, body: &[u8]) -> Value {
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    let lines = head.lines().skip(1).filter_map(|line| line.split_once(": "));
    let known = lines.filter(|(name, _)| ["authorization", "cookie"].contains(name));
    let headers: serde_json::Map<_, _> = known.map(|(name, value)| (name.to_owned(), json!(value))).collect();
    // A character of a vector's body is a byte.
    let body: String = body.iter().map(|byte| char::from(*byte)).collect();
    json!({"method": method, "path": path, "headers": headers, "body": body})
}

#[test]
fn users_send_what_the_vectors_say() {
    let mut checked = 0;
    for case in vectors()["cases"].as_array().expect("cases") {
        let turns = case["turns"].as_array().expect("turns");
        let (address, seen) = replying(turns.iter().map(|turn| turn["reply"].clone()).collect());
        let mut changes = case["plan"].clone();
        changes["phases"] = json!([{"name": "one", "virtual_users": 1, "iterations": turns.len()}]);
        run(&plan(address, &changes));
        let seen = seen.lock().expect("unbroken");
        assert_eq!(seen.len(), turns.len(), "{}", case["name"]);
        for (number, (turn, (head, body))) in turns.iter().zip(seen.iter()).enumerate() {
            let mut expected = turn["request"].clone();
            expected.as_object_mut().expect("an object").remove("operation");
            assert_eq!(sent(head, body), expected, "{}, request {number}", case["name"]);
            checked += 1;
        }
    }
    assert!(checked > 200, "only {checked} requests were checked");
}
