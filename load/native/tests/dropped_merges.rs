//! A target that acknowledges merges and drops some of them: the audit sees each where messages number their merges.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use bakeoff_load::audit::{Source, audit};
use bakeoff_load::plan::Plan;
use serde_json::{Map, Value, json};

use crate::support::{self, plan_json, read_request, run_on, serve};

/// Stored documents, and the keys of those that lost a merge.
#[derive(Debug, Default)]
struct Store {
    documents: BTreeMap<String, Map<String, Value>>,
    merges: usize,
    damaged: BTreeSet<String>,
}

/// Merges what is put into what is stored, except every tenth merge into a row that exists.
fn dropping_server() -> (SocketAddr, Arc<Mutex<Store>>) {
    let store = Arc::new(Mutex::new(Store::default()));
    let shared = Arc::clone(&store);
    let address = serve(move |mut stream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let key = head.split(' ').nth(1).and_then(|path| path.rsplit('/').next()).expect("a path").to_owned();
            let document: Map<String, Value> = serde_json::from_slice(&body).expect("an object");
            merge(&mut shared.lock().expect("a lock"), key, document);
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    (address, store)
}

fn merge(store: &mut Store, key: String, document: Map<String, Value>) {
    let Some(known) = store.documents.get_mut(&key) else {
        store.documents.insert(key, document);
        return;
    };
    store.merges += 1;
    if store.merges.is_multiple_of(10) {
        store.damaged.insert(key);
    } else {
        known.extend(document);
    }
}

/// Rows that the audit finds wrong after users merged such documents, and how many rows lost a merge.
fn found(document: &Value, reuse: &Value) -> (u64, u64) {
    let (address, store) = dropping_server();
    let folder = tempfile::tempdir().expect("a folder");
    let (key, sequence) = (json!({"slot": "key"}), json!({"slot": "sequence"}));
    let mut operation = support::operation("PUT", json!(["/things/", key]), document.clone());
    operation["key"] = json!(0);
    operation["effect"] = json!({"kind": "merge", "document": "", "key": [[key]]});
    let changes = json!({
        "operations": [operation], "ledger": folder.path().join("ledger"),
        "keys": [{"name": "thing", "format": ["k", {"slot": "user"}, "-", sequence], "reuse": reuse}],
        "phases": [{"name": "all", "virtual_users": 4, "iterations": 2_000}],
    });
    let plan = plan_json(address, &changes);
    std::fs::write(folder.path().join("plan.json"), plan.to_string()).expect("written");
    run_on(&Plan::parse(plan.to_string().as_bytes()).expect("a plan"), 2, Arc::default());
    let store = store.lock().expect("a lock");
    let row = |(key, document): (&String, &Map<String, Value>)| json!({"key": [key], "document": document}).to_string();
    let rows: Vec<String> = store.documents.iter().map(row).collect();
    std::fs::write(folder.path().join("rows"), rows.join("\n") + "\n").expect("written");
    let source = Source::Rows(folder.path().join("rows"));
    let verdict = audit(&folder.path().join("plan.json"), &folder.path().join("ledger"), source, 0).expect("audited");
    let json = verdict.json();
    let count = |kind: &str| json[kind]["count"].as_u64().expect("a count");
    (count("stale") + count("wrong") + count("lost"), store.damaged.len() as u64)
}

/// Each merge has a member of its own name; with `modulo` names repeat.
fn numbered(modulo: Option<u32>) -> Value {
    let name = modulo.map_or(json!({"slot": "sequence"}), |modulo| json!({"slot": "sequence", "modulo": modulo}));
    json!(["{\"m", name, "\":", {"slot": "sequence"}, ",\"a\":", {"slot": "sequence"}, "}"])
}

#[test]
fn every_dropped_merge_of_a_user_s_own_keys_is_seen() {
    let uniform = json!({"share": 0.5, "pick": "uniform"});
    let (wrong_rows, damaged) = found(&numbered(None), &uniform);
    assert!(damaged > 50 && wrong_rows == damaged, "{wrong_rows} of {damaged}");
    let (without_numbers, damaged) = found(&json!(["{\"a\":", {"slot": "sequence"}, "}"]), &uniform);
    assert!(without_numbers < damaged * 3 / 4, "later merges hide the others: {without_numbers} of {damaged}");
}

#[test]
fn on_hot_keys_the_latest_merges_are_seen() {
    let (wrong_rows, damaged) = found(&numbered(Some(16)), &json!({"share": 0.98, "pick": "zipf", "s": 1.0}));
    assert!(damaged > 10 && 0 < wrong_rows && wrong_rows <= damaged, "{wrong_rows} of {damaged}");
}
