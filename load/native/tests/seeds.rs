//! Replays the inputs in `fuzz/seeds`: at least one for each part of the parsers that fuzzing has reached.

use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::entries;

/// Runs an entry on each of its seeds; the last line printed is the seed that it failed on.
fn replay(name: &str, entry: fn(&[u8])) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name).with_extension("base64");
    let seeds = std::fs::read_to_string(&path).expect("seeds");
    let mut count = 0;
    for (index, line) in seeds.lines().enumerate() {
        println!("{}:{}", path.display(), index + 1);
        entry(&STANDARD.decode(line).expect("base64"));
        count += 1;
    }
    assert!(count > 20, "only {count} seeds in {}", path.display());
}

#[test]
fn http_replies() {
    replay("http_reply", entries::http_reply);
}

#[test]
fn http_2_frames() {
    replay("http2_frames", entries::http2_frames);
}

#[test]
fn header_blocks() {
    replay("header_blocks", entries::header_blocks);
}

#[test]
fn plans() {
    replay("plan", entries::plan);
}
