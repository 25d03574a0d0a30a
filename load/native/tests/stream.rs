//! The result stream, as its schema says, and with histograms that other tools can read.

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output};
use std::time::Duration;

use base64::Engine as _;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::Deserializer;
use serde_json::{Value, json};

use crate::support::{self, plan_json, slow};

fn run(address: SocketAddr, changes: &Value) -> (Output, Vec<Value>) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan");
    std::fs::write(&path, plan_json(address, changes).to_string()).expect("written");
    run_plan(&path)
}

fn run_plan(path: &Path) -> (Output, Vec<Value>) {
    let output = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"))
        .args(["run", "--plan"])
        .arg(path)
        .output()
        .expect("the program runs");
    let lines = String::from_utf8(output.stdout.clone()).expect("UTF-8");
    let records = lines.lines().map(|line| serde_json::from_str(line).expect("a record on each line")).collect();
    (output, records)
}

fn answering() -> SocketAddr {
    slow(Duration::ZERO)
}

/// The members that the schema's record of this type requires and allows.
fn members_of(schema: &Value, kind: &str) -> Vec<String> {
    let definition = &schema["$defs"][kind];
    assert_eq!(definition["additionalProperties"], json!(false));
    let mut names: Vec<String> = definition["required"]
        .as_array()
        .expect("names")
        .iter()
        .map(|n| n.as_str().expect("a name").to_owned())
        .collect();
    // Members that an engine may leave out.
    match kind {
        "start" => names.push("checks".to_owned()),
        "second" | "phase_end" => names.push("by_operation".to_owned()),
        _ => {}
    }
    names.sort_unstable();
    names
}

fn schema() -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../lab/src/bakeoff/formats/stream.schema.json");
    serde_json::from_slice(&std::fs::read(path).expect("the contract's schema")).expect("JSON")
}

fn histogram(text: &Value) -> Histogram<u64> {
    let text = text.as_str().expect("a histogram");
    let bytes = base64::engine::general_purpose::STANDARD.decode(text).expect("base64");
    Deserializer::new().deserialize(&mut bytes.as_slice()).expect("the standard encoding")
}

#[test]
fn records_are_as_the_schema_says() {
    let schema = schema();
    let phases = json!([
        {"name": "counted", "virtual_users": 2, "iterations": 30},
        {"name": "rate", "rate": 200, "arrival": "poisson", "max_virtual_users": 4, "duration_ms": 100},
    ]);
    let (output, records) = run(answering(), &json!({"phases": phases}));
    assert!(output.status.success());
    for record in &records {
        let mut names: Vec<String> = record.as_object().expect("an object").keys().cloned().collect();
        names.sort_unstable();
        let kind = record["type"].as_str().expect("a type");
        assert_eq!(names, members_of(&schema, kind), "{record}");
    }
    let kinds: Vec<&str> = records.iter().map(|record| record["type"].as_str().expect("a type")).collect();
    let expected = ["start", "phase_start", "second", "phase_end", "phase_start", "second", "phase_end", "end"];
    assert_eq!(kinds, expected);
    assert_eq!(records[0]["connections"], json!(4));
    assert_eq!(records[7]["reason"], json!("completed"));
    for (second, end) in [(&records[2], &records[3]), (&records[5], &records[6])] {
        for name in
            ["sent", "ok", "failed", "errors", "operations", "bytes_sent", "bytes_received", "service_histogram"]
        {
            assert_eq!(second[name], end[name], "a phase of one second");
        }
    }
}

#[test]
fn a_phase_with_a_steadiness_rule_reports_its_outcome() {
    let rule = json!({"window_s": 3, "tolerance": 0.05});
    let phases = json!([
        {"name": "held", "virtual_users": 1, "duration_ms": 100, "until_steady": rule},
        {"name": "rate", "rate": 50, "arrival": "constant", "max_virtual_users": 4, "duration_ms": 100,
         "until_steady": rule},
    ]);
    let (_, records) = run(answering(), &json!({"phases": phases}));
    let ends = records.iter().filter(|record| record["type"] == "phase_end");
    assert_eq!(ends.map(|end| end.get("steady_after_s")).collect::<Vec<_>>(), [Some(&Value::Null); 2]);
    assert!(schema()["$defs"]["phase_end"]["properties"]["steady_after_s"].is_object());
}

#[test]
fn histograms_hold_every_reply_in_the_agreed_range() {
    let phase = json!({"name": "rate", "rate": 300, "arrival": "constant", "max_virtual_users": 4, "duration_ms": 200});
    let (_, records) = run(answering(), &json!({"phases": [phase]}));
    let end = records.iter().find(|record| record["type"] == "phase_end").expect("the phase ended");
    let ok = end["ok"].as_u64().expect("a count");
    for name in ["service_histogram", "response_histogram", "send_lag_histogram"] {
        let histogram = histogram(&end[name]);
        assert_eq!((histogram.len(), histogram.sigfig(), histogram.low()), (ok, 3, 1), "{name}");
        assert!(histogram.high() >= 3_600_000_000_000, "{name}");
    }
    assert_eq!(ok + end["unsent"].as_u64().expect("a count"), 60);
}

#[test]
fn the_closed_model_has_no_schedule_and_a_lag_from_reply_to_request() {
    let (_, records) = run(answering(), &json!({}));
    let end = records.iter().find(|record| record["type"] == "phase_end").expect("the phase ended");
    assert_eq!(end["response_histogram"], Value::Null);
    assert_eq!(histogram(&end["send_lag_histogram"]).len(), 2, "the first request follows no reply");
    assert_eq!(histogram(&end["service_histogram"]).len(), 3);
}

fn ended(records: &[Value]) -> &Value {
    records.iter().find(|record| record["type"] == "phase_end").expect("the phase ended")
}

/// Two operations: what GET answers fails its check, and POST is answered with another status than expected.
fn two_operations() -> Value {
    let mut read = support::operation("GET", json!(["/"]), json!([]));
    (read["name"], read["http"]["reply"]) = (json!("read"), json!({"/id": 7}));
    let mut write = support::operation("POST", json!(["/"]), json!(["{}"]));
    (write["name"], write["http"]["expect"]) = (json!("write"), json!(201));
    json!([read, write])
}

#[test]
fn outcomes_are_counted_by_operation() {
    let address = support::serve_replies(Duration::ZERO, "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n{\"id\":8}");
    let phase = json!({"name": "one", "virtual_users": 2, "iterations": 400});
    let changes = json!({"phases": [phase], "operations": two_operations(), "verify_share": 0.1});
    let (_, records) = run(address, &changes);
    assert_eq!(records[0]["checks"], json!({"read": 0.1, "write": 0.0}));
    let end = ended(&records);
    let (read, write) = (&end["by_operation"]["read"], &end["by_operation"]["write"]);
    let count = |operation: &Value, name: &str| operation[name].as_u64().expect("a count");
    for name in ["sent", "ok", "failed"] {
        assert_eq!(count(read, name) + count(write, name), count(end, name), "{name}");
    }
    let (reads, writes) = (count(read, "sent"), count(write, "sent"));
    assert!(reads > 150 && writes > 150, "{reads}, {writes}");
    let checked = count(read, "checked");
    assert!(checked.abs_diff(reads / 10) <= 1, "{checked} of {reads}");
    assert_eq!((count(read, "checks_failed"), &read["errors"]), (checked, &json!({"body": checked})));
    assert_eq!(write["errors"], json!({"status_200": writes}));
    assert_eq!((&read["statuses"], &write["statuses"]), (&json!({"200": reads}), &json!({"200": writes})));
    let service = |record: &Value| histogram(&record["service_histogram"]).len();
    assert_eq!((service(read), service(write), service(end)), (reads, writes, 400));
}

#[test]
fn a_request_that_cannot_connect_counts_as_its_operation() {
    let closed = std::net::TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a port");
    let (_, records) = run(closed, &json!({"operations": two_operations()}));
    let end = ended(&records);
    let failed = |name: &str| end["by_operation"][name]["failed"].as_u64().unwrap_or(0);
    assert_eq!((failed("read") + failed("write"), &end["failed"]), (3, &json!(3)));
}

#[test]
fn a_request_of_several_messages_counts_as_the_batch() {
    let batch = json!({"method": "POST", "path": "/bulk", "expect": 200, "open": "[", "separator": ",", "close": "]"});
    let (_, records) = run(answering(), &json!({"batch": batch, "transport": {"batch": 5}}));
    let end = ended(&records);
    assert_eq!((&end["operations"], &end["by_operation"]["batch"]["ok"]), (&json!(15), &json!(3)));
    assert_eq!(end["by_operation"].as_object().expect("operations").len(), 1);
}

fn until_steady(rule: &Value) -> Value {
    json!({"name": "warm-up", "virtual_users": 1, "duration_ms": 100, "until_steady": rule})
}

#[test]
fn a_plan_that_cannot_be_carried_out_ends_the_stream_as_failed() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("plan");
    let plan = plan_json(answering(), &json!({}));
    let changed = |change: &dyn Fn(&mut Value)| {
        let mut plan = plan.clone();
        change(&mut plan);
        plan.to_string()
    };
    for (text, words) in [
        ("{".to_owned(), "the plan is not valid"),
        (changed(&|plan| plan["version"] = json!(2)), "version"),
        (changed(&|plan| plan["surprise"] = json!(1)), "surprise"),
        (changed(&|plan| plan["seed"] = json!("xyz")), "seed"),
        (changed(&|plan| plan["phases"] = json!([])), "phases"),
        (changed(&|plan| plan["phases"][0]["virtual_users"] = json!(0)), "phases"),
        (changed(&|plan| plan["phases"][0] = until_steady(&json!({"window_s": 0, "tolerance": 0.05}))), "window_s"),
        (changed(&|plan| plan["phases"][0] = until_steady(&json!({"window_s": 3, "tolerance": 0}))), "tolerance"),
        (changed(&|plan| plan["operations"][0]["key"] = json!(3)), "key"),
        (changed(&|plan| plan["operations"][0]["needs"] = json!("what")), "nothing creates"),
        (changed(&|plan| plan["operations"][0]["http"] = Value::Null), "not offered over http"),
        (changed(&|plan| plan["transport"]["protocol"] = json!("grpc")), "proto"),
        (changed(&|plan| plan["transport"]["stream"] = json!(true)), "stream"),
        (changed(&|plan| plan["transport"]["window"] = json!(2)), "needs a stream"),
        (changed(&|plan| plan["transport"]["batch"] = json!(2)), "batch"),
        (changed(&|plan| plan["transport"]["host"] = json!("no.such.host.invalid")), "cannot resolve"),
        (changed(&|plan| plan["ledger"] = json!("/no/such/folder/ledger")), "ledger"),
        (changed(&|plan| plan["operations"][0]["variants"][0] = json!([{"slot": "choice", "choices": []}])), "choice"),
    ] {
        std::fs::write(&path, &text).expect("written");
        let (output, records) = run_plan(&path);
        let error = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{words}: {error}");
        assert!(error.contains(words) && !error.contains("panicked"), "{words}: {error}");
        assert_eq!(records.last().expect("a record")["reason"], json!("failed"), "{words}");
    }
}
