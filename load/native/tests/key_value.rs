//! A second workload, a key-value API that this file serves: nothing in the engine is specific to events.
//! Its audit finds what a server that loses, garbles or forgets does.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::{SocketAddr, TcpStream};
use std::process::{Command, Output};
use std::sync::{Arc, Mutex};

use bakeoff_load::ledger::Ledger;
use bakeoff_load::plan::Plan;
use bakeoff_load::workload::{Renderer, Workload};
use serde_json::{Value, json};

use crate::support::{plan_json, read_request, serve};

/// Stored documents by the identifier that the server gave them.
type Store = Arc<Mutex<BTreeMap<u64, Value>>>;

fn key_value_server() -> (SocketAddr, Store) {
    let store = Store::default();
    let shared = Arc::clone(&store);
    let address = serve(move |mut stream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let (status, reply) = answer(&head, &body, &shared);
            if reply_with(&mut stream, status, &reply).is_none() {
                return;
            }
        }
    });
    (address, store)
}

fn reply_with(stream: &mut TcpStream, status: u16, reply: &Value) -> Option<()> {
    let body = if status == 204 { String::new() } else { reply.to_string() };
    // In one piece: the second of two small writes would wait for the client's acknowledgement.
    let reply = format!("HTTP/1.1 {status} Done\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    stream.write_all(reply.as_bytes()).ok()
}

fn answer(head: &str, body: &[u8], store: &Store) -> (u16, Value) {
    let mut words = head.split(' ');
    let (method, path) = (words.next().expect("a method"), words.next().expect("a path"));
    let id = path.rsplit('/').next().and_then(|id| id.parse::<u64>().ok());
    let document = || serde_json::from_slice::<Value>(body).expect("JSON");
    let mut store = store.lock().expect("a lock");
    match (method, id) {
        ("POST", None) => {
            let id = 1 + store.keys().next_back().copied().unwrap_or(1_000);
            store.insert(id, document()["value"].clone());
            (201, json!({"entry": {"id": id}}))
        }
        ("PUT", Some(id)) if store.contains_key(&id) => {
            store.insert(id, document());
            (200, json!({"ok": true}))
        }
        ("GET", Some(id)) => match store.get(&id) {
            Some(document) => (200, json!({"found": document})),
            None => (404, json!({})),
        },
        ("DELETE", Some(id)) => match store.remove(&id) {
            Some(_) => (204, json!({})),
            None => (404, json!({})),
        },
        _ => (404, json!({})),
    }
}

fn operations() -> Value {
    let id = json!({"slot": "captured", "name": "id"});
    let number = json!({"slot": "integer", "min": 0, "max": 999_999});
    let operation = |name: &str, weight: u32, method: &str, expect: u16, more: Value| {
        let path = if method == "POST" { json!(["/entries"]) } else { json!(["/entries/", id]) };
        let mut operation = json!({
            "name": name, "weight": weight, "key": null, "grpc": null, "creates": null, "needs": "entry",
            "http": {"method": method, "path": path, "headers": {"X-Test": "yes"}, "expect": expect, "reply": {},
                     "capture": {}},
            "variants": [[]], "effect": null,
        });
        for (name, value) in more.as_object().expect("members") {
            operation[name] = value.clone();
        }
        operation
    };
    let key = json!([["entry"], [id]]);
    let mut create = operation(
        "create",
        4,
        "POST",
        201,
        json!({
            "needs": null, "creates": "entry", "effect": {"kind": "put", "document": "/value", "key": key},
            "variants": [["{\"value\":{\"n\":", number, ",\"by\":", {"slot": "user"}, "}}"], ["{\"value\":", number, "}"]],
        }),
    );
    create["http"]["capture"] = json!({"id": "/entry/id"});
    let mut update = operation(
        "update",
        3,
        "PUT",
        200,
        json!({
            "variants": [["{\"n\":", number, ",\"id\":", id, "}"]],
            "effect": {"kind": "put", "document": "", "key": key},
        }),
    );
    update["http"]["reply"] = json!({"/ok": true});
    let read = operation("read", 2, "GET", 200, json!({}));
    let delete = operation("delete", 1, "DELETE", 204, json!({"effect": {"kind": "delete", "key": key}}));
    json!([create, update, read, delete])
}

/// A run against the server, and what the audit needs of it.
struct Run {
    folder: tempfile::TempDir,
    store: Store,
}

impl Run {
    fn new() -> Self {
        let (address, store) = key_value_server();
        let folder = tempfile::tempdir().expect("a folder");
        let plan = plan_json(
            address,
            &json!({
                "operations": operations(), "ledger": folder.path().join("ledger").display().to_string(),
                "phases": [{"name": "all", "virtual_users": 5, "iterations": 2_000}],
            }),
        );
        std::fs::write(folder.path().join("plan"), plan.to_string()).expect("written");
        let output = bakeoff_load(&["run", "--plan", &path(&folder, "plan")]);
        assert!(output.status.success(), "{output:?}");
        let stream = String::from_utf8(output.stdout).expect("UTF-8");
        let mut records = stream.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
        let end = records.find(|record| record["type"] == "phase_end").expect("the phase ended");
        assert_eq!((&end["ok"], &end["errors"]), (&json!(2_000), &json!({})), "every reply was as expected");
        Self { folder, store }
    }

    /// Exit status and verdict of an audit of these rows.
    fn audit(&self, rows: &BTreeMap<u64, Value>) -> (i32, Value) {
        let line = |(id, document): (&u64, &Value)| {
            format!("{}\n", json!({"key": ["entry", id.to_string()], "document": document}))
        };
        std::fs::write(self.folder.path().join("rows"), rows.iter().map(line).collect::<String>()).expect("written");
        let file = |name| path(&self.folder, name);
        let output =
            bakeoff_load(&["audit", "--plan", &file("plan"), "--ledger", &file("ledger"), "--rows", &file("rows")]);
        let status = output.status.code().expect("an exit status");
        let verdict = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        (status, verdict)
    }

    /// The content of a created entry: the ledger knows the event, and the workload renders it again.
    fn created_as(&self, id: u64) -> Value {
        let plan = Plan::read(&self.folder.path().join("plan")).expect("the plan");
        let workload = Arc::new(Workload::compile(&plan).expect("compiles"));
        let mut renderer = Renderer::new(Arc::clone(&workload));
        let mut created = None;
        let ledger = Ledger::open(&self.folder.path().join("ledger")).expect("the ledger");
        let read = ledger.read(|record| {
            let is_it = record.own.as_ref().is_some_and(|own| *own.captured[0].1 == *id.to_string());
            if is_it {
                renderer.recall(record.user, &record.event);
                let mut message = Vec::new();
                renderer.json(&mut message);
                created = serde_json::from_slice::<Value>(&message).ok();
            }
        });
        read.expect("reads");
        created.expect("it was created")["value"].clone()
    }

    fn rows(&self) -> BTreeMap<u64, Value> {
        self.store.lock().expect("a lock").clone()
    }
}

fn path(folder: &tempfile::TempDir, name: &str) -> String {
    folder.path().join(name).display().to_string()
}

fn bakeoff_load(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bakeoff-load"))
        .args(arguments)
        .env_remove("DATABASE_URL")
        .output()
        .expect("the program runs")
}

#[test]
fn a_faithful_server_is_clean_and_each_violation_is_found() {
    let run = Run::new();
    let rows = run.rows();
    assert!(rows.len() > 100, "{} entries are left", rows.len());
    let (status, verdict) = run.audit(&rows);
    assert_eq!((status, &verdict["verdict"]), (0, &json!("clean")), "{verdict}");
    assert_eq!(verdict["rows"], json!(rows.len()));
    assert_eq!(verdict["ledger_complete"], json!(true));

    let (id, document) = rows.iter().next_back().expect("an entry");
    let mut without = rows.clone();
    without.remove(id);
    let mut garbled = rows.clone();
    garbled.insert(*id, json!({"n": -1}));
    for (kind, rows) in [("lost", without), ("wrong", garbled)] {
        let (status, verdict) = run.audit(&rows);
        assert_eq!((status, &verdict["verdict"], &verdict[kind]["count"]), (1, &json!("violated"), &json!(1)));
        assert_eq!(verdict[kind]["examples"][0]["key"], json!(["entry", id.to_string()]), "{verdict}");
    }

    let mut more = rows.clone();
    more.insert(999_999, document.clone());
    let (status, verdict) = run.audit(&more);
    assert_eq!((status, &verdict["unexplained_rows"]["count"]), (0, &json!(1)), "another client may store rows");
}

/// A server that acknowledges an update and keeps what was there before.
#[test]
fn a_stale_overwrite_is_found() {
    let run = Run::new();
    let rows = run.rows();
    let updated = rows.iter().rfind(|(id, document)| document["id"] == json!(id));
    let (id, _) = updated.expect("an entry that was updated");
    let mut stale = rows.clone();
    stale.insert(*id, run.created_as(*id));
    let (status, verdict) = run.audit(&stale);
    assert_eq!(
        (status, &verdict["stale"]["count"], &verdict["wrong"]["count"]),
        (1, &json!(1), &json!(0)),
        "{verdict}"
    );
    assert_eq!(verdict["stale"]["examples"][0]["expected"], rows[id], "{verdict}");
}

#[test]
fn inputs_that_cannot_be_used() {
    let run = Run::new();
    let file = |name| path(&run.folder, name);
    let (plan, ledger) = (file("plan"), file("ledger"));
    std::fs::write(file("rows"), "{\"key\":[\"entry\"]}\n").expect("written");
    std::fs::write(file("empty"), "").expect("written");
    let other = std::fs::read_to_string(&plan).expect("the plan").replace("0123456789abcdef", "0123456789abcde0");
    std::fs::write(file("other"), other).expect("written");
    for (arguments, words) in [
        (vec!["--plan", &plan, "--ledger", &ledger, "--rows", &file("rows")], "line 1"),
        (vec!["--plan", &plan, "--ledger", &ledger, "--rows", &file("missing")], "No such file"),
        (vec!["--plan", &plan, "--ledger", &file("empty"), "--rows", &file("empty")], "is not a ledger"),
        (vec!["--plan", &file("empty"), "--ledger", &ledger, "--rows", &file("empty")], "the plan is not valid"),
        (vec!["--plan", &file("other"), "--ledger", &ledger, "--rows", &file("empty")], "belongs to another run"),
        (vec!["--plan", &plan, "--ledger", &ledger], "--rows"),
    ] {
        let output = bakeoff_load(&[vec!["audit"], arguments].concat());
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{error}");
        assert!(error.contains(words) && !error.contains("panicked"), "{words}: {error}");
    }
}
