//! Shared by the tests: plans, an observer that remembers, and servers made of threads.
#![allow(dead_code, reason = "each test file uses its own part of it")]

pub mod shop;

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use bakeoff_load::engine::{self, Agent, Observer, Options, PhaseRecord, SecondRecord, StartRecord};
use bakeoff_load::plan::Plan;
use bakeoff_load::results::PhaseTotals;
use serde_json::{Value, json};

/// A plan of one operation, `POST /things`, for a few requests; members of `changes` replace its own.
pub fn plan_json(address: SocketAddr, changes: &Value) -> Value {
    let mut plan = json!({
        "version": 1, "workload": "test", "target": "test", "mode": "test", "payload": "default",
        "run": "0badcafe", "seed": "0123456789abcdef", "base_time_ms": 1_768_473_000_000_u64,
        "transport": {"protocol": "http", "host": address.ip().to_string(), "port": address.port(),
                      "connections": null, "batch": 1, "stream": false, "timeout_ms": 5_000},
        "proto": null,
        "phases": [{"name": "one", "virtual_users": 1, "iterations": 3}],
        "think_time_ms": 0,
        "thresholds": {"p95_ms": 2_000, "p99_ms": 5_000, "error_rate": 0.05},
        "keys": [], "size_bytes": null,
        "operations": [operation("POST", json!(["/things"]), json!(["{\"a\":", {"slot": "sequence"}, "}"]))],
        "batch": null, "stream": null, "ledger": null, "verify_share": 1,
    });
    merge(&mut plan, changes);
    plan
}

pub fn plan(address: SocketAddr, changes: &Value) -> Plan {
    let plan = plan_json(address, changes);
    Plan::parse(&serde_json::to_vec(&plan).expect("JSON")).expect("a plan")
}

/// An operation without key and effect.
pub fn operation(method: &str, path: Value, message: Value) -> Value {
    json!({
        "name": "thing", "weight": 1, "key": null, "grpc": null, "creates": null, "needs": null, "effect": null,
        "http": {"method": method, "path": path, "headers": {}, "expect": 200, "reply": {}, "capture": {}},
        "variants": [message],
    })
}

pub fn merge(into: &mut Value, changes: &Value) {
    match (into, changes) {
        (Value::Object(into), Value::Object(changes)) => {
            for (name, value) in changes {
                merge(into.entry(name.clone()).or_insert(Value::Null), value);
            }
        }
        (into, changes) => *into = changes.clone(),
    }
}

/// Records everything.
#[derive(Debug, Default)]
pub struct Memory {
    pub start: Option<StartRecord>,
    pub seconds: Vec<SecondRecord>,
    pub totals: Vec<PhaseTotals>,
    pub phases: Vec<PhaseRecord>,
    pub warnings: Vec<String>,
    pub interrupted: Option<bool>,
}

impl Memory {
    pub fn ok(&self) -> u64 {
        self.totals.iter().map(|totals| totals.all.ok).sum()
    }

    pub fn connections_opened(&self) -> u64 {
        self.phases.iter().map(|phase| phase.connections_opened).sum()
    }

    /// Failures by the names that the result stream gives them.
    pub fn errors(&self) -> BTreeMap<String, u64> {
        let mut errors = BTreeMap::new();
        for (failure, count) in self.totals.iter().flat_map(|totals| &totals.all.errors) {
            *errors.entry(failure.name().into_owned()).or_insert(0) += count;
        }
        errors
    }
}

impl Observer for Memory {
    fn start(&mut self, record: &StartRecord) {
        self.start = Some(record.clone());
    }

    fn phase_start(&mut self, _phase: usize, _name: &str, _users: u32, _unix_ns: u64) {
        self.totals.push(PhaseTotals::default());
    }

    fn second(&mut self, record: &SecondRecord) {
        if let Some(totals) = self.totals.last_mut() {
            totals.add(&record.tally);
        }
        let (phase, second, unix_ns) = (record.phase, record.second, record.unix_ns);
        self.seconds.push(SecondRecord { phase, second, unix_ns, tally: record.tally.clone() });
    }

    fn phase_end(&mut self, record: &PhaseRecord) {
        self.phases.push(record.clone());
    }

    fn warning(&mut self, message: &str) {
        self.warnings.push(message.to_owned());
    }

    fn end(&mut self, interrupted: bool, _unix_ns: u64) {
        self.interrupted = Some(interrupted);
    }
}

pub fn run(plan: &Plan) -> Memory {
    run_on(plan, 1, Arc::default())
}

pub fn run_on(plan: &Plan, threads: u32, interrupted: Arc<AtomicBool>) -> Memory {
    let mut memory = Memory::default();
    engine::run(plan, &Options { threads, agent: Agent::default(), instructions: None, interrupted }, &mut memory)
        .expect("the plan is carried out");
    memory
}

/// Serves each connection in its own thread, until the test ends.
pub fn serve(handle: impl Fn(TcpStream) + Send + Sync + 'static) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    serve_on(listener, handle);
    address
}

pub fn serve_on(listener: TcpListener, handle: impl Fn(TcpStream) + Send + Sync + 'static) {
    let handle = Arc::new(handle);
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let handle = Arc::clone(&handle);
            std::thread::spawn(move || handle(stream));
        }
    });
}

/// A server that delays each reply.
pub fn slow(delay: Duration) -> SocketAddr {
    serve_replies(delay, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
}

/// A server that answers each request with these bytes, and takes this long for it.
pub fn serve_replies(delay: Duration, reply: &'static str) -> SocketAddr {
    serve(move |mut stream| {
        while read_request(&mut stream).is_some() {
            std::thread::sleep(delay);
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    })
}

/// Reads one request: its head and its body. None when the client is gone.
pub fn read_request(stream: &mut impl Read) -> Option<(String, Vec<u8>)> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 65_536];
    loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            let head = String::from_utf8(bytes[..end].to_vec()).expect("a head");
            let length = head
                .lines()
                .find_map(|line| line.strip_prefix("Content-Length: "))
                .map_or(0, |length| length.parse::<usize>().expect("a length"));
            while bytes.len() < end + 4 + length {
                let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
                bytes.extend_from_slice(&buffer[..count]);
            }
            return Some((head, bytes[end + 4..].to_vec()));
        }
        let count = stream.read(&mut buffer).ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&buffer[..count]);
    }
}
