//! All integration tests in one program: as one for each file, they would be linked thirty times.

mod agents;
#[path = "support/authority.rs"]
mod authority;
mod bad_grpc;
mod bad_http;
mod command_line;
mod dropped_merges;
#[path = "../fuzz/entries.rs"]
mod entries;
#[path = "support/events.rs"]
mod events;
mod flows;
mod hit;
mod hostile_input;
mod http2;
mod http_requests;
mod interoperation;
mod key_value;
mod lone_requests;
mod models;
mod null_tls;
mod phases;
mod ports;
mod protobuf;
mod read_back;
mod real_apis;
mod rendering;
mod seeds;
mod sessions;
mod shared_keys;
mod stream;
mod support;
mod times;
mod tls;
mod verified_reads;

use std::collections::BTreeSet;
use std::path::Path;

/// A file that `main.rs` does not name would never be compiled.
#[test]
fn every_file_of_tests_belongs_to_this_program() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let files = std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let names: BTreeSet<_> = files
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .filter(|name| name != "main" && !include_str!("main.rs").lines().any(|line| line == format!("mod {name};")))
        .collect();
    assert_eq!(names, BTreeSet::new());
}
