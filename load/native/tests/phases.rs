//! How long phases last: to their last reply, whatever else is still waited for.

use std::io::Write;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bakeoff_load::engine::{self, Agent, Options, Steadiness};
use bakeoff_load::results::Summary;
use serde_json::{Value, json};

use crate::support::{Memory, plan, read_request, run, serve};

/// Answers requests with this delay, or not at all, as `answer` says of their numbers, from 0 over all connections.
fn server(answer: impl Fn(usize) -> Option<Duration> + Send + Sync + 'static) -> SocketAddr {
    let count = AtomicUsize::new(0);
    serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            let Some(delay) = answer(count.fetch_add(1, Ordering::SeqCst)) else { continue };
            std::thread::sleep(delay);
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    })
}

fn run_phase(address: SocketAddr, phase: &Value) -> Memory {
    run(&plan(address, &json!({"transport": {"timeout_ms": 1_000}, "phases": [phase]})))
}

/// Two users for 300 ms.
fn held() -> Value {
    json!({"name": "held", "virtual_users": 2, "duration_ms": 300})
}

#[test]
fn a_reply_that_never_comes_does_not_stretch_its_phase() {
    let memory = run_phase(server(|number| (number != 5).then_some(Duration::from_millis(1))), &held());
    let duration_ns = memory.phases[0].duration_ns;
    assert_eq!(memory.errors().get("timeout"), Some(&1));
    assert!((300_000_000..1_000_000_000).contains(&duration_ns), "{duration_ns} ns");
}

#[test]
fn a_target_that_falls_silent_does_not_shorten_its_phase() {
    let memory = run_phase(server(|number| (number < 2).then_some(Duration::ZERO)), &held());
    assert_eq!((memory.ok(), memory.errors().get("timeout")), (2, Some(&2)));
    assert_eq!(memory.phases[0].duration_ns, 300_000_000);
}

#[test]
fn a_reply_after_the_end_stretches_its_phase() {
    let memory = run_phase(server(|_| Some(Duration::from_millis(400))), &held());
    assert_eq!(memory.ok(), 2);
    assert!(memory.phases[0].duration_ns >= 400_000_000, "{} ns", memory.phases[0].duration_ns);
}

#[test]
fn a_late_reply_counts_for_latency_and_not_for_throughput() {
    let stragglers = server(|number| Some(Duration::from_millis(if number < 4 { 10 } else { 500 })));
    let memory = run_phase(stragglers, &held());
    let totals = &memory.totals[0];
    assert_eq!((totals.operations, totals.operations_late, totals.all.ok_late), (6, 2, 2));
    assert_eq!(memory.phases[0].planned_ns, Some(300_000_000), "whenever the last reply came");
    assert!(totals.all.service.as_ref().is_some_and(|times| times.max() >= 490_000_000), "and has its latency");
    let phase = memory.phases[0].clone();
    let rate = Summary { totals: memory.totals.into_iter().next().expect("a phase"), phase }.requests_per_second();
    assert!((rate - 4.0 / 0.3).abs() < 1e-6, "{rate}/s");
}

#[test]
fn a_number_of_requests_has_no_planned_end() {
    let phase = json!({"name": "counted", "virtual_users": 1, "iterations": 2});
    let memory = run_phase(server(|_| Some(Duration::ZERO)), &phase);
    assert_eq!((memory.phases[0].planned_ns, memory.totals[0].operations_late), (None, 0));
}

/// Two users until a second is like the one before.
fn until_steady(duration_ms: u64) -> Value {
    let rule = json!({"window_s": 1, "tolerance": 0.5});
    json!({"name": "warm-up", "virtual_users": 2, "duration_ms": duration_ms, "until_steady": rule})
}

#[test]
fn a_phase_ends_as_soon_as_it_is_steady() {
    let warming_up = server(|number| Some(Duration::from_millis(if number < 8 { 250 } else { 10 })));
    let memory = run_phase(warming_up, &until_steady(20_000));
    let phase = &memory.phases[0];
    let Some(Steadiness::AfterSeconds(seconds)) = phase.steadiness else { panic!("{phase:?}") };
    assert!((3..20).contains(&seconds), "{seconds} s: no second is like the first");
    assert!((seconds..20).contains(&(phase.duration_ns / 1_000_000_000)), "{phase:?}");
    assert_eq!(
        (memory.ok(), memory.errors().len()),
        (memory.totals[0].all.sent, 0),
        "what was in flight is waited for"
    );
}

#[test]
fn what_falls_due_after_an_early_end_is_not_unsent() {
    let phase = json!({
        "name": "warm-up", "rate": 500, "arrival": "constant", "max_virtual_users": 8, "duration_ms": 20_000,
        "until_steady": until_steady(20_000)["until_steady"],
    });
    let memory = run_phase(server(|_| Some(Duration::ZERO)), &phase);
    assert!(matches!(memory.phases[0].steadiness, Some(Steadiness::AfterSeconds(_))));
    // Of ten thousand; on a busy machine all users may be at work for a moment.
    assert!(memory.errors().is_empty() && memory.phases[0].unsent < 1_000, "{} unsent", memory.phases[0].unsent);
}

#[test]
fn a_phase_that_is_never_steady_ends_in_the_end() {
    let memory = run_phase(server(|_| Some(Duration::ZERO)), &until_steady(300));
    assert_eq!(memory.phases[0].steadiness, Some(Steadiness::Never));
    assert!(memory.phases[0].duration_ns >= 300_000_000);
}

#[test]
fn one_of_several_engines_ends_no_phase_early() {
    let address = server(|_| Some(Duration::from_millis(10)));
    let plan = plan(address, &json!({"phases": [until_steady(3_000)]}));
    let agent = Agent { index: 0, of: 2 };
    let mut memory = Memory::default();
    let options = Options { threads: 1, agent, instructions: None, interrupted: Arc::default() };
    engine::run(&plan, &options, &mut memory).expect("the plan is carried out");
    assert_eq!(memory.phases[0].steadiness, None);
    assert!(memory.phases[0].duration_ns >= 3_000_000_000);
}

#[test]
fn counted_requests_are_waited_for() {
    let phase = json!({"name": "counted", "virtual_users": 1, "iterations": 2});
    let memory = run_phase(server(|number| (number == 0).then_some(Duration::ZERO)), &phase);
    assert_eq!((memory.ok(), memory.errors().get("timeout")), (1, Some(&1)));
    assert!(memory.phases[0].duration_ns >= 1_000_000_000, "{} ns", memory.phases[0].duration_ns);
}
