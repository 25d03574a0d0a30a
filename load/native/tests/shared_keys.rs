//! Keys that all users share, and rows that were there before: audited by membership and by number.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bakeoff_load::audit::{Source, Verdict, audit};
use bakeoff_load::plan::Plan;
use serde_json::{Map, Value, json};

use crate::support::{self, plan_json, read_request, run_on, serve};

type Store = Arc<Mutex<BTreeMap<String, Map<String, Value>>>>;

const SHARED: usize = 5;

/// Merges what is put into what is stored.
fn merging_server() -> (SocketAddr, Store) {
    let store = Store::default();
    let shared = Arc::clone(&store);
    let address = serve(move |mut stream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let key = head.split(' ').nth(1).and_then(|path| path.rsplit('/').next()).expect("a path").to_owned();
            let document: Map<String, Value> = serde_json::from_slice(&body).expect("an object");
            shared.lock().expect("a lock").entry(key).or_default().extend(document);
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    (address, store)
}

/// A run of nine users on three threads, and what the audit needs of it.
struct Run {
    folder: tempfile::TempDir,
    store: Store,
}

impl Run {
    fn new() -> Self {
        let (address, store) = merging_server();
        let folder = tempfile::tempdir().expect("a folder");
        let (key, sequence) = (json!({"slot": "key"}), json!({"slot": "sequence"}));
        let mut operation = support::operation("PUT", json!(["/things/", key]), json!([]));
        operation["key"] = json!(0);
        operation["effect"] = json!({"kind": "merge", "document": "", "key": [[key]]});
        operation["variants"] =
            json!([["{\"by\":", {"slot": "user"}, ",\"n\":", sequence, "}"], ["{\"m\":", sequence, "}"]]);
        let format = json!(["k", {"slot": "user"}, "-", sequence]);
        let document = plan_json(
            address,
            &json!({
                "operations": [operation], "ledger": folder.path().join("ledger"), "preload": 2,
                "keys": [{"name": "thing", "format": format,
                          "reuse": {"share": 0.6, "pick": "zipf", "s": 1.0, "shared": SHARED}}],
                "phases": [{"name": "all", "virtual_users": 9, "iterations": 1_000}],
            }),
        );
        let text = document.to_string();
        std::fs::write(folder.path().join("plan"), &text).expect("written");
        let memory = run_on(&Plan::parse(text.as_bytes()).expect("a plan"), 3, Arc::default());
        assert_eq!((memory.ok(), memory.errors()), (1_000, BTreeMap::new()));
        Self { folder, store }
    }

    /// The verdict on what is stored, with these rows more.
    fn audit(&self, store: &BTreeMap<String, Map<String, Value>>, preloaded: usize) -> Verdict {
        let stored = store.iter().map(|(key, document)| json!({"key": [key], "document": document}));
        let before = (0..preloaded).map(|number| json!({"key": [format!("before-{number}")], "document": {}}));
        let rows: String = stored.chain(before).map(|row| format!("{row}\n")).collect();
        let path = |name: &str| self.folder.path().join(name);
        std::fs::write(path("rows"), rows).expect("written");
        audit(&path("plan"), &path("ledger"), Source::Rows(path("rows")), 3).expect("an audit")
    }
}

fn shared_key(number: usize) -> String {
    format!("k9999999-{number}")
}

#[test]
fn users_contend_for_the_shared_keys_and_each_violation_is_found() {
    let run = Run::new();
    let stored = run.store.lock().expect("a lock").clone();
    let contended = stored.keys().filter(|key| key.starts_with("k9999999-")).count();
    assert_eq!(contended, SHARED, "each shared key is written");
    let own = stored.len() - contended;
    assert!((300..500).contains(&own), "{own} of 1,000 events make their own key");
    let clean = run.audit(&stored, 2);
    assert!(clean.is_clean(), "{}", clean.json());

    let mut lost = stored.clone();
    lost.remove(&shared_key(0));
    let mut wrong = stored.clone();
    wrong.get_mut(&shared_key(0)).expect("it is there").insert("n".to_owned(), json!(-1));
    let mut stale = stored.clone();
    stale.get_mut(&shared_key(0)).expect("it is there").remove("m");
    for (kind, store) in [("lost", lost), ("wrong", wrong), ("stale", stale)] {
        let verdict = run.audit(&store, 2).json();
        assert_eq!(verdict[kind]["count"], json!(1), "{verdict}");
        assert_eq!(verdict[kind]["examples"][0]["key"], json!([shared_key(0)]), "{verdict}");
    }
}

#[test]
fn rows_that_were_there_before_must_still_be() {
    let run = Run::new();
    let stored = run.store.lock().expect("a lock").clone();
    for (preloaded, lost) in [(0, 2), (1, 1), (2, 0), (3, 0)] {
        assert_eq!(run.audit(&stored, preloaded).json()["lost"]["count"], json!(lost));
    }
}
