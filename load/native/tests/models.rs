//! Phases, models and the null server, end to end.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;

use crate::events;
use crate::support::{plan, read_request, run, run_on, serve, slow};

/// A null server in its own process, ended with the test.
struct Null {
    child: Child,
    address: SocketAddr,
}

impl Null {
    fn start() -> Self {
        // The reply that the events workload expects: `EventResponse { success: true }`.
        Self::with(&["--grpc-reply", "0801"])
    }

    fn with(options: &[&str]) -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"))
            .arg("null")
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("it says where it listens");
        let address = line.trim().strip_prefix("listening ").expect("the address").parse().expect("an address");
        Self { child, address }
    }

    fn signal(&self, signal: rustix::process::Signal) {
        let pid = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(pid, signal).expect("signalled");
    }
}

impl Drop for Null {
    fn drop(&mut self) {
        self.child.kill().expect("ended");
        self.child.wait().expect("gone");
    }
}

#[test]
fn the_null_server_answers_all_that_the_engine_can_ask() {
    let null = Null::start();
    let phases = json!([{"name": "all", "virtual_users": 20, "iterations": 500}]);
    let batch = json!({
        "phases": phases,
        "batch": {"method": "POST", "path": "/bulk", "expect": 200, "open": "[", "separator": ",", "close": "]"},
        "transport": {"batch": 7},
    });
    let over_http = [json!({"phases": phases}), json!({"phases": phases, "transport": {"connections": 3}}), batch];
    let over_grpc = [
        json!({"phases": phases}),
        json!({"phases": phases, "size_bytes": 65_536}),
        json!({"phases": phases, "transport": {"protocol": "grpc", "connections": 1}}),
        json!({"phases": phases, "transport": {"protocol": "grpc", "stream": true, "window": 8}}),
        json!({"phases": phases, "transport": {"protocol": "grpc", "batch": 7}}),
    ];
    let plans = over_http.iter().map(|changes| plan(null.address, changes));
    for plan in plans.chain(over_grpc.iter().map(|changes| events::plan(null.address, changes))) {
        let memory = run(&plan);
        let operations: u64 = memory.totals.iter().map(|totals| totals.operations).sum();
        let expected = (500, 500 * u64::from(plan.transport.batch), u64::from(plan.connections()));
        assert_eq!((memory.ok(), operations, memory.connections_opened()), expected, "{:?}", plan.transport);
        assert!(memory.errors().is_empty(), "{:?}", memory.errors());
    }
}

#[test]
fn replies_of_a_known_time_are_measured_as_such() {
    let null = Null::with(&["--delay", "2ms", "--slow-every", "10", "--slow-delay", "20ms", "--grpc-reply", "0801"]);
    let phases = json!([{"name": "all", "virtual_users": 4, "iterations": 200}]);
    let over_http = plan(null.address, &json!({"phases": phases}));
    for plan in [over_http, events::plan(null.address, &json!({"phases": phases}))] {
        let memory = run(&plan);
        assert_eq!(memory.ok(), 200, "{:?}", memory.errors());
        let service = memory.totals[0].all.service.as_ref().expect("times");
        // A histogram keeps three digits, and so may say a little less than was recorded.
        assert!(service.min() >= 1_990_000, "{} ns", service.min());
        let slow = service.count_between(19_900_000, u64::MAX);
        assert!(slow >= 200 / 10 - 1, "{slow} replies were slow");
    }
}

#[test]
fn connections_stay_from_phase_to_phase() {
    let accepted = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&accepted);
    let address = serve(move |mut stream| {
        count.fetch_add(1, Ordering::SeqCst);
        while read_request(&mut stream).is_some() {
            if stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n").is_err() {
                return;
            }
        }
    });
    let phase = |users: u32| json!({"name": "phase", "virtual_users": users, "iterations": 40});
    let memory = run(&plan(address, &json!({"phases": [phase(2), phase(5), phase(3), phase(4)]})));
    let opened: Vec<u64> = memory.phases.iter().map(|phase| phase.connections_opened).collect();
    assert_eq!(opened, [2, 3, 0, 1]);
    assert_eq!(accepted.load(Ordering::SeqCst), 6);
    assert!(memory.totals.iter().all(|totals| totals.all.ok == 40));
}

#[test]
fn threads_share_users_requests_and_rates() {
    let null = Null::start();
    let closed = plan(null.address, &json!({"phases": [{"name": "n", "virtual_users": 7, "iterations": 1_000}]}));
    let memory = run_on(&closed, 3, Arc::default());
    assert_eq!((memory.ok(), memory.connections_opened()), (1_000, 7));
    let open = json!({"phases": [
        {"name": "r", "rate": 1_000, "arrival": "constant", "max_virtual_users": 30, "duration_ms": 300}
    ]});
    let memory = run_on(&plan(null.address, &open), 3, Arc::default());
    assert_eq!(memory.ok() + memory.phases[0].unsent, 300);
}

#[test]
fn think_time_sets_the_pace_of_a_user() {
    let null = Null::start();
    let changes = json!({
        "think_time_ms": 20, "phases": [{"name": "slow", "virtual_users": 3, "duration_ms": 200}],
    });
    let memory = run(&plan(null.address, &changes));
    // At the most one request at once and one after each pause that fits.
    assert!((3..=3 * 10).contains(&memory.ok()), "{}", memory.ok());
    assert!(memory.totals[0].all.response.is_some(), "with think time requests have an instant at which they are due");
}

#[test]
fn more_than_a_target_can_take_is_counted_as_unsent() {
    let address = serve(|mut stream| while read_request(&mut stream).is_some() {});
    let changes = json!({
        "transport": {"timeout_ms": 200},
        "phases": [{"name": "r", "rate": 100, "arrival": "constant", "max_virtual_users": 2, "duration_ms": 100}],
    });
    let memory = run(&plan(address, &changes));
    assert_eq!(memory.totals[0].all.sent, 2, "both users wait for replies that never come");
    assert_eq!(memory.phases[0].unsent, 8);
    let by_second: u64 = memory.seconds.iter().map(|second| second.tally.unsent).sum();
    assert_eq!(by_second, 8);
    assert_eq!(memory.errors().get("timeout"), Some(&2));
}

#[test]
fn what_is_late_after_a_second_is_the_whole_backlog() {
    let address = serve(|mut stream| while read_request(&mut stream).is_some() {});
    let changes = json!({
        "transport": {"timeout_ms": 2_500},
        "phases": [{"name": "r", "rate": 20, "arrival": "constant", "max_virtual_users": 2, "duration_ms": 2_000}],
    });
    let memory = run(&plan(address, &changes));
    let late: Vec<(u64, u64)> =
        memory.seconds.iter().map(|second| (second.tally.unsent, second.tally.late)).take(2).collect();
    assert_eq!(late, [(18, 18), (20, 38)], "two are in flight; of the others all are late, and stay it");
}

/// Replies that come after the end find a schedule that is over; requests that wait for a connection are forgotten.
#[test]
fn every_scheduled_request_is_sent_or_unsent() {
    let address = slow(Duration::from_millis(150));
    for (users, connections) in [(2, None), (10, Some(1))] {
        let changes = json!({
            "transport": {"connections": connections},
            "phases": [
                {"name": "r", "rate": 100, "arrival": "constant", "max_virtual_users": users, "duration_ms": 100},
            ],
        });
        let memory = run(&plan(address, &changes));
        let (sent, unsent) = (memory.totals[0].all.sent, memory.phases[0].unsent);
        assert_eq!(sent + unsent, 10, "{users} users: {sent} sent, {unsent} not");
        let by_second: u64 = memory.seconds.iter().map(|second| second.tally.unsent).sum();
        assert_eq!(by_second, unsent, "{users} users");
    }
}

/// The point of the open model: a target that stands still is seen to stand still, by every request that was due.
#[test]
fn a_stalled_target_shows_in_the_response_time() {
    let null = Null::start();
    let changes = json!({"phases": [
        {"name": "r", "rate": 1_000, "arrival": "constant", "max_virtual_users": 10, "duration_ms": 2_000}
    ]});
    let plan = plan(null.address, &changes);
    let (memory, stalled) = std::thread::scope(|scope| {
        let load = scope.spawn(|| run(&plan));
        std::thread::sleep(Duration::from_millis(300));
        let begun = Instant::now();
        null.signal(rustix::process::Signal::STOP);
        std::thread::sleep(Duration::from_millis(1_000));
        let stalled = begun.elapsed();
        null.signal(rustix::process::Signal::CONT);
        (load.join().expect("the load"), stalled)
    });
    let totals = &memory.totals[0];
    let response = totals.all.response.as_ref().expect("a schedule");
    let at_least_ns = (stalled - Duration::from_millis(50)).as_nanos() as u64;
    assert!(response.max() >= at_least_ns, "{} ms", response.max() / 1_000_000);
    let late = response.count_between(at_least_ns / 2, u64::MAX);
    assert!(late >= 400, "{late} requests were due in the first half of the stall");
    let slow = totals.all.service.as_ref().expect("times").count_between(at_least_ns / 2, u64::MAX);
    assert!(slow <= 10, "service time alone hides it: {slow} requests were in flight");
}

#[test]
fn an_interruption_ends_the_run_with_what_there_is() {
    let null = Null::start();
    let endless = json!({"name": "long", "virtual_users": 2, "duration_ms": 3_600_000});
    let plan = plan(null.address, &json!({"phases": [endless, endless]}));
    let interrupted = Arc::new(AtomicBool::new(false));
    let switch = Arc::clone(&interrupted);
    let memory = std::thread::scope(|scope| {
        let load = scope.spawn(|| run_on(&plan, 1, interrupted));
        std::thread::sleep(Duration::from_millis(100));
        switch.store(true, Ordering::SeqCst);
        load.join().expect("the load")
    });
    assert_eq!(memory.interrupted, Some(true));
    assert_eq!(memory.phases.len(), 1, "the second phase is never begun");
    assert!(memory.phases[0].interrupted && memory.errors().is_empty());
    assert_eq!(memory.totals[0].all.sent, memory.ok());
}
