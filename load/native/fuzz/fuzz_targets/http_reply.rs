//! The HTTP reply parser, fed in pieces whose size the first byte tells.
#![no_main]

use bakeoff_load::wire::http1::ReplyParser;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let mut parser = ReplyParser::default();
    for piece in bytes.chunks(1 + usize::from(*size)) {
        let mut input = piece;
        while !input.is_empty() {
            match parser.feed(&mut input) {
                Ok(Some(reply)) => assert!(reply.status >= 200),
                Ok(None) => assert!(input.is_empty()),
                Err(_) => return,
            }
        }
    }
    parser.end();
});
