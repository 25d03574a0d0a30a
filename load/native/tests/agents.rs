//! Several engines that carry out one plan together.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Lines, Write};
use std::net::SocketAddr;
use std::process::{Child, ChildStdin, ChildStdout, Command, Output, Stdio};
use std::sync::{Arc, Mutex};

use bakeoff_load::engine::{self, Agent, Options};
use bakeoff_load::plan::Plan;
use serde_json::{Value, json};

use crate::support::{Memory, operation, plan, plan_json, read_request, serve};

/// Messages that the server was sent since they were last taken, each with its user and sequence.
#[derive(Clone, Default)]
struct Received(Arc<Mutex<Vec<(u64, u64)>>>);

impl Received {
    fn server() -> (Self, SocketAddr) {
        let seen = Self::default();
        let messages = Arc::clone(&seen.0);
        let address = serve(move |mut stream| {
            while let Some((_, body)) = read_request(&mut stream) {
                let body: Value = serde_json::from_slice(&body).expect("JSON");
                let number = |name: &str| body[name].as_u64().expect("a number");
                messages.lock().expect("unbroken").push((number("user"), number("sequence")));
                if stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").is_err() {
                    return;
                }
            }
        });
        (seen, address)
    }

    fn take(&self) -> Vec<(u64, u64)> {
        std::mem::take(&mut *self.0.lock().expect("unbroken"))
    }
}

fn changes(phases: &Value) -> Value {
    let message = json!(["{\"user\":", {"slot": "user"}, ",\"sequence\":", {"slot": "sequence"}, "}"]);
    json!({"phases": phases, "operations": [operation("POST", json!(["/"]), message)]})
}

fn run_agent(plan: &Plan, threads: u32, index: u32, of: u32) -> Memory {
    let agent = Agent { index, of };
    let mut memory = Memory::default();
    let options = Options { threads, agent, instructions: None, interrupted: Arc::default() };
    engine::run(plan, &options, &mut memory).expect("the plan is carried out");
    memory
}

#[test]
fn users_connections_and_iterations_are_divided() {
    let (seen, address) = Received::server();
    let phases = json!([{"name": "few", "virtual_users": 3, "iterations": 20},
                        {"name": "more", "virtual_users": 7, "iterations": 100}]);
    let plan = plan(address, &changes(&phases));
    for threads in [1, 2] {
        let (mut users, mut messages, mut ok, mut connections) = (BTreeSet::new(), BTreeSet::new(), 0, 0);
        for index in 0..3 {
            let memory = run_agent(&plan, threads, index, 3);
            ok += memory.ok();
            connections += memory.connections_opened();
            let sent = seen.take();
            let own: BTreeSet<u64> = sent.iter().map(|(user, _)| *user).collect();
            assert!(own.iter().all(|user| user % 3 == u64::from(index)), "{own:?}");
            users.extend(own);
            for message in sent {
                assert!(messages.insert(message), "sent twice: {message:?}");
            }
        }
        assert_eq!((ok, messages.len(), connections), (120, 120, 7));
        // Of several threads the quickest may take all iterations, and leave nothing to the users of another.
        if threads == 1 {
            assert_eq!(users, (0..7).collect());
        }
    }
}

#[test]
fn constant_arrivals_are_divided_without_a_rest() {
    let (_, address) = Received::server();
    let phases = json!([{"name": "rate", "rate": 100, "arrival": "constant", "max_virtual_users": 6,
                         "duration_ms": 250}]);
    let plan = plan(address, &changes(&phases));
    let due = |index| {
        let memory = run_agent(&plan, 1, index, 2);
        memory.totals[0].all.sent + memory.phases[0].unsent
    };
    assert_eq!((due(0), due(1)), (13, 12));
}

fn program(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bakeoff-load")).arg("run").args(arguments).output().expect("the program runs")
}

/// An agent whose plan and instructions come by standard input.
struct Instructed {
    process: Child,
    input: Option<ChildStdin>,
    stream: Lines<BufReader<ChildStdout>>,
}

impl Instructed {
    fn start(agent: &str, plan: &Value) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"))
            .args(["run", "--plan", "-", "--agent", agent])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program runs");
        let stream = BufReader::new(process.stdout.take().expect("piped")).lines();
        let mut agent = Self { input: process.stdin.take(), process, stream };
        agent.instruct(&plan.to_string());
        agent
    }

    fn instruct(&mut self, line: &str) {
        let input = self.input.as_mut().expect("open");
        writeln!(input, "{line}").and_then(|()| input.flush()).expect("written");
    }

    /// The next record of a type.
    fn next(&mut self, kind: &str) -> Value {
        loop {
            let line = self.stream.next().expect("a record").expect("text");
            let record: Value = serde_json::from_str(&line).expect("JSON");
            if record["type"] == kind {
                return record;
            }
        }
    }
}

#[test]
fn each_phase_starts_at_its_instruction() {
    let (seen, address) = Received::server();
    let phases = json!([{"name": "first", "virtual_users": 3, "duration_ms": 20},
                        {"name": "second", "virtual_users": 5, "duration_ms": 20}]);
    let mut agent = Instructed::start("2/2", &plan_json(address, &changes(&phases)));
    assert_eq!(agent.next("start")["connections"], 2);
    assert_eq!(agent.next("ready")["phase"], 0);
    agent.instruct("clock 7");
    let clock = agent.next("clock");
    assert_eq!(clock["id"], 7);
    assert!(seen.take().is_empty(), "nothing is sent before the instruction");
    let at = clock["time_unix_ns"].as_u64().expect("a time") + 50_000_000;
    agent.instruct(&format!("go {at}"));
    let begin = agent.next("phase_start");
    assert_eq!(begin["virtual_users"], 1);
    assert_eq!(begin["time_unix_ns"], at);
    assert_eq!(agent.next("ready")["phase"], 1);
    agent.instruct("go");
    assert_eq!(agent.next("phase_start")["virtual_users"], 2);
    assert_eq!(agent.next("end")["reason"], "completed");
    assert!(agent.process.wait().expect("ended").success());
    assert_eq!(seen.take().iter().map(|(user, _)| *user).collect::<BTreeSet<_>>(), [1, 3].into());
}

#[test]
fn an_agent_ends_with_its_instructions() {
    for has_started in [false, true] {
        let (_, address) = Received::server();
        let phases = json!([{"name": "long", "virtual_users": 1, "duration_ms": 600_000}]);
        let mut agent = Instructed::start("1/1", &plan_json(address, &changes(&phases)));
        agent.next("ready");
        if has_started {
            agent.instruct("go");
            agent.next("second");
        }
        drop(agent.input.take());
        assert_eq!(agent.next("end")["reason"], "interrupted");
        assert!(agent.process.wait().expect("ended").success());
    }
}

#[test]
fn an_agent_stops_when_instructed_to() {
    let (_, address) = Received::server();
    let phases = json!([{"name": "long", "virtual_users": 1, "duration_ms": 600_000}]);
    let mut agent = Instructed::start("1/1", &plan_json(address, &changes(&phases)));
    agent.next("ready");
    agent.instruct("go");
    agent.next("phase_start");
    agent.instruct("stop");
    assert_eq!(agent.next("end")["reason"], "interrupted");
    assert!(agent.process.wait().expect("ended").success());
}

#[test]
fn an_invalid_agent_is_refused() {
    let output = program(&["--plan", "x", "--agent", "3/2"]);
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(
        message.contains("must be K/N, such as 2/3: the number of this engine and how many there are"),
        "{message}"
    );
}
