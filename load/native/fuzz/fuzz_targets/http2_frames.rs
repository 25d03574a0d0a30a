#![no_main]

#[path = "../entries.rs"]
#[allow(dead_code, reason = "each target has its own entry")]
mod entries;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| entries::http2_frames(bytes));
