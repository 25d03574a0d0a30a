//! Reads are checked, while the load runs, against what the user itself has written.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::json;

use crate::support;
use crate::support::shop::{self, Fault};
use crate::support::{Memory, operation, plan, run};

fn load(fault: Fault, verify_share: f64) -> Memory {
    let phase = json!({"name": "one", "virtual_users": 4, "iterations": 600});
    let changes = json!({"phases": [phase], "operations": shop::operations(), "verify_share": verify_share});
    run(&plan(shop::start(fault), &changes))
}

fn wrong_reads(memory: &Memory) -> u64 {
    memory.errors().get("wrong_read").copied().unwrap_or(0)
}

#[test]
fn a_correct_api_passes() {
    let memory = load(Fault::Nothing, 1.0);
    assert_eq!((memory.errors(), memory.ok()), (BTreeMap::new(), 600));
    let gets = &memory.totals[0].calls[2];
    assert_eq!((gets.checked, gets.checks_failed), (gets.ok, 0), "each reply is checked");
    assert!(gets.ok > 200, "{}", gets.ok);
}

#[test]
fn every_kind_of_wrong_read_is_found() {
    for fault in [Fault::SameItem, Fault::StaleItems, Fault::NoItems] {
        let memory = load(fault, 1.0);
        assert!(wrong_reads(&memory) > 20, "{fault:?}: {:?}", memory.errors());
        assert_eq!(memory.errors().len(), 1, "{fault:?}: {:?}", memory.errors());
        assert_eq!(memory.totals[0].calls[2].checks_failed, wrong_reads(&memory), "{fault:?}");
    }
}

#[test]
fn some_documents_of_each_user_are_verified_at_any_rate() {
    let memory = load(Fault::SameItem, 0.000_001);
    assert!(wrong_reads(&memory) > 5, "{:?}", memory.errors());
    assert_eq!(wrong_reads(&load(Fault::SameItem, 0.0)), 0, "a rate of zero verifies nothing");
}

/// A timed out update may be applied, now or later: both states are possible.
#[test]
fn a_write_without_an_answer_allows_both_states() {
    for (shown, is_possible) in [("old", true), ("new", true), ("other", false)] {
        let server = support::serve(move |mut stream| {
            while let Some((head, _)) = support::read_request(&mut stream) {
                let body = match head.split(' ').next() {
                    Some("POST") => "{\"id\":1}".to_owned(),
                    Some("GET") => format!("{{\"a\":\"{shown}\"}}"),
                    _ => {
                        std::thread::sleep(Duration::from_millis(300));
                        continue;
                    }
                };
                let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n", body.len());
                let _ = std::io::Write::write_all(&mut stream, format!("{head}{body}").as_bytes());
            }
        });
        let id = json!({"slot": "captured", "name": "id"});
        let put = json!({"kind": "put", "document": "", "key": [[id]]});
        let mut create = operation("POST", json!(["/"]), json!(["{\"a\":\"old\"}"]));
        (create["creates"], create["effect"]) = (json!("item"), put.clone());
        create["http"]["capture"] = json!({"id": "/id"});
        let mut update = operation("PUT", json!(["/"]), json!(["{\"a\":\"new\"}"]));
        (update["needs"], update["effect"]) = (json!("item"), put);
        let mut read = operation("GET", json!(["/"]), json!([]));
        (read["needs"], read["reads"]) = (json!("item"), json!({"document": "", "key": [[id]]}));
        for (operation, (name, weight)) in
            [&mut create, &mut update, &mut read].into_iter().zip([("create", 0), ("update", 1), ("read", 3)])
        {
            (operation["name"], operation["weight"]) = (json!(name), json!(weight));
        }
        let memory = run(&plan(
            server,
            &json!({
                "phases": [{"name": "one", "virtual_users": 1, "iterations": 12}],
                "operations": [create, update, read],
                "transport": {"timeout_ms": 60},
            }),
        ));
        let timeouts = memory.errors().get("timeout").copied().unwrap_or(0);
        assert!(timeouts > 0 && memory.totals[0].calls[2].checked > 1, "{:?}", memory.errors());
        let wrong = wrong_reads(&memory);
        // Before the first update only the old state is possible.
        let certainly_wrong = memory.totals[0].calls[2].checked;
        match (shown, is_possible) {
            ("new", _) => assert!(wrong < certainly_wrong, "{wrong}"),
            (_, true) => assert_eq!(wrong, 0, "{shown}"),
            (_, false) => assert_eq!(wrong, certainly_wrong, "{shown}"),
        }
    }
}
