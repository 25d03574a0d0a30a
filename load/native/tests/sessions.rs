//! Sessions beside the weighted mix, and operations that arrive at their own rates.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::shop::{self, Fault};
use crate::support::{operation, plan, plan_json, run, slow};

/// The shop's operations (login, create, get, replace, delete), which only sessions send.
fn in_sessions() -> Value {
    let mut operations = shop::operations();
    (0..5).for_each(|index| operations[index]["weight"] = json!(0));
    operations
}

#[test]
fn steps_follow_one_another_and_their_reads_are_right() {
    let changes = json!({
        "phases": [{"name": "one", "virtual_users": 4, "iterations": 404}],
        "operations": in_sessions(),
        "sessions": [{"name": "life", "weight": 1, "steps": [1, 2, 3, 2, 4]}],
    });
    let memory = run(&plan(shop::start(Fault::Nothing), &changes));
    assert_eq!((memory.errors(), memory.ok()), (BTreeMap::new(), 404));
    let counts: Vec<u64> = memory.totals[0].calls.iter().map(|call| call.ok).collect();
    assert_eq!(counts[0], 4, "a login for each user");
    let [created, read, replaced, deleted] = [counts[1], counts[2], counts[3], counts[4]];
    // Of the last session of each user some steps may be missing.
    assert!(created - deleted <= 4 && created - replaced <= 4 && read.abs_diff(2 * created) <= 8, "{counts:?}");
    assert_eq!(memory.totals[0].calls[2].checked, read, "each shows what the session stored");
}

#[test]
fn a_wrong_read_inside_a_session_is_found() {
    let changes = json!({
        "phases": [{"name": "one", "virtual_users": 1, "iterations": 40}],
        "operations": in_sessions(),
        "sessions": [{"name": "life", "weight": 1, "steps": [1, 3, 2]}],
    });
    let memory = run(&plan(shop::start(Fault::StaleItems), &changes));
    assert!(memory.errors()["wrong_read"] >= 12, "{:?}", memory.errors());
    let mismatch = memory.totals[0].calls[2].failed_check.as_ref().expect("why");
    assert!(mismatch.expected.contains("the last was {\"name\":"), "{mismatch:?}");
    assert!(mismatch.received.starts_with("{\"createdAt\":\"now\""), "{mismatch:?}");
}

#[test]
fn users_pause_between_steps_and_not_after_the_last() {
    let step = operation("GET", json!(["/"]), json!([]));
    let changes = |weight: u32| {
        json!({
            "phases": [{"name": "one", "virtual_users": 1, "iterations": 3}],
            "operations": [step],
            "sessions": [{"name": "two", "weight": weight, "steps": [0, 0, 0], "think_time_ms": 40}],
        })
    };
    let mut alone = changes(1);
    alone["operations"][0]["weight"] = json!(0);
    let begun = Instant::now();
    let memory = run(&plan(slow(Duration::ZERO), &alone));
    assert!(begun.elapsed() >= Duration::from_millis(80), "two pauses between three steps");
    assert!(memory.totals[0].calls[0].response.is_some(), "steps after a pause have an instant at which they are due");
    assert_eq!(run(&plan(slow(Duration::ZERO), &changes(0))).ok(), 3, "a session of weight zero never begins");
}

#[test]
fn an_operation_arrives_at_its_own_rate() {
    let mut rare = operation("GET", json!(["/rare"]), json!([]));
    (rare["name"], rare["weight"], rare["rate"]) = (json!("rare"), json!(0), json!(20));
    let usual = operation("GET", json!(["/"]), json!([]));
    let phase = |rate| json!([{"name": "open", "rate": rate, "arrival": "constant", "max_virtual_users": 50, "duration_ms": 500}]);
    let changes = |rate| json!({"operations": [usual, rare], "phases": phase(rate)});
    let memory = run(&plan(slow(Duration::ZERO), &changes(200)));
    let [of_usual, of_rare] = [0, 1].map(|call| memory.totals[0].calls[call].sent);
    assert!((1..=90).contains(&of_usual) && (1..=10).contains(&of_rare), "{of_usual} {of_rare}");
    assert_eq!(of_usual + of_rare + memory.phases[0].unsent, 100, "what is due in half a second");
    let closed = json!({"operations": [usual, rare]});
    let memory = run(&plan(slow(Duration::ZERO), &closed));
    assert_eq!((memory.totals[0].calls[0].sent, memory.totals[0].calls[1].sent), (3, 0), "closed: by weight");
}

#[test]
fn impossible_sessions_and_rates_are_refused() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let refused = |changes: Value| {
        let text = serde_json::to_vec(&plan_json(address, &changes)).expect("JSON");
        let plan = bakeoff_load::plan::Plan::parse(&text);
        let compiled = plan.and_then(|plan| bakeoff_load::workload::Workload::compile(&plan).map(|_| ()));
        compiled.expect_err("refused").to_string()
    };
    let session = |steps: Value| json!({"sessions": [{"name": "s", "weight": 1, "steps": steps}]});
    let mut batched = session(json!([0]));
    batched["transport"] = json!({"batch": 2});
    batched["batch"] =
        json!({"method": "POST", "path": "/", "expect": 200, "open": "[", "separator": ",", "close": "]"});
    let mut endless = session(json!([0]));
    endless["sessions"][0]["think_time_ms"] = json!(-1);
    let mut rated = operation("GET", json!(["/"]), json!([]));
    rated["rate"] = json!(0);
    for (changes, words) in [
        (session(json!([])), "session s: its steps are operations"),
        (session(json!([1])), "session s: its steps are operations"),
        (batched, "not with batches or streams"),
        (endless, "think_time_ms is zero or more"),
        (json!({"operations": [rated]}), "a rate is above zero"),
    ] {
        let found = refused(changes);
        assert!(found.contains(words), "{words}: {found}");
    }
}
