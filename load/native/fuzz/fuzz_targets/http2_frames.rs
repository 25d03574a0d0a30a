//! The gRPC client with two requests under way: each must have one outcome, whatever the server sends.
#![no_main]

use std::sync::{Arc, LazyLock};

use bakeoff_load::wire::h2::{Grpc, GrpcCalls};
use bakeoff_load::wire::{Reply, Request, Wire};
use libfuzzer_sys::fuzz_target;

static UNARY: LazyLock<Arc<GrpcCalls>> = LazyLock::new(|| Arc::new(GrpcCalls::new("localhost:1", &["p.S/M"], false)));
static STREAM: LazyLock<Arc<GrpcCalls>> = LazyLock::new(|| Arc::new(GrpcCalls::new("localhost:1", &["p.S/M"], true)));

fuzz_target!(|bytes: &[u8]| {
    let Some((first, bytes)) = bytes.split_first() else { return };
    let calls = if first & 1 == 0 { &UNARY } else { &STREAM };
    let mut wire = Grpc::new(calls);
    let mut out = Vec::new();
    let mut outcomes = 0;
    wire.greet(&mut out);
    for tag in 0..2 {
        wire.send(&Request { tag, call: 0, path: &[], body: &[7; 100] }, &mut out);
    }
    let mut sink = |_: Reply<'_>| outcomes += 1;
    let mut pieces = bytes.chunks(1 + usize::from(first >> 1));
    let _ = pieces.try_for_each(|piece| wire.receive(piece, &mut out, &mut sink));
    wire.abandon(&mut |_| outcomes += 1);
    assert_eq!(outcomes, 2);
});
