//! A small API with a login and items, which can be made to misbehave.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use std::collections::BTreeMap;
use std::io::Write;
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use super::{operation, read_request, serve};

/// The fault of the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    Nothing,
    /// Every item is shown as the first one, under the id that was requested.
    SameItem,
    /// Updates are acknowledged and not applied.
    StaleItems,
    /// Items exist no longer once they were created.
    NoItems,
    /// A login ends the session of the one before.
    OneSession,
}

#[derive(Debug, Default)]
struct State {
    items: BTreeMap<u64, Value>,
    logins: u64,
}

/// Starts the API.
pub fn start(fault: Fault) -> SocketAddr {
    let state = Arc::new(Mutex::new(State::default()));
    serve(move |mut stream: TcpStream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let (status, reply) = answer(&mut state.lock().expect("unbroken"), fault, &head, &body);
            let body = reply.map_or_else(String::new, |reply| reply.to_string());
            let head = format!("HTTP/1.1 {status} Some\r\nContent-Length: {}\r\n\r\n", body.len());
            if stream.write_all(format!("{head}{body}").as_bytes()).is_err() {
                return;
            }
        }
    })
}

fn answer(state: &mut State, fault: Fault, head: &str, body: &[u8]) -> (u16, Option<Value>) {
    let mut words = head.split(' ');
    let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
    if path == "/login" {
        // Forms and JSON alike, where they are what they say.
        if head.contains("form-urlencoded") == body.starts_with(b"{") {
            return (400, None);
        }
        state.logins += 1;
        return (200, Some(json!({"token": format!("t-{}", state.logins)})));
    }
    let token = head.lines().find_map(|line| line.strip_prefix("authorization: Bearer t-"));
    let is_known = |number: &str| fault != Fault::OneSession || number == state.logins.to_string();
    if !token.is_some_and(is_known) {
        return (401, None);
    }
    let id: u64 = path.rsplit('/').next().and_then(|id| id.parse().ok()).unwrap_or_default();
    let sent = || serde_json::from_slice::<Value>(body).expect("JSON");
    match method {
        "POST" => {
            let id = state.items.len() as u64 + 1;
            state.items.insert(id, sent());
            (201, Some(json!({"id": id})))
        }
        "PUT" if fault == Fault::StaleItems => (204, None),
        "PUT" => {
            state.items.insert(id, sent());
            (204, None)
        }
        "DELETE" => {
            state.items.insert(id, Value::Null);
            (204, None)
        }
        _ => {
            let shown = if fault == Fault::SameItem { 1 } else { id };
            let item = state.items.get(&shown).filter(|item| item.is_object() && fault != Fault::NoItems);
            let Some(mut item) = item.cloned() else { return (404, None) };
            (item["id"], item["createdAt"]) = (json!(id), json!("now"));
            (200, Some(item))
        }
    }
}

/// Operations that use all of it.
pub fn operations() -> Value {
    let of = |name: &str, method: &str, path: Value, message: Value, more: Value| {
        let mut operation = operation(method, path, message);
        operation["name"] = json!(name);
        operation["http"]["header_templates"] =
            json!({"authorization": ["Bearer ", {"slot": "login", "name": "token"}]});
        super::merge(&mut operation, &more);
        operation
    };
    let id = json!({"slot": "captured", "name": "id"});
    let one = || json!(["/items/", id]);
    let item = || json!(["{\"name\":\"", {"slot": "alphanumeric", "length": 8}, "\"}"]);
    let put = json!({"kind": "put", "document": "", "key": [[id]]});
    json!([
        of(
            "login",
            "POST",
            json!(["/login"]),
            json!(["{\"user\":", {"slot": "user"}, "}"]),
            json!({
                "weight": 0, "login": true, "http": {"header_templates": {}, "capture": {"token": "/token"}},
            })
        ),
        of(
            "create",
            "POST",
            json!(["/items"]),
            item(),
            json!({
                "creates": "item", "effect": put, "http": {"expect": 201, "capture": {"id": "/id"}},
            })
        ),
        of(
            "get",
            "GET",
            one(),
            json!([]),
            json!({
                "weight": 4, "needs": "item", "reads": {"document": "", "key": [[id]], "absent": 404},
                "http": {"reply_templates": {"/id": [id]}},
            })
        ),
        of("replace", "PUT", one(), item(), json!({"needs": "item", "effect": put, "http": {"expect": [204, 404]}})),
        of(
            "delete",
            "DELETE",
            one(),
            json!([]),
            json!({
                "needs": "item", "effect": {"kind": "delete", "key": [[id]]}, "http": {"expect": 204},
            })
        ),
    ])
}
