//! Replays the golden vectors that tie every engine to the same events.

use std::path::Path;
use std::sync::Arc;

use bakeoff_load::plan::Plan;
use bakeoff_load::workload::{Event, Renderer, UserState, Workload, encode};
use serde_json::{Value, json};

fn vectors() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/src/bakeoff/formats/vectors/rendering.json");
    serde_json::from_slice(&std::fs::read(path).expect("the contract's vectors")).expect("JSON")
}

/// A vector's plan says only what rendering needs; the rest is filled in here.
fn complete(part: &Value) -> Plan {
    let mut plan = json!({
        "version": 1, "workload": "vectors", "target": "none", "mode": "test", "payload": "default",
        "transport": {"protocol": "http", "host": "localhost", "port": 1, "connections": null, "batch": 1,
                      "stream": false, "timeout_ms": 1000},
        "proto": null, "phases": [{"name": "one", "virtual_users": 1, "iterations": 1}], "think_time_ms": 0,
        "thresholds": {"p95_ms": 1, "p99_ms": 1, "error_rate": 1}, "batch": null, "stream": null, "ledger": null,
        "verify_share": 0,
    });
    for (name, value) in part.as_object().expect("object") {
        plan[name] = value.clone();
    }
    for operation in plan["operations"].as_array_mut().expect("operations") {
        if operation["http"].is_null() {
            operation["http"] =
                json!({"method": "POST", "path": ["/"], "headers": {}, "expect": 200, "reply": {}, "capture": {}});
        }
    }
    Plan::parse(&serde_json::to_vec(&plan).expect("JSON")).expect("a plan")
}

fn state(workload: &Workload, acknowledged: &Value) -> UserState {
    let mut state = workload.new_user();
    for (kind, sequences) in acknowledged.as_object().expect("kinds") {
        let kind: usize = kind.parse().expect("an index");
        let keyed = workload.operations.iter().position(|o| o.key == Some(kind)).expect("an operation");
        for sequence in sequences.as_array().expect("sequences") {
            let sequence = number(sequence);
            let operation_index = keyed as u16;
            let (operation, key_sequence) = (operation_index, sequence);
            let event = Event { sequence, operation, key_sequence, is_shared: false, entity: None, step: None };
            state.acknowledge(&workload.operations[keyed], &workload.sessions, &event, None);
        }
    }
    state
}

fn number(value: &Value) -> u32 {
    u32::try_from(value.as_u64().expect("a number")).expect("32 bits")
}

fn text(render: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut out = Vec::new();
    render(&mut out);
    String::from_utf8(out).expect("UTF-8")
}

#[test]
fn every_event_renders_as_the_vectors_say() {
    let (mut checked, mut bodies) = (0, 0);
    for case in vectors()["cases"].as_array().expect("cases") {
        let workload = Arc::new(Workload::compile(&complete(&case["plan"])).expect("compiles"));
        let mut renderer = Renderer::new(Arc::clone(&workload));
        for expected in case["events"].as_array().expect("events") {
            let place = format!("{}: {expected}", case["name"]);
            let user = number(&expected["user"]);
            let state = state(&workload, &expected["acknowledged"]);
            let event = renderer.next(user, &state, number(&expected["sequence"]));
            assert_eq!(u64::from(event.operation), expected["operation"].as_u64().expect("operation"), "{place}");
            assert_eq!(text(|out| renderer.json(out)), expected["message"].as_str().expect("message"), "{place}");
            if let Some(path) = expected["path"].as_str() {
                assert_eq!(text(|out| renderer.path(out)), path, "{place}");
            }
            if let Some(sequence) = expected["key"].get("sequence") {
                let is_shared = expected["key"]["shared"].as_bool().unwrap_or(false);
                assert_eq!((event.key_sequence, event.is_shared), (number(sequence), is_shared), "{place}");
            }
            if let Some(body) = expected["body"].as_str() {
                let encoding = workload.operations[usize::from(event.operation)].body.expect("an encoding");
                let (mut message, mut out) = (Vec::new(), Vec::new());
                renderer.json(&mut message);
                encode(encoding, &message, &mut out).expect("a body");
                // A character of the vector is a byte.
                assert_eq!(out.iter().map(|byte| char::from(*byte)).collect::<String>(), body, "{place}");
                bodies += 1;
            }
            let mut again = Renderer::new(Arc::clone(&workload));
            again.recall(user, &event);
            assert_eq!(text(|out| again.json(out)), text(|out| renderer.json(out)), "{place}");
            checked += 1;
        }
    }
    assert!(bodies >= 9, "only {bodies} bodies were checked");
    assert!(checked > 100, "only {checked} events were checked");
}

#[test]
fn every_batch_renders_as_the_vectors_say() {
    let mut checked = 0;
    for case in vectors()["cases"].as_array().expect("cases") {
        let workload = Arc::new(Workload::compile(&complete(&case["plan"])).expect("compiles"));
        let mut renderer = Renderer::new(Arc::clone(&workload));
        for request in case["requests"].as_array().expect("requests") {
            let state = state(&workload, &request["acknowledged"]);
            let (user, first) = (number(&request["user"]), number(&request["sequence"]));
            let messages: Vec<String> = (first..first + number(&request["count"]))
                .map(|sequence| {
                    renderer.next(user, &state, sequence);
                    text(|out| renderer.json(out))
                })
                .collect();
            let part = |name: &str| case["batch"][name].as_str().expect("text").to_owned();
            let body = format!("{}{}{}", part("open"), messages.join(&part("separator")), part("close"));
            assert_eq!(body, request["body"].as_str().expect("body"), "{}", case["name"]);
            checked += 1;
        }
    }
    assert!(checked > 0, "no batch was checked");
}
