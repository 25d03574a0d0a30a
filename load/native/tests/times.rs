//! Which requests have a time, and from when it runs.

use std::time::Duration;

use bakeoff_load::plan::Plan;
use bakeoff_load::results::PhaseTotals;
use hdrhistogram::Histogram;
use serde_json::{Value, json};

use crate::events;
use crate::support::{operation, plan, read_request, run, serve, serve_replies, slow};

const AT_ONCE: Duration = Duration::ZERO;
const TIMEOUT_NS: u64 = 50_000_000;
const LARGE: usize = 8 << 20;

/// A few requests at a rate, which gives them a service time and a response time.
fn at_a_rate(users: u32, more: &Value) -> Value {
    let phase = json!({
        "name": "r", "rate": 100, "arrival": "constant", "max_virtual_users": users, "duration_ms": 50,
    });
    events::with(json!({"phases": [phase], "transport": {"timeout_ms": TIMEOUT_NS / 1_000_000}}), more)
}

/// The result of a plan's only phase, in which no request succeeded.
fn failures(plan: &Plan, kind: &str) -> PhaseTotals {
    let mut memory = run(plan);
    let errors = memory.errors();
    let totals = memory.totals.remove(0);
    assert!(totals.all.failed > 0 && errors.get(kind) == Some(&totals.all.failed), "{errors:?}, {} ok", totals.all.ok);
    totals
}

fn counts(totals: &PhaseTotals) -> (u64, u64) {
    let count = |times: &Option<Histogram<u64>>| times.as_ref().map_or(0, Histogram::len);
    (count(&totals.all.service), count(&totals.all.response))
}

#[test]
fn every_answer_has_a_time() {
    let busy = serve_replies(AT_ONCE, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n");
    let totals = failures(&plan(busy, &at_a_rate(4, &json!({}))), "status_503");
    assert_eq!(counts(&totals), (totals.all.failed, totals.all.failed));

    let mut looks = operation("GET", json!(["/"]), json!([]));
    looks["http"]["reply"] = json!({"/ok": true});
    let wrong = serve_replies(AT_ONCE, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    let totals = failures(&plan(wrong, &at_a_rate(4, &json!({"operations": [looks]}))), "body");
    assert_eq!(counts(&totals), (totals.all.failed, totals.all.failed));
}

#[test]
fn a_request_that_timed_out_has_taken_that_long() {
    let silent = || serve(|mut stream| while read_request(&mut stream).is_some() {});
    let shared = json!({"transport": {"connections": 1}});
    for changes in [json!({}), shared] {
        let totals = failures(&plan(silent(), &at_a_rate(4, &changes)), "timeout");
        assert_eq!(counts(&totals), (totals.all.failed, totals.all.failed), "{changes}");
        // A histogram keeps three digits, and so may say a little less than was recorded.
        // The timeout counts from the moment at which the request is ready, which may be before it is sent.
        let response = totals.all.response.expect("times");
        assert!(response.min() >= TIMEOUT_NS / 1_000 * 999, "{changes}: {} ns", response.min());
    }
}

#[test]
fn a_connection_that_broke_has_none() {
    let rude = serve(|mut stream| drop(read_request(&mut stream)));
    let totals = failures(&plan(rude, &at_a_rate(4, &json!({}))), "closed");
    assert_eq!(counts(&totals), (0, 0));
}

/// The wait for a slow target is part of the response time, and not the engine's lag.
#[test]
fn waiting_for_the_target_is_not_lag() {
    let delay = Duration::from_millis(300);
    let phase = |users: u32| json!({"name": "r", "rate": 100, "arrival": "constant", "max_virtual_users": users, "duration_ms": 700});
    let for_a_user = json!({"phases": [phase(1)]});
    let for_room = json!({"phases": [phase(8)], "transport": {"connections": 1}});
    let address = slow(delay);
    for changes in [for_a_user, for_room] {
        let memory = run(&plan(address, &changes));
        let totals = &memory.totals[0];
        assert!(totals.all.sent == totals.all.ok && totals.all.ok >= 2, "{} of {}", totals.all.ok, totals.all.sent);
        let (response, lag) = (totals.all.response.as_ref().expect("times"), totals.send_lag.as_ref().expect("times"));
        let delay_ns = delay.as_nanos() as u64;
        assert!(response.max() > delay_ns * 3 / 2, "the last one was due long before: {} ns", response.max());
        assert!(lag.max() < delay_ns, "and was written when it could be: {} ns", lag.max());
    }
}

/// In the closed model each reply is followed by the next request: how late it is shows whether the engine keeps up.
#[test]
fn the_time_from_a_reply_to_the_next_request_is_lag_in_the_closed_model() {
    let phases = json!([{"name": "n", "virtual_users": 2, "iterations": 20}]);
    // The kernel begins to note when replies arrive some time after it is asked to: the first runs may be over by then.
    let lag_of = |changes: &Value| {
        let of_a_run = |_| {
            let mut memory = run(&plan(slow(AT_ONCE), &events::with(json!({"phases": phases}), changes)));
            memory.totals.remove(0).send_lag
        };
        (0..50).find_map(of_a_run).expect("the kernel notes when replies arrive")
    };
    let lag = lag_of(&json!({}));
    assert!((1..=18).contains(&lag.len()), "not of the first requests: {}", lag.len());
    // A message that takes long to render makes the engine late, which shows.
    let large = json!(["{\"a\":\"", {"slot": "pad", "text": "x".repeat(LARGE)}, "\"}"]);
    let slow_to_render = json!({"size_bytes": LARGE, "operations": [operation("POST", json!(["/"]), large)]});
    // The least of several runs of each: a busy machine makes any of them late, and none early.
    let least = |changes: &Value| (0..5).map(|_| lag_of(changes).min()).min().expect("several runs");
    let (slowed, usual) = (least(&slow_to_render), least(&json!({})));
    assert!(slowed > 2 * usual, "{slowed} ns against {usual} ns");
    // Each user rests between its requests: they have a time at which they are due, and the reply does not matter.
    let thinks = lag_of(&json!({"think_time_ms": 20}));
    assert!(thinks.min() < 20_000_000, "{} ns", thinks.min());
}

#[test]
fn times_without_end_are_no_deadlines_in_the_past() {
    let address = slow(AT_ONCE);
    let memory = run(&plan(address, &json!({"transport": {"timeout_ms": u64::MAX}})));
    assert_eq!((memory.ok(), memory.errors().len()), (3, 0));
    let thinks = json!({
        "think_time_ms": f64::MAX, "phases": [{"name": "n", "virtual_users": 2, "duration_ms": 50}],
    });
    assert_eq!(run(&plan(address, &thinks)).ok(), 2, "one request of each user");
}
