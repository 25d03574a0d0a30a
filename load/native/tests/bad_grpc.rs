//! Targets that misbehave over gRPC: every failure is counted by its kind, and the run goes on.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use bakeoff_load::wire::h2::frame::{self, DEFAULT_MAX_FRAME, FrameHead, HEADER_BYTES, PREFACE, flag, kind};
use bakeoff_load::wire::h2::messages::{self, LONGEST_MESSAGE};
use serde_json::{Value, json};

use crate::support::Memory;
use crate::{events, support};

const HEADERS: &[u8] = b"\x88";
const TRAILERS_OK: &[u8] = b"\x00\x0bgrpc-status\x010";
const TRAILERS_UNAVAILABLE: &[u8] = b"\x88\x00\x0bgrpc-status\x0214";
/// `EventResponse { success: true }`.
const REPLY: &[u8] = b"\x08\x01";

/// A server's side of a connection, frame by frame.
struct Peer {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Peer {
    fn greet(mut stream: TcpStream) -> Option<Self> {
        let mut preface = [0; PREFACE.len()];
        stream.read_exact(&mut preface).ok()?;
        assert_eq!(&preface, PREFACE);
        let mut peer = Self { stream, bytes: Vec::new() };
        frame::write_settings(&[], &mut peer.bytes);
        peer.flush()?;
        Some(peer)
    }

    fn flush(&mut self) -> Option<()> {
        self.stream.write_all(&std::mem::take(&mut self.bytes)).ok()
    }

    /// The next frame; none when the client is gone.
    fn frame(&mut self) -> Option<(FrameHead, Vec<u8>)> {
        let mut head = [0; HEADER_BYTES];
        self.stream.read_exact(&mut head).ok()?;
        let head = FrameHead::read(&head)?;
        let mut payload = vec![0; head.length];
        self.stream.read_exact(&mut payload).ok()?;
        Some((head, payload))
    }

    /// The stream of the next request that is complete.
    fn request(&mut self) -> Option<u32> {
        loop {
            let (head, _) = self.frame()?;
            if head.kind == kind::DATA && head.has(flag::END_STREAM) {
                return Some(head.stream);
            }
        }
    }

    fn write(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) -> &mut Self {
        frame::write_head(payload.len(), kind, flags, stream, &mut self.bytes);
        self.bytes.extend_from_slice(payload);
        self
    }

    fn headers(&mut self, stream: u32) -> &mut Self {
        self.write(kind::HEADERS, flag::END_HEADERS, stream, HEADERS)
    }

    fn message(&mut self, stream: u32, message: &[u8]) -> &mut Self {
        let framed = [messages::prefix(message.len()).as_slice(), message].concat();
        self.write(kind::DATA, 0, stream, &framed)
    }

    fn trailers(&mut self, stream: u32, trailers: &[u8]) -> &mut Self {
        self.write(kind::HEADERS, flag::END_HEADERS | flag::END_STREAM, stream, trailers)
    }

    fn answer(&mut self, stream: u32) -> Option<()> {
        self.headers(stream).message(stream, REPLY).trailers(stream, TRAILERS_OK).flush()
    }
}

type Outcome = (u64, BTreeMap<String, u64>, u64);

/// The outcomes of three requests to a server that behaves like this with each.
fn outcome(changes: &Value, handle: impl Fn(&mut Peer, u32) -> Option<()> + Send + Sync + 'static) -> Outcome {
    let memory = run_against(changes, handle);
    (memory.ok(), memory.errors(), memory.connections_opened())
}

fn run_against(changes: &Value, handle: impl Fn(&mut Peer, u32) -> Option<()> + Send + Sync + 'static) -> Memory {
    let address = support::serve(move |stream| {
        let Some(mut peer) = Peer::greet(stream) else { return };
        while let Some(stream) = peer.request() {
            if handle(&mut peer, stream).is_none() {
                return;
            }
        }
    });
    support::run(&events::plan(address, changes))
}

fn errors(kind: &str, count: u64) -> BTreeMap<String, u64> {
    BTreeMap::from([(kind.to_owned(), count)])
}

#[test]
fn a_good_server() {
    assert_eq!(outcome(&json!({}), Peer::answer), (3, BTreeMap::new(), 1));
}

#[test]
fn trailers_that_come_late() {
    let late = |peer: &mut Peer, stream: u32| {
        peer.headers(stream).message(stream, REPLY).flush()?;
        std::thread::sleep(Duration::from_millis(20));
        peer.trailers(stream, TRAILERS_OK).flush()
    };
    assert_eq!(outcome(&json!({}), late), (3, BTreeMap::new(), 1));
}

#[test]
fn trailers_that_never_come() {
    let changes = json!({"transport": {"timeout_ms": 50}});
    let never = |peer: &mut Peer, stream: u32| peer.headers(stream).message(stream, REPLY).flush();
    assert_eq!(outcome(&changes, never), (0, errors("timeout", 3), 1), "a call is given up, not its connection");
}

#[test]
fn a_status_in_trailers_only() {
    let unavailable = |peer: &mut Peer, stream: u32| peer.trailers(stream, TRAILERS_UNAVAILABLE).flush();
    assert_eq!(outcome(&json!({}), unavailable), (0, errors("grpc_UNAVAILABLE", 3), 1));
}

#[test]
fn an_end_without_a_status() {
    let silent = |peer: &mut Peer, stream: u32| {
        peer.headers(stream).message(stream, REPLY).write(kind::DATA, flag::END_STREAM, stream, b"").flush()
    };
    assert_eq!(outcome(&json!({}), silent), (0, errors("malformed", 3), 1));
}

#[test]
fn success_without_a_message() {
    let empty = |peer: &mut Peer, stream: u32| peer.headers(stream).trailers(stream, TRAILERS_OK).flush();
    assert_eq!(outcome(&json!({}), empty), (0, errors("malformed", 3), 1));
}

#[test]
fn content_that_is_wrong() {
    let failing =
        |peer: &mut Peer, stream: u32| peer.headers(stream).message(stream, b"").trailers(stream, TRAILERS_OK).flush();
    assert_eq!(outcome(&json!({}), failing), (0, errors("body", 3), 1));
}

#[test]
fn another_http_status() {
    let forbidden = |peer: &mut Peer, stream: u32| peer.trailers(stream, b"\x08\x03403").flush();
    assert_eq!(outcome(&json!({}), forbidden), (0, errors("status_403", 3), 1));
}

#[test]
fn a_reply_without_end() {
    let endless = |peer: &mut Peer, stream: u32| {
        peer.headers(stream).flush()?;
        let piece = [0; DEFAULT_MAX_FRAME];
        (0..=LONGEST_MESSAGE / piece.len()).try_for_each(|_| peer.write(kind::DATA, 0, stream, &piece).flush())
    };
    assert_eq!(outcome(&json!({}), endless), (0, errors("malformed", 3), 1), "a call is given up, not its connection");
}

#[test]
fn header_blocks_in_pieces() {
    let pieces = |peer: &mut Peer, stream: u32| {
        let (first, rest) = TRAILERS_OK.split_at(4);
        peer.headers(stream).message(stream, REPLY).write(kind::HEADERS, flag::END_STREAM, stream, first);
        peer.write(kind::CONTINUATION, 0, stream, &rest[..2]);
        peer.write(kind::CONTINUATION, flag::END_HEADERS, stream, &rest[2..]).flush()
    };
    assert_eq!(outcome(&json!({}), pieces), (3, BTreeMap::new(), 1));
}

#[test]
fn a_reset_after_the_end_does_not_stretch_its_phase() {
    let reset_late = |peer: &mut Peer, stream: u32| {
        std::thread::sleep(Duration::from_millis(300));
        peer.write(kind::RST_STREAM, 0, stream, &2_u32.to_be_bytes()).flush()
    };
    let held = json!({"phases": [{"name": "held", "virtual_users": 1, "duration_ms": 100}]});
    let memory = run_against(&held, reset_late);
    assert_eq!((memory.errors(), memory.phases[0].duration_ns), (errors("stream_reset", 1), 100_000_000));
}

#[test]
fn reset_streams() {
    let reset = |peer: &mut Peer, stream: u32| peer.write(kind::RST_STREAM, 0, stream, &2_u32.to_be_bytes()).flush();
    assert_eq!(outcome(&json!({}), reset), (0, errors("stream_reset", 3), 1));
}

#[test]
fn going_away_before_an_answer() {
    let leave = |peer: &mut Peer, _| peer.write(kind::GOAWAY, 0, 0, &[0; 8]).flush();
    assert_eq!(outcome(&json!({}), leave), (0, errors("goaway", 3), 6), "each is sent again once");
}

#[test]
fn refused_streams_are_sent_again_once_and_counted() {
    static REQUESTS: AtomicU32 = AtomicU32::new(0);
    let refuse = |peer: &mut Peer, stream: u32| peer.write(kind::RST_STREAM, 0, stream, &7_u32.to_be_bytes()).flush();
    let refuse_every_other = move |peer: &mut Peer, stream: u32| {
        if REQUESTS.fetch_add(1, Ordering::Relaxed).is_multiple_of(2) {
            refuse(peer, stream)
        } else {
            peer.answer(stream)
        }
    };
    let memory = run_against(&json!({}), refuse_every_other);
    assert_eq!((memory.ok(), memory.errors(), memory.totals[0].all.sent), (3, BTreeMap::new(), 3));
    assert_eq!(memory.totals[0].resent, 3);
    assert_eq!(outcome(&json!({}), refuse), (0, errors("stream_refused", 3), 1));
}

#[test]
fn going_away_with_answers_still_to_come() {
    let leave = |peer: &mut Peer, stream: u32| {
        let last = [stream.to_be_bytes(), [0; 4]].concat();
        peer.write(kind::GOAWAY, 0, 0, &last).answer(stream)
    };
    assert_eq!(outcome(&json!({}), leave), (3, BTreeMap::new(), 3), "answered, then its own connection for each");
}

#[test]
fn bytes_for_a_closing_connection_are_not_sent_on_the_next_one() {
    let leave = |peer: &mut Peer, stream: u32| {
        let last = [stream.to_be_bytes(), [0; 4]].concat();
        peer.write(kind::GOAWAY, 0, 0, &last).write(kind::PING, 0, 0, &[0; 8]).answer(stream)
    };
    assert_eq!(outcome(&json!({}), leave), (3, BTreeMap::new(), 3), "each connection begins with the preface");
}

#[test]
fn an_end_in_mid_reply() {
    let hang_up = |peer: &mut Peer, stream: u32| {
        peer.headers(stream).flush();
        None
    };
    assert_eq!(outcome(&json!({}), hang_up), (0, errors("closed", 3), 3));
}

#[test]
fn frames_that_are_no_frames() {
    let garbage = |peer: &mut Peer, _| peer.stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").ok();
    assert_eq!(outcome(&json!({}), garbage), (0, errors("malformed", 3), 3));
}

#[test]
fn a_stream_that_ends_early_fails_what_waits_on_it() {
    let address = support::serve(|stream| {
        let Some(mut peer) = Peer::greet(stream) else { return };
        // One message is answered; the next is met with the end of the call.
        let mut answered = false;
        while let Some((head, payload)) = peer.frame() {
            if head.kind != kind::DATA || payload.is_empty() {
                continue;
            }
            let done = if answered {
                peer.trailers(head.stream, b"\x00\x0bgrpc-status\x0214").flush()
            } else {
                peer.headers(head.stream).message(head.stream, REPLY).flush()
            };
            answered = !answered;
            if done.is_none() {
                return;
            }
        }
    });
    let changes = json!({
        "transport": {"protocol": "grpc", "stream": true},
        "phases": [{"name": "one", "virtual_users": 1, "iterations": 6}],
    });
    let memory = support::run(&events::plan(address, &changes));
    assert_eq!((memory.ok(), memory.errors()), (3, errors("grpc_UNAVAILABLE", 3)));
    assert_eq!(memory.connections_opened(), 1, "a new call on the same connection");
}
