//! Hundreds of thousands of damaged inputs, the same on every run: nothing panics, and nothing goes on for ever.
//! `fuzz/` holds the same entries for a fuzzer that learns.

use std::sync::Arc;

use bakeoff_load::failure::Failure;
use bakeoff_load::plan::Plan;
use bakeoff_load::random::Draws;
use bakeoff_load::wire::h2::hpack::Decoder;
use bakeoff_load::wire::h2::{Http2, Http2Calls, frame, messages};
use bakeoff_load::wire::http1::ReplyParser;
use bakeoff_load::wire::{Reply, Request, Wire};
use bakeoff_load::workload::Workload;
use serde_json::json;

use crate::support;

/// Damaged copies of some inputs: bytes changed, taken out, doubled, or put together from two of them.
fn damaged(seeds: &[Vec<u8>], number: u32) -> Vec<u8> {
    let mut draws = Draws::of_event(0, 0, number);
    let mut pick = |n: usize| draws.below(n.max(1) as u64) as usize;
    let mut bytes = seeds[pick(seeds.len())].clone();
    for _ in 0..=pick(4) {
        let at = pick(bytes.len());
        let end = (at + pick(12)).min(bytes.len());
        match pick(6) {
            0 if !bytes.is_empty() => bytes[at] = pick(256) as u8,
            1 if !bytes.is_empty() => bytes[at] ^= 1 << pick(8),
            2 => _ = bytes.drain(at..end),
            3 => {
                let piece = bytes[at..end].to_vec();
                bytes.splice(at..at, piece);
            }
            4 => bytes.truncate(at),
            _ => {
                let other = &seeds[pick(seeds.len())];
                let from = pick(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
        }
    }
    bytes
}

#[test]
fn http_replies() {
    let seeds: Vec<Vec<u8>> = [
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 12\r\n\r\n{\"ok\":true}\nHTTP/1.1 204 \r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n3;a=b\r\nabc\r\nff\r\n0123\r\n0\r\nT: v\r\n\r\n",
        "HTTP/1.0 503 Service Unavailable\r\nConnection: keep-alive, close\r\nRetry-After: 1\r\n\r\nuntil the end",
        "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 99999999999999999\r\n\r\n",
    ]
    .map(|text| text.as_bytes().to_vec())
    .into();
    let mut replies = 0;
    for number in 0..200_000 {
        let bytes = damaged(&seeds, number);
        let mut parser = ReplyParser::default();
        'pieces: for piece in bytes.chunks(1 + number as usize % 40) {
            let mut input = piece;
            while !input.is_empty() {
                match parser.feed(&mut input) {
                    Ok(Some(reply)) => {
                        assert!(reply.status == 101 || (200..1_000).contains(&reply.status));
                        replies += 1;
                    }
                    Ok(None) => assert!(input.is_empty(), "what is not used is never offered again"),
                    Err(_) => break 'pieces,
                }
            }
        }
        parser.end();
    }
    assert!(replies > 10_000, "only {replies} inputs were good enough to get far");
}

fn frames() -> Vec<Vec<u8>> {
    let mut settings = Vec::new();
    frame::write_settings(&[(1, 0), (3, 100), (4, 10), (5, 16_384)], &mut settings);
    frame::write_window_update(0, 1_000, &mut settings);
    frame::write_head(8, frame::kind::PING, 0, 0, &mut settings);
    settings.extend_from_slice(b"12345678");
    let mut reply = Vec::new();
    frame::write_settings(&[], &mut reply);
    let block = b"\x88\x5f\x8b\x1d\x75\xd0\x62\x0d\x26\x3d\x4c\x4d\x65\x64";
    frame::write_head(block.len(), frame::kind::HEADERS, frame::flag::END_HEADERS, 1, &mut reply);
    reply.extend_from_slice(block);
    let message = [messages::prefix(2).as_slice(), b"\x08\x01"].concat();
    frame::write_head(message.len(), frame::kind::DATA, 0, 1, &mut reply);
    reply.extend_from_slice(&message);
    let trailers = b"\x40\x0bgrpc-status\x010\x40\x88\x9a\xca\xc8\xb2\x12\x34\xda\x8f\x02ok";
    let flags = frame::flag::END_HEADERS | frame::flag::END_STREAM;
    frame::write_head(trailers.len(), frame::kind::HEADERS, flags, 1, &mut reply);
    reply.extend_from_slice(trailers);
    let mut ends = reply[..20].to_vec();
    frame::write_reset(1, 7, &mut ends);
    frame::write_head(8, frame::kind::GOAWAY, 0, 0, &mut ends);
    ends.extend_from_slice(&[0, 0, 0, 1, 0, 0, 0, 0]);
    vec![settings, reply, ends]
}

#[test]
fn http_2_frames() {
    let seeds = frames();
    let mut answered = 0;
    for is_stream in [false, true] {
        let calls = Arc::new(Http2Calls::new("localhost:1", &["p.S/M"], is_stream));
        for number in 0..100_000 {
            let bytes = damaged(&seeds, number);
            let mut wire = Http2::new(&calls);
            let mut out = Vec::new();
            let mut sent = 0;
            let mut replies = 0;
            wire.greet(&mut out);
            for tag in 0..2 {
                wire.send(&Request { tag, call: 0, path: &[], headers: &[], body: &[7; 100] }, &mut out);
                sent += 1;
            }
            let mut sink = |reply: Reply<'_>| {
                assert!(reply.tag < 2);
                replies += 1;
            };
            let mut pieces = bytes.chunks(1 + number as usize % 60);
            let received = pieces.try_for_each(|piece| wire.receive(piece, &mut out, &mut sink));
            assert!(matches!(received, Ok(()) | Err(Failure::Malformed)));
            wire.abandon(&mut |_| replies += 1);
            assert_eq!(sent, replies, "each request has one outcome");
            answered += u64::from(received.is_ok());
        }
    }
    assert!(answered > 10_000, "only {answered} inputs were good enough to get far");
}

#[test]
fn header_blocks() {
    let seeds: Vec<Vec<u8>> = vec![
        b"\x88\x5f\x8b\x1d\x75\xd0\x62\x0d\x26\x3d\x4c\x4d\x65\x64\x3f\xe1\x1f\x0f\x10\x03abc".to_vec(),
        b"\x40\x0bgrpc-status\x010\xbe\x7f\x81\x01\x04text\x20\xc0".to_vec(),
        b"\x48\x82\x64\x02\x58\x85\xae\xc3\x77\x1a\x4b\x61\x96\xd0\x7a\xbe\x94\x10\x54\xd4\x44\xa8\x20\x05".to_vec(),
    ];
    let mut good = 0;
    for number in 0..200_000 {
        let mut decoder = Decoder::default();
        let bytes = damaged(&seeds, number);
        good += u64::from(decoder.decode(&bytes).is_ok());
        // Whatever it was, what follows is decoded in the same table.
        good += u64::from(decoder.decode(b"\x88\xbe").is_ok());
    }
    assert!(good > 10_000, "only {good} inputs were good enough to get far");
}

#[test]
fn plans() {
    let plan = support::plan_json(
        "127.0.0.1:1".parse().expect("an address"),
        &json!({
            "keys": [{"name": "k", "format": ["k-", {"slot": "user"}],
                      "reuse": {"share": 0.5, "pick": "zipf", "s": 1.1, "shared": 3}}],
            "transport": {"headers": {"a": "b"}, "tls": {"ca_file": "/a", "server_name": "b"}}, "preload": 7,
            "operations": [{
                "name": "all", "weight": 3, "key": 0, "grpc": null, "creates": "thing", "needs": null,
                "http": {"method": "PUT", "path": ["/", {"slot": "key"}], "headers": {"a": "b"}, "expect": 200,
                         "reply": {"/ok": true}, "capture": {"id": "/id"}},
                "variants": [["{\"a\":", {"slot": "integer", "min": -1, "max": 9}, ",\"b\":\"", {"slot": "uuid"}, "\",\"c\":",
                              {"slot": "decimal", "min": 100, "max": 999, "scale": 2}, ",\"d\":\"",
                              {"slot": "date", "from": 2000, "to": 2026}, {"slot": "pad", "text": "xxxx"}, "\"}"]],
                "effect": {"kind": "merge", "document": "", "key": [["a"], [{"slot": "key"}]]},
            }],
        }),
    );
    let seeds = vec![plan.to_string().into_bytes()];
    let mut good = 0;
    for number in 0..30_000 {
        if let Ok(plan) = Plan::parse(&damaged(&seeds, number)) {
            good += u64::from(Workload::compile(&plan).is_ok());
        }
    }
    assert!(good > 300, "only {good} inputs were good enough to get far");
}
