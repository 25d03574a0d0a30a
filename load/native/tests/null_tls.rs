//! The null server inside TLS, driven by the engine. `models.rs` drives it without.

use std::net::SocketAddr;
use std::time::Duration;

use bakeoff_load::null::{Delay, Server, server_config};
use bakeoff_load::plan::Plan;
use serde_json::{Value, json};

use crate::authority::Authority;
use crate::events;
use crate::support::{Memory, plan, run};

/// The protocol of the authority's own server, in whose place the null server stands here.
const UNUSED: &str = "";

/// A server in its own thread, until the test ends.
fn serve(change: impl FnOnce(Server) -> Server) -> SocketAddr {
    // A gRPC reply that says `success`, which the plan of the events expects.
    let server = change(Server::bind("127.0.0.1:0", b"{}", &[8, 1]).expect("a port"));
    let address = server.address().expect("an address");
    std::thread::spawn(move || server.serve());
    address
}

fn encrypted(authority: &Authority) -> impl FnOnce(Server) -> Server {
    let config = server_config(&authority.file("certificate.pem"), &authority.file("key.pem"));
    let config = config.expect("certificate and key");
    move |server| server.encrypted(config)
}

fn plans(address: SocketAddr, changes: &Value) -> [Plan; 2] {
    [plan(address, changes), events::plan(address, changes)]
}

fn assert_all_answered(memory: &Memory, requests: u64) {
    assert_eq!((memory.ok(), memory.connections_opened()), (requests, 4), "{:?}", memory.errors());
}

#[test]
fn both_protocols_are_answered_on_one_port() {
    let authority = Authority::new(UNUSED);
    let phases = json!([{"name": "all", "virtual_users": 4, "iterations": 200}]);
    let tls = json!({"phases": phases, "transport": {"tls": authority.tls()}});
    for plan in plans(serve(encrypted(&authority)), &tls) {
        assert_all_answered(&run(&plan), 200);
    }
}

#[test]
fn streams_of_messages_of_many_records_are_answered() {
    let authority = Authority::new(UNUSED);
    let address = serve(encrypted(&authority));
    let phases = json!([{"name": "all", "virtual_users": 4, "iterations": 100}]);
    let transport = json!({"tls": authority.tls(), "stream": true, "window": 8});
    let plan = events::plan(address, &json!({"phases": phases, "transport": transport, "size_bytes": 65_536}));
    assert_all_answered(&run(&plan), 100);
}

#[test]
fn replies_take_their_time() {
    let authority = Authority::new(UNUSED);
    let delay = Delay { usual: Duration::from_millis(20), ..Delay::default() };
    let address = serve(|server| encrypted(&authority)(server.delayed(delay)));
    for plan in plans(address, &json!({"transport": {"tls": authority.tls()}})) {
        let memory = run(&plan);
        assert_eq!(memory.ok(), 3, "{:?}", memory.errors());
        let service = memory.totals[0].all.service.as_ref().expect("times");
        assert!(service.min() >= 19_000_000, "{}", service.min());
    }
}

#[test]
fn a_client_without_tls_gets_an_alert_and_the_others_continue() {
    let authority = Authority::new(UNUSED);
    let address = serve(encrypted(&authority));
    let memory = run(&plan(address, &json!({})));
    assert_eq!(memory.errors(), [("malformed".to_owned(), 3)].into(), "the alert is no HTTP");
    assert_eq!(run(&plan(address, &json!({"transport": {"tls": authority.tls()}}))).ok(), 3);
}

#[test]
fn files_that_cannot_be_used_are_named() {
    let (authority, other) = (Authority::new(UNUSED), Authority::new(UNUSED));
    let (certificate, key) = (authority.file("certificate.pem"), authority.file("key.pem"));
    let absent = authority.file("absent.pem");
    for (certificate, key, named) in [
        (&absent, &key, &absent),
        (&certificate, &absent, &absent),
        (&key, &key, &key),
        (&certificate, &certificate, &certificate),
        (&certificate, &other.file("key.pem"), &certificate),
    ] {
        let error = server_config(certificate, key).expect_err("unusable").to_string();
        assert!(error.starts_with(&format!("cannot use {}: ", named.display())), "{error}");
    }
}
