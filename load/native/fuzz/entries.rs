//! The fuzzed entries and their invariants. `cargo test` replays the seeds through the same entries.

use std::sync::{Arc, LazyLock};

use bakeoff_load::failure::Failure;
use bakeoff_load::plan::Plan;
use bakeoff_load::wire::h2::hpack::Decoder;
use bakeoff_load::wire::h2::{Http2, Http2Calls};
use bakeoff_load::wire::http1::ReplyParser;
use bakeoff_load::wire::{Reply, Request, Wire};
use bakeoff_load::workload::Workload;

/// The HTTP reply parser, fed in pieces whose size is the first byte.
pub fn http_reply(bytes: &[u8]) {
    let Some((size, bytes)) = bytes.split_first() else { return };
    let mut parser = ReplyParser::default();
    for piece in bytes.chunks(1 + usize::from(*size)) {
        let mut input = piece;
        while !input.is_empty() {
            match parser.feed(&mut input) {
                Ok(Some(reply)) => {
                    assert!(reply.status == 101 || (200..1_000).contains(&reply.status), "an interim reply is none");
                }
                Ok(None) => assert!(input.is_empty(), "what is not used is never offered again"),
                Err(_) => return,
            }
        }
    }
    parser.end();
}

static UNARY: LazyLock<Arc<Http2Calls>> = LazyLock::new(|| Arc::new(Http2Calls::new("localhost:1", &["p.S/M"], false)));
static STREAM: LazyLock<Arc<Http2Calls>> = LazyLock::new(|| Arc::new(Http2Calls::new("localhost:1", &["p.S/M"], true)));

/// The gRPC client with two requests in flight, unary or on a stream: each must have one outcome.
pub fn http2_frames(bytes: &[u8]) {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let calls = if first & 1 == 0 { &UNARY } else { &STREAM };
    let mut wire = Http2::new(calls);
    let mut out = Vec::new();
    let mut outcomes = 0;
    wire.greet(&mut out);
    for tag in 0..2 {
        wire.send(&Request { tag, call: 0, path: &[], headers: &[], body: &[7; 100] }, &mut out);
    }
    let mut sink = |reply: Reply<'_>| {
        assert!(reply.tag < 2);
        outcomes += 1;
    };
    let mut pieces = bytes.chunks(1 + usize::from(first >> 1));
    let received = pieces.try_for_each(|piece| wire.receive(piece, &mut out, &mut sink));
    assert!(matches!(received, Ok(()) | Err(Failure::Malformed)));
    wire.abandon(&mut |_| outcomes += 1);
    assert_eq!(outcomes, 2, "each request has one outcome");
}

/// Header blocks of one connection, each preceded by its length: they share a table.
pub fn header_blocks(bytes: &[u8]) {
    let mut decoder = Decoder::default();
    let mut rest = bytes;
    while let Some((length, after)) = rest.split_first() {
        let (block, next) = after.split_at(after.len().min(usize::from(*length)));
        let _ = decoder.decode(block);
        rest = next;
    }
}

/// The plan parser, and all that is compiled from a plan.
pub fn plan(bytes: &[u8]) {
    if let Ok(plan) = Plan::parse(bytes) {
        let _ = Workload::compile(&plan);
    }
}
