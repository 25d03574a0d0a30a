//! gRPC calls: only their boundaries are parsed; header blocks are never decoded.

use std::collections::HashMap;

use crate::wire::h2::frame::{self, FrameHead, flag, kind, setting};

pub use crate::wire::h2::frame::PREFACE;

const WINDOW: u32 = 1 << 30;
/// A window is widened again once this much of it is used.
const REPLENISH: u32 = 1 << 20;
const MAX_STREAMS: u32 = 10_000;
/// Bytes before a message: compressed or not, and its length.
const PREFIX_BYTES: usize = 5;

/// The frames of the reply; only the stream's number differs.
#[derive(Debug)]
pub struct Reply {
    headers: Vec<u8>,
    message: Vec<u8>,
    trailers: Vec<u8>,
}

impl Reply {
    /// Prepares a reply out of an encoded message.
    pub fn new(message: &[u8]) -> Self {
        // `:status 200` and `content-type: application/grpc`; `grpc-status: 0`. Nothing is indexed.
        let headers = [b"\x88\x0f\x10\x10".as_slice(), b"application/grpc"].concat();
        let trailers = b"\x00\x0bgrpc-status\x010".to_vec();
        let length = (message.len() as u32).to_be_bytes();
        Self { headers, message: [&[0], length.as_slice(), message].concat(), trailers }
    }

    fn write_headers(&self, stream: u32, out: &mut Vec<u8>) {
        frame::write_head(self.headers.len(), kind::HEADERS, flag::END_HEADERS, stream, out);
        out.extend_from_slice(&self.headers);
    }

    fn write_message(&self, stream: u32, out: &mut Vec<u8>) {
        frame::write_head(self.message.len(), kind::DATA, 0, stream, out);
        out.extend_from_slice(&self.message);
    }

    fn write_trailers(&self, stream: u32, out: &mut Vec<u8>) {
        let flags = flag::END_HEADERS | flag::END_STREAM;
        frame::write_head(self.trailers.len(), kind::HEADERS, flags, stream, out);
        out.extend_from_slice(&self.trailers);
    }
}

/// A call whose message, or whose end, is still to come.
#[derive(Debug, Default)]
struct Call {
    has_headers: bool,
    /// The bytes of a message's prefix so far.
    prefix: Vec<u8>,
    message_left: usize,
    consumed: u32,
}

/// One HTTP/2 connection.
#[derive(Debug)]
pub struct Session {
    partial: Vec<u8>,
    calls: HashMap<u32, Call>,
    consumed: u32,
    /// The client's window for the connection.
    window: i64,
    /// Replies that wait for the window; whether the call ends with them.
    held: Vec<(u32, bool)>,
}

impl Session {
    /// Greets a client.
    pub fn new(out: &mut Vec<u8>) -> Self {
        let settings = [(setting::MAX_CONCURRENT_STREAMS, MAX_STREAMS), (setting::INITIAL_WINDOW_SIZE, WINDOW)];
        frame::write_settings(&settings, out);
        frame::write_window_update(0, WINDOW, out);
        Self {
            partial: Vec::new(),
            calls: HashMap::new(),
            consumed: 0,
            window: frame::DEFAULT_WINDOW,
            held: Vec::new(),
        }
    }

    /// Answers the frames that are complete. False when the client breaks the protocol.
    pub fn take(&mut self, input: &[u8], reply: &Reply, out: &mut Vec<u8>) -> bool {
        let mut kept = std::mem::take(&mut self.partial);
        let mut rest = if kept.is_empty() {
            input
        } else {
            kept.extend_from_slice(input);
            &kept
        };
        while let Some(head) = FrameHead::read(rest) {
            let Some(payload) = rest.get(frame::HEADER_BYTES..frame::HEADER_BYTES + head.length) else {
                break;
            };
            if !self.frame(&head, payload, reply, out) {
                return false;
            }
            rest = &rest[frame::HEADER_BYTES + head.length..];
        }
        self.partial = rest.to_vec();
        true
    }

    fn frame(&mut self, head: &FrameHead, payload: &[u8], reply: &Reply, out: &mut Vec<u8>) -> bool {
        match head.kind {
            kind::HEADERS if !head.has(flag::END_STREAM) => {
                self.calls.entry(head.stream).or_default();
                true
            }
            kind::HEADERS => {
                self.end_call(head.stream, reply, out);
                true
            }
            kind::DATA => self.data(head, payload, reply, out),
            kind::SETTINGS if !head.has(flag::ACK) => {
                frame::write_head(0, kind::SETTINGS, flag::ACK, 0, out);
                true
            }
            kind::PING if !head.has(flag::ACK) => {
                frame::write_head(payload.len(), kind::PING, flag::ACK, 0, out);
                out.extend_from_slice(payload);
                true
            }
            kind::WINDOW_UPDATE if head.stream == 0 => {
                self.window += i64::from(frame::number(payload).unwrap_or(0));
                for (stream, ends) in std::mem::take(&mut self.held) {
                    self.answer(stream, ends, reply, out);
                }
                true
            }
            kind::RST_STREAM => {
                self.calls.remove(&head.stream);
                true
            }
            kind::GOAWAY => false,
            _ => true,
        }
    }

    fn data(&mut self, head: &FrameHead, payload: &[u8], reply: &Reply, out: &mut Vec<u8>) -> bool {
        let Some(mut content) = frame::content(head, payload) else {
            return false;
        };
        self.consumed += head.length as u32;
        if self.consumed >= REPLENISH {
            frame::write_window_update(0, std::mem::take(&mut self.consumed), out);
        }
        let Some(call) = self.calls.get_mut(&head.stream) else {
            return true;
        };
        call.consumed += head.length as u32;
        let ends = head.has(flag::END_STREAM);
        if call.consumed >= REPLENISH && !ends {
            frame::write_window_update(head.stream, std::mem::take(&mut call.consumed), out);
        }
        let mut complete = 0;
        while let Some(rest) = call.take_message(content) {
            complete += 1;
            content = rest;
        }
        for message in 1..=complete {
            self.answer(head.stream, ends && message == complete, reply, out);
        }
        if ends && complete == 0 {
            self.end_call(head.stream, reply, out);
        }
        true
    }

    /// Sends the reply's message and, where the call ends with it, its trailers.
    fn answer(&mut self, stream: u32, ends: bool, reply: &Reply, out: &mut Vec<u8>) {
        let Some(call) = self.calls.get_mut(&stream) else {
            return;
        };
        let length = reply.message.len() as i64;
        if self.window < length {
            self.held.push((stream, ends));
            return;
        }
        self.window -= length;
        if !std::mem::replace(&mut call.has_headers, true) {
            reply.write_headers(stream, out);
        }
        reply.write_message(stream, out);
        if ends {
            self.end_call(stream, reply, out);
        }
    }

    fn end_call(&mut self, stream: u32, reply: &Reply, out: &mut Vec<u8>) {
        if let Some((_, ends)) = self.held.iter_mut().rfind(|(held, _)| *held == stream) {
            *ends = true;
            return;
        }
        if let Some(call) = self.calls.remove(&stream) {
            if !call.has_headers {
                reply.write_headers(stream, out);
            }
            reply.write_trailers(stream, out);
        }
    }
}

impl Call {
    /// Takes a message from the front; the rest after it, or none when it is not complete.
    fn take_message<'a>(&mut self, mut content: &'a [u8]) -> Option<&'a [u8]> {
        if self.message_left == 0 {
            let wanted = PREFIX_BYTES - self.prefix.len();
            let (prefix, rest) = content.split_at(wanted.min(content.len()));
            self.prefix.extend_from_slice(prefix);
            content = rest;
            let length = frame::number(self.prefix.get(1..PREFIX_BYTES)?)?;
            self.prefix.clear();
            // One more than the length, so that an empty message differs from none.
            self.message_left = length as usize + 1;
        }
        let taken = (self.message_left - 1).min(content.len());
        self.message_left -= taken;
        if self.message_left > 1 {
            return None;
        }
        self.message_left = 0;
        Some(&content[taken..])
    }
}
