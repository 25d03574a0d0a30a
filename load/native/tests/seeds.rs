//! What fuzzers have found so far (`fuzz/seeds`), replayed: one input for each part of the parsers that they reach.

#[path = "../fuzz/entries.rs"]
mod entries;

use std::path::Path;

/// Hands an entry each of its seeds; the last one told is the one that it failed over.
fn replay(name: &str, entry: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/seeds").join(name);
    let mut count = 0;
    for seed in std::fs::read_dir(&folder).expect("seeds") {
        let path = seed.expect("a seed").path();
        println!("{}", path.display());
        entry(&std::fs::read(&path).expect("a seed"));
        count += 1;
    }
    assert!(count > 20, "only {count} seeds in {}", folder.display());
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
