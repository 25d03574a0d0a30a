//! The audit through the target's own reads: every acknowledged write must be what the target shows afterwards.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use bakeoff_load::engine::audit_through;
use bakeoff_load::plan::Plan;
use serde_json::{Value, json};

use crate::support::shop::{self, Fault};
use crate::support::{operation, plan_json, read_request, run_on, serve};

/// The operations of the shop, all with one token that never expires.
fn operations() -> Value {
    let mut operations = shop::operations();
    let all = operations.as_array_mut().expect("operations");
    all.remove(0);
    for operation in all {
        operation["http"]["header_templates"] = json!({});
        operation["http"]["headers"] = json!({"authorization": "Bearer t-0"});
    }
    operations
}

/// A run against the shop, and what the audit needs of it.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn against(address: SocketAddr, operations: &Value) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let phase = json!({"name": "one", "virtual_users": 4, "iterations": 400});
        let ledger = folder.path().join("ledger");
        let changes = json!({"phases": [phase], "operations": operations, "ledger": ledger, "verify_share": 0});
        let text = plan_json(address, &changes).to_string();
        std::fs::write(folder.path().join("plan"), &text).expect("written");
        run_on(&Plan::parse(text.as_bytes()).expect("a plan"), 2, Arc::default());
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The verdict on what the target shows.
    fn audit(&self, most: usize) -> Value {
        self.audit_by(&["get"], most)
    }

    fn audit_by(&self, operations: &[&str], most: usize) -> Value {
        let operations: Vec<String> = operations.iter().map(|name| (*name).to_owned()).collect();
        let audited = audit_through(&self.path("plan"), &self.path("ledger"), &operations, most, 3);
        let verdict = audited.expect("an audit");
        assert_eq!(verdict.is_clean(), verdict.json()["verdict"] == "clean");
        verdict.json()
    }
}

fn counts(verdict: &Value) -> [u64; 3] {
    ["lost", "wrong", "stale"].map(|kind| verdict[kind]["count"].as_u64().expect("a number"))
}

#[test]
fn a_correct_target_shows_what_it_acknowledged() {
    let verdict = Run::against(shop::start(Fault::Nothing), &operations()).audit(usize::MAX);
    let number = |name: &str| verdict[name].as_u64().expect("a number");
    assert_eq!(counts(&verdict), [0, 0, 0], "{verdict}");
    assert_eq!(number("checked_entities"), number("entities"));
    assert!(number("rows") > 0 && number("rows") < number("entities"), "deleted ones are not shown: {verdict}");
}

#[test]
fn what_a_target_does_not_show_as_acknowledged_is_a_violation() {
    let mut without_deletes = operations();
    without_deletes[3]["weight"] = json!(0);
    for (fault, at) in [(Fault::NoItems, 0), (Fault::SameItem, 1), (Fault::StaleItems, 2)] {
        let verdict = Run::against(shop::start(fault), &without_deletes).audit(usize::MAX);
        let found = counts(&verdict);
        assert!(found[at] > 20, "{fault:?}: {verdict}");
        let kind = ["lost", "wrong", "stale"][at];
        let example = &verdict[kind]["examples"][0];
        assert!(example["key"][0].is_string(), "{fault:?}: an example names its entity: {example}");
    }
}

#[test]
fn reads_of_a_target_with_a_login_are_its_writers_own() {
    let mut operations = shop::operations();
    let clean = Run::against(shop::start(Fault::Nothing), &operations).audit(usize::MAX);
    assert_eq!(counts(&clean), [0, 0, 0], "{clean}");
    assert!(clean["checked_entities"].as_u64() > Some(20), "{clean}");
    let lossy = Run::against(shop::start(Fault::NoItems), &operations).audit(usize::MAX);
    assert!(counts(&lossy)[0] > 5, "{lossy}");
    // A login may be a form.
    let mut with_form = operations.clone();
    with_form[0]["body"] = json!("form");
    with_form[0]["http"]["headers"] = json!({"content-type": "application/x-www-form-urlencoded"});
    let form = Run::against(shop::start(Fault::Nothing), &with_form).audit(usize::MAX);
    assert_eq!(counts(&form), [0, 0, 0], "{form}");
    // A login that is refused ends the audit.
    let run = Run::against(shop::start(Fault::Nothing), &operations);
    operations[0]["http"]["path"] = json!(["/nowhere"]);
    let mut plan: Value = serde_json::from_slice(&std::fs::read(run.path("plan")).expect("a plan")).expect("JSON");
    plan["operations"] = operations;
    std::fs::write(run.path("plan"), plan.to_string()).expect("written");
    let refused =
        audit_through(&run.path("plan"), &run.path("ledger"), &["get".to_owned()], 10, 3).expect_err("no login");
    assert!(refused.to_string().contains("/nowhere: the login replied 401"), "{refused}");
}

#[test]
fn of_many_entities_a_sample_is_read() {
    let verdict = Run::against(shop::start(Fault::NoItems), &operations()).audit(7);
    assert_eq!(verdict["checked_entities"], 7);
    assert!(verdict["entities"].as_u64() > Some(7) && counts(&verdict)[0] <= 7, "{verdict}");
}

#[test]
fn what_cannot_be_read_is_no_verdict() {
    let without_login = Run::against(shop::start(Fault::Nothing), &operations());
    let refused = |run: &Run, operation: &str| {
        let (plan, ledger) = (run.path("plan"), run.path("ledger"));
        audit_through(&plan, &ledger, &[operation.to_owned()], 10, 3).expect_err("refused").to_string()
    };
    assert!(refused(&without_login, "nothing").contains("does not exist"));
    assert!(refused(&without_login, "create").contains("has no reads"));
    stop_expecting_absence(&without_login.path("plan"));
    assert!(refused(&without_login, "get").contains("replied 404"), "a deleted item, and no status for that");
}

/// A server of two kinds of things, under `/a` and `/b`, whose ids are numbered apart; of `/b` none is kept.
fn two_kinds() -> SocketAddr {
    let stored = Arc::new(Mutex::new(BTreeMap::<String, Vec<String>>::new()));
    serve(move |mut stream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let path = head.split(' ').nth(1).expect("a path").to_owned();
            let (kind, id) = path.trim_start_matches('/').split_once('/').unwrap_or((path.trim_matches('/'), ""));
            let mut stored = stored.lock().expect("unbroken");
            let things = stored.entry(kind.to_owned()).or_default();
            let (status, reply) = if head.starts_with("POST") {
                things.push(String::from_utf8(body).expect("UTF-8"));
                (200, json!({"id": things.len()}).to_string())
            } else if kind == "b" {
                (404, "{}".to_owned())
            } else {
                (200, things[id.parse::<usize>().expect("an id") - 1].clone())
            };
            let head = format!("HTTP/1.1 {status} Some\r\nContent-Length: {}\r\n\r\n", reply.len());
            if stream.write_all(format!("{head}{reply}").as_bytes()).is_err() {
                return;
            }
        }
    })
}

#[test]
fn each_kind_of_entity_is_read_by_its_own_operation() {
    let id = json!({"slot": "captured", "name": "id"});
    let mut operations = Vec::new();
    for kind in ["a", "b"] {
        let mut create = operation("POST", json!([format!("/{kind}")]), json!(["{\"n\":", {"slot": "sequence"}, "}"]));
        (create["name"], create["creates"]) = (json!(format!("create {kind}")), json!(kind));
        create["http"]["capture"] = json!({"id": "/id"});
        create["effect"] = json!({"kind": "put", "document": "", "key": [[kind], [id]]});
        let mut read = operation("GET", json!([format!("/{kind}/"), id]), json!([]));
        (read["name"], read["needs"], read["weight"]) = (json!(format!("read {kind}")), json!(kind), json!(0));
        read["reads"] = json!({"document": "", "key": [[kind], [id]], "absent": 404});
        operations.extend([create, read]);
    }
    let run = Run::against(two_kinds(), &json!(operations));
    let (both, one) = (run.audit_by(&["read a", "read b"], usize::MAX), run.audit_by(&["read a"], usize::MAX));
    let number = |verdict: &Value, name: &str| verdict[name].as_u64().expect("a number");
    assert_eq!(number(&both, "checked_entities"), 400);
    assert_eq!(counts(&both), [400 - number(&both, "rows"), 0, 0], "{both}");
    assert_eq!(counts(&one), [0, 0, 0], "{one}");
    assert_eq!(number(&one, "checked_entities"), number(&both, "rows"), "what no operation reads is not checked");
}

fn stop_expecting_absence(plan: &Path) {
    let text = std::fs::read_to_string(plan).expect("the plan");
    std::fs::write(plan, text.replace("\"absent\":404,", "").replace(",\"absent\":404", "")).expect("written");
}
