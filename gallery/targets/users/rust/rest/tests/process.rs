//! The process: its settings, its start and its end.

use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::process::{Command, Stdio};

const TARGET: &str = env!("CARGO_BIN_EXE_user-service-rust-rest");

#[test]
fn an_unusable_setting_ends_the_start() {
    let output = Command::new(TARGET).env("STORE", "redis").output().expect("it can be started");
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(String::from_utf8_lossy(&output.stderr), "error: STORE is \"redis\": use postgresql or memory\n");
}

#[test]
fn it_serves_until_sigterm() {
    let mut target = Command::new(TARGET)
        .envs([("STORE", "memory"), ("SERVER_PORT", "0"), ("LOG_FORMAT", "text")])
        .stdout(Stdio::piped())
        .spawn()
        .expect("it can be started");
    let mut lines = BufReader::new(target.stdout.take().expect("piped")).lines();
    let listening = lines.next().expect("a line").expect("text");
    let address = listening.split_whitespace().find_map(|word| word.strip_prefix("address="));
    assert!(TcpStream::connect(address.expect("the address is logged")).is_ok(), "{listening}");
    let sent = Command::new("kill").arg(target.id().to_string()).status().expect("kill runs");
    assert!(sent.success());
    assert!(target.wait().expect("it ends").success());
    let last = lines.last().expect("a line").expect("text");
    assert!(last.contains("stopped"), "{last}");
}
