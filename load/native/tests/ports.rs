//! Local ports used up: counted by kind, and the users that have a connection go on.

use std::process::Command;

use serde_json::{Value, json};

/// A separate network that has four local ports, with the null server and ten users in it.
const SCRIPT: &str = r#"
set -eu
ip link set lo up
echo "40000 40003" > /proc/sys/net/ipv4/ip_local_port_range
"$1" null --listen 127.0.0.1:7000 > "$2" &
server=$!
trap 'kill $server' EXIT
until [ -s "$2" ]; do kill -0 $server; done
"$1" hit http://127.0.0.1:7000/ --users 10 --requests 200 --expect 200 --json --no-capacity
"#;

const NAMESPACE: [&str; 3] = ["--user", "--map-root-user", "--net"];

#[test]
fn users_without_a_port_fail_and_the_others_go_on() {
    let may = Command::new("unshare").args(NAMESPACE).args(["ip", "link"]).output();
    if !may.is_ok_and(|done| done.status.success()) {
        eprintln!("skipped: needs `unshare` and `ip`, and leave to make a network namespace");
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new("unshare");
    command.args(NAMESPACE).args(["sh", "-c", SCRIPT, "sh", env!("CARGO_BIN_EXE_bakeoff-load")]);
    let done = command.arg(folder.path().join("listening")).output().expect("the program runs");
    let summary: Value = serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("no summary: {done:?}"));
    let failed = &summary["errors"]["ports_exhausted"];
    assert!(failed.as_u64().is_some_and(|count| count >= 6), "six of ten users find no port: {summary}");
    assert_eq!(summary["requests"], json!(200), "{summary}");
    assert_eq!(summary["ok"].as_u64(), Some(200 - failed.as_u64().expect("a number")), "{summary}");
}
