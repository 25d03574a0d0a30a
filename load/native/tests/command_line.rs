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
const PROTO: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../contract/events/event_service.proto");

#[test]
fn invalid_options_are_refused_before_anything_is_sent() {
    let cases: &[(&[&str], &str)] = &[
        (&[], "Usage: bakeoff-load run"),
        (&["localhost:8081"], "localhost:8081: a URL must begin with http://"),
        (&[HTTP, "-u", "0"], "'--users <N>': must be a whole number, at least 1"),
        (&[HTTP, "-d", "soon"], "'--duration <TIME>': must be a duration such as 500ms, 30s or 5m"),
        (&[HTTP, "-d", "0s"], "'--duration <TIME>': must be longer than zero"),
        (&[HTTP, "--rate", "0"], "'--rate <N>': must be a number above zero"),
        (&[HTTP, "--rate", "10", "-n", "5"], "'--rate <N>' cannot be used with '--requests <N>'"),
        (&[HTTP, "--rate", "10", "--think", "1s"], "cannot be used with"),
        (&[HTTP, "-n", "5", "-d", "5s"], "cannot be used with"),
        (&[HTTP, "--threads", "0"], "'--threads <N>': must be a whole number"),
        (&[HTTP, "-c", "0"], "'--connections <N>': must be a whole number"),
        (&[HTTP, "-X", "TWO WORDS"], "must be one word, such as PUT"),
        (&[HTTP, "-H", "novalue"], "error: header \"novalue\": write it as `Name: value`"),
        (
            &[HTTP, "-H", "Content-Length: 3"],
            "error: header \"Content-Length: 3\": the engine writes this header itself",
        ),
        (&[HTTP, "-H", "transfer-encoding: chunked"], "chunked\": the engine writes this header itself: remove it"),
        (&[HTTP, "-H", "a: b\r\nc: d"], "error: header \"a: b\\r\\nc: d\": the value must be printable ASCII"),
        (&[HTTP, "-H", "a\r\nb: c"], "the name may contain only letters, digits and"),
        (&[HTTP, "-H", "Host: a", "-H", "host: b"], "only one Host is allowed"),
        (&[HTTP, "-b", "${uid}"], "error: template: no such slot `${uid}`; known are uuid, "),
        (&[HTTP, "-b", "@/no/such/file"], "cannot read /no/such/file"),
        (&[HTTP, "--proto", PROTO], "error: --proto applies to grpc and grpcs only"),
        (&[HTTP, "--stream"], "error: --stream applies to grpc and grpcs only"),
        (&[HTTP, "--ca-file", "ca.pem"], "error: --ca-file applies to https and grpcs only"),
        (&["https://127.0.0.1:1/", "--ca-file", "/no/such/file"], "cannot use the authorities in /no/such/file"),
        (&[GRPC], "error: gRPC needs the service's definition: --proto FILE"),
        (&[GRPC, "--proto", "/no/such/file.proto"], "error: cannot use /no/such/file.proto: "),
        (&[GRPC, "--proto", PROTO, "-H", "TE: trailers"], "error: header \"TE: trailers\": the engine writes this"),
        (&[GRPC, "--proto", PROTO, "-X", "PUT"], "error: --method applies to http and https only"),
        (&[GRPC, "--proto", PROTO, "-b", "{\"a\":1}"], "com.example.grpc.EventRequest has no field a"),
        (&["grpc://127.0.0.1:1/a.B/C", "--proto", PROTO], "error: proto: no method a.B/C"),
        (&["--plan", "plan.json", "--rate", "5"], "'--plan <FILE>' cannot be used with"),
    ];
    for (arguments, words) in cases {
        let output = bakeoff_load(&[&["run"], *arguments].concat());
        let message = message(&output);
        assert!(message.contains(words), "{arguments:?}: expected {words:?} in:\n{message}");
        assert!(!message.contains("the plan is not valid"), "{arguments:?} name no plan:\n{message}");
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{arguments:?}");
    }
}

#[test]
fn a_run_without_success_explains_why_and_fails() {
    let output = bakeoff_load(&["run", HTTP, "-n", "3", "-u", "1"]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("failed           3  refused: nothing listens on this port\n"), "{text}");
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_certificate_alone_is_not_enough() {
    let output = bakeoff_load(&["null", "--tls-cert", "certificate.pem"]);
    assert!(message(&output).contains("--tls-key <FILE>"), "{}", message(&output));
    assert_eq!(output.status.code(), Some(2));
    let output = bakeoff_load(&["null", "--tls-cert", "/no/such/file", "--tls-key", "/no/such/file"]);
    assert!(message(&output).contains("error: cannot use /no/such/file: "), "{}", message(&output));
}
