//! Mistakes on the command line are explained in terms of the options.

use std::process::{Command, Output};

fn bakeoff_load(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bakeoff-load"));
    command.args(arguments).env_remove("TLS_CERT_FILE").env_remove("TLS_KEY_FILE").output().expect("it runs")
}

fn message(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A closed port: no request is ever sent to it.
const HTTP: &str = "http://127.0.0.1:1/";
const GRPC: &str = "grpc://127.0.0.1:1/com.example.grpc.EventService/ProcessEvent";
const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/support/events/event_service.proto");

#[test]
fn invalid_options_are_refused_before_anything_is_sent() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage: bakeoff-load hit"),
        (&["localhost:8081"], "bakeoff-load: \"localhost:8081\" is not a URL of an HTTP server: write http://"),
        (&[HTTP, "-u", "0"], "'0' for '--users <N>'"),
        (&[HTTP, "-d", "soon", "-z", "soon"], "\"soon\" is not a duration: write 500ms, 10s or 2m"),
        (&[HTTP, "--rate", "0"], "'--rate <N>': must be a number from 0.1 to 1000000"),
        (&[HTTP, "--rate", "10", "-n", "5"], "-n counts requests and --rate sends for a duration"),
        (&[HTTP, "--rate", "10", "--think", "1s"], "cannot be used with"),
        (&[HTTP, "--threads", "0"], "'--threads <N>': must be 1 to 256"),
        (&[HTTP, "--connections", "0"], "'--connections <N>': must be a whole number"),
        (
            &[HTTP, "-m", "TWO WORDS"],
            "There is no method \"TWO WORDS\". Methods: GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS.",
        ),
        (&[HTTP, "-H", "novalue"], "\"novalue\" is not a header: write 'Name: value'."),
        (
            &[HTTP, "-H", "Content-Length: 3"],
            "The engine sets content-length itself (it is the body's): leave out -H 'Content-Length: 3'.",
        ),
        (&[HTTP, "--slots", "-d", "${uid}"], "bakeoff-load: template: no such slot `${uid}`; known are uuid, "),
        (&[HTTP, "--data", "@/no/such/file"], "/no/such/file cannot be read: No such file or directory."),
        (&[HTTP, "--proto", PROTO], "--proto applies to grpc and grpcs only"),
        (&[HTTP, "--stream"], "--stream applies to grpc and grpcs only"),
        (&[HTTP, "--ca-file", "ca.pem"], "--ca-file applies to https and grpcs only"),
        (&["https://127.0.0.1:1/", "--expect", "200", "--ca-file", "/no/such/file"], "cannot use /no/such/file: "),
        (&[GRPC, "--proto", "/no/such/file.proto"], "--proto /no/such/file.proto: there is no such file."),
        (&[GRPC, "--proto", PROTO, "-H", "TE: trailers"], "The engine sets te itself"),
        (&[GRPC, "--proto", PROTO, "-m", "PUT"], "--method applies to http and https only"),
        (&[GRPC, "--proto", PROTO, "-d", "{\"a\":1}"], "com.example.grpc.EventRequest has no field a"),
        (
            &["grpc://127.0.0.1:1/a.B/C", "--proto", PROTO],
            "bakeoff-load: proto: no service a.B. Services: com.example.grpc.EventService",
        ),
        (
            &["grpc://127.0.0.1:1/com.example.grpc.EventService/C", "--proto", PROTO],
            "bakeoff-load: proto: no method com.example.grpc.EventService/C. Methods of com.example.grpc.EventService: ",
        ),
    ];
    for (arguments, words) in cases {
        let output = bakeoff_load(&[&["hit"], *arguments].concat());
        let message = message(&output);
        assert!(message.contains(words), "{arguments:?}: expected {words:?} in:\n{message}");
        assert!(!message.contains("the plan is not valid"), "{arguments:?} name no plan:\n{message}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}

#[test]
fn a_certificate_alone_is_not_enough() {
    let output = bakeoff_load(&["null", "--tls-cert", "certificate.pem"]);
    assert!(message(&output).contains("--tls-key <FILE>"), "{}", message(&output));
    assert_eq!(output.status.code(), Some(2));
    let output = bakeoff_load(&["null", "--tls-cert", "/no/such/file", "--tls-key", "/no/such/file"]);
    assert!(message(&output).contains("bakeoff-load: cannot use /no/such/file: "), "{}", message(&output));
}
