//! One HTTP/2 connection.

mod control;
mod received;
mod sending;
mod unfinished;

use std::collections::VecDeque;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::calls::Http2Calls;
use super::frame::{self, DEFAULT_MAX_FRAME, FrameHead, HEADER_BYTES, flag, kind, setting};
use super::hpack::{Decoder, Encoder, FieldDecoder};
use super::messages::{self, Front};
use super::outgoing::{Grant, Outgoing};
use crate::failure::Failure;
use crate::wire::{Cancelled, Code, Reply, Request, Wire};

use received::Received;

/// The bytes that the server may send on a stream before it must wait.
const STREAM_WINDOW: u32 = 4 << 20;
const CONNECTION_WINDOW: u32 = 1 << 30;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;
const LAST_STREAM: u32 = (1 << 31) - 1;
/// A header block that goes on for longer is no status.
const LONGEST_BLOCK: usize = 256 * 1024;
const STATUS_LINE: &[u8] = b"HTTP/2\r\n";
const LINE_END: &[u8] = b"\r\n";
/// Why a reply was given up.
const TOO_LONG: &str = "it is longer than 64 MiB";

/// A connection that speaks gRPC, or carries the requests of a REST API.
#[derive(Debug)]
pub struct Http2 {
    shared: Arc<Http2Calls>,
    encoder: Encoder,
    decoder: Decoder,
    /// Of whole fields, for REST.
    fields: FieldDecoder,
    grant: Grant,
    /// The server's SETTINGS have arrived.
    is_greeted: bool,
    is_going_away: bool,
    next_stream: u32,
    streams: FxHashMap<u32, Stream>,
    /// The open stream that messages travel on, and the tags of the awaited replies, in order.
    call: Option<u32>,
    awaited: VecDeque<u32>,
    /// Bytes received since the connection's window was last widened.
    consumed: u32,
    partial: Vec<u8>,
    block: Option<Block>,
    /// Emptied buffers of streams that are over.
    spare: Vec<Received>,
    /// When the last keepalive ping was sent.
    pinged_ns: u64,
    awaits_pong: bool,
    /// A frame was wrong.
    is_broken: bool,
    /// Why a reply was given up.
    fault: Option<&'static str>,
}

/// A header block that has not ended yet.
#[derive(Debug)]
struct Block {
    stream: u32,
    ends_stream: bool,
    bytes: Vec<u8>,
}

#[derive(Debug)]
struct Stream {
    tag: u32,
    call: usize,
    /// The headers and trailers of a REST reply, as lines; of a gRPC call its status message.
    head: Vec<u8>,
    status: Option<u16>,
    grpc_status: Option<u16>,
    outgoing: Outgoing,
    received: Received,
    consumed: u32,
}

impl Wire for Http2 {
    type Shared = Http2Calls;

    fn new(shared: &Arc<Self::Shared>) -> Self {
        Self {
            encoder: Encoder::new(&shared.fields),
            shared: Arc::clone(shared),
            decoder: Decoder::default(),
            fields: FieldDecoder::default(),
            pinged_ns: 0,
            awaits_pong: false,
            is_broken: false,
            fault: None,
            grant: Grant::default(),
            is_greeted: false,
            is_going_away: false,
            next_stream: 1,
            streams: FxHashMap::default(),
            call: None,
            awaited: VecDeque::new(),
            consumed: 0,
            partial: Vec::new(),
            block: None,
            spare: Vec::new(),
        }
    }

    fn greet(&mut self, out: &mut Vec<u8>) {
        out.extend_from_slice(frame::PREFACE);
        frame::write_settings(&[(setting::ENABLE_PUSH, 0), (setting::INITIAL_WINDOW_SIZE, STREAM_WINDOW)], out);
        frame::write_window_update(0, CONNECTION_WINDOW, out);
    }

    fn has_room(&self) -> bool {
        let is_open = self.is_greeted && !self.is_going_away && self.next_stream < LAST_STREAM;
        is_open
            && match self.call {
                // When the server stops reading, users wait: that is its backpressure, and our memory stays bounded.
                Some(call) => self.streams.get(&call).is_some_and(|stream| !stream.outgoing.is_blocked()),
                None => self.streams.len() < self.grant.max_streams,
            }
    }

    fn send(&mut self, request: &Request<'_>, out: &mut Vec<u8>) {
        if self.shared.rest.is_some() {
            return self.send_rest(request, out);
        }
        if self.shared.is_framed.get(request.call) == Some(&true) {
            let id = self.open(request, out);
            return self.send_body(id, (&[], request.body), true, out);
        }
        if self.shared.gzip {
            return self.send_compressed(request, out);
        }
        let prefix = messages::prefix(request.body.len());
        if self.shared.is_stream {
            self.awaited.push_back(request.tag);
        }
        let id = match self.call {
            Some(call) => call,
            None => self.open(request, out),
        };
        if let Some(stream) = self.streams.get_mut(&id) {
            let message = (prefix.as_slice(), request.body);
            stream.outgoing.send(id, message, !self.shared.is_stream, &mut self.grant, out);
        }
    }

    fn receive(&mut self, input: &[u8], out: &mut Vec<u8>, sink: &mut impl FnMut(Reply<'_>)) -> Result<(), Failure> {
        let mut kept = std::mem::take(&mut self.partial);
        let mut rest = if kept.is_empty() {
            input
        } else {
            kept.extend_from_slice(input);
            &kept
        };
        while let Some(head) = FrameHead::read(rest) {
            if head.length > DEFAULT_MAX_FRAME {
                self.is_broken = true;
                return Err(Failure::Malformed);
            }
            let Some(payload) = rest.get(HEADER_BYTES..HEADER_BYTES + head.length) else {
                break;
            };
            if let Err(failure) = self.frame(&head, payload, out, sink) {
                self.is_broken = true;
                return Err(failure);
            }
            rest = &rest[HEADER_BYTES + head.length..];
        }
        if !rest.is_empty() {
            self.partial = rest.to_vec();
        }
        Ok(())
    }

    fn end(&mut self, _sink: &mut impl FnMut(Reply<'_>)) {
        self.is_going_away = true;
    }

    fn cancel(&mut self, tag: u32, out: &mut Vec<u8>) -> Cancelled {
        if let Some(call) = self.call.take() {
            self.streams.remove(&call);
            frame::write_reset(call, CANCEL, out);
            return Cancelled::All;
        }
        if let Some(id) = self.streams.iter().find(|(_, stream)| stream.tag == tag).map(|(id, _)| *id) {
            self.streams.remove(&id);
            frame::write_reset(id, CANCEL, out);
        }
        Cancelled::One
    }

    fn abandon(&mut self, sink: &mut impl FnMut(u32)) {
        self.awaited.drain(..).for_each(&mut *sink);
        if !self.shared.is_stream {
            self.streams.values().for_each(|stream| sink(stream.tag));
        }
        self.streams.clear();
        self.call = None;
    }

    fn is_idle(&self) -> bool {
        if self.shared.is_stream { self.awaited.is_empty() } else { self.streams.is_empty() }
    }

    fn is_closing(&self) -> bool {
        self.is_going_away || self.next_stream >= LAST_STREAM
    }

    fn tick(&mut self, now: u64, out: &mut Vec<u8>) -> Result<(), Failure> {
        let Some(ping) = self.shared.ping.filter(|_| self.is_greeted) else { return Ok(()) };
        let since_ns = now.saturating_sub(self.pinged_ns);
        if self.awaits_pong {
            return if since_ns >= ping.timeout_ns { Err(Failure::Timeout) } else { Ok(()) };
        }
        if self.pinged_ns == 0 {
            self.pinged_ns = now;
        } else if since_ns >= ping.interval_ns && (ping.when_idle || !self.is_idle()) {
            (self.pinged_ns, self.awaits_pong) = (now, true);
            frame::write_head(8, kind::PING, 0, 0, out);
            out.extend_from_slice(&[0; 8]);
        }
        Ok(())
    }

    fn reason(&self) -> Option<String> {
        if self.is_broken {
            return None;
        }
        self.fault.map(str::to_owned).or_else(|| self.missing())
    }

    fn farewell(&mut self, out: &mut Vec<u8>) {
        if !self.is_greeted {
            return;
        }
        if let Some(call) = self.call {
            frame::write_head(0, kind::DATA, flag::END_STREAM, call, out);
        }
        frame::write_head(8, kind::GOAWAY, 0, 0, out);
        out.extend_from_slice(&[0; 8]);
    }
}

type Handled = Result<(), Failure>;

impl Http2 {
    fn frame(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Reply<'_>),
    ) -> Handled {
        if self.block.is_some() && head.kind != kind::CONTINUATION {
            return Err(Failure::Malformed);
        }
        match head.kind {
            kind::DATA => self.data(head, payload, out, sink),
            kind::HEADERS => {
                let content = frame::content(head, payload).ok_or(Failure::Malformed)?;
                if head.has(flag::END_HEADERS) {
                    return self.headers(head.stream, head.has(flag::END_STREAM), content, sink);
                }
                let ends_stream = head.has(flag::END_STREAM);
                self.block = Some(Block { stream: head.stream, ends_stream, bytes: content.to_vec() });
                Ok(())
            }
            kind::CONTINUATION => self.continuation(head, payload, sink),
            kind::SETTINGS => self.settings(head, payload, out),
            kind::WINDOW_UPDATE => self.window_update(head, payload, out),
            kind::PING if !head.has(flag::ACK) && payload.len() == 8 => {
                frame::write_head(8, kind::PING, flag::ACK, 0, out);
                out.extend_from_slice(payload);
                Ok(())
            }
            kind::PING if head.has(flag::ACK) => {
                self.awaits_pong = false;
                Ok(())
            }
            kind::RST_STREAM => {
                let is_refused = frame::number(payload) == Some(REFUSED_STREAM);
                let failure = if is_refused { Failure::StreamRefused } else { Failure::StreamReset };
                self.break_stream(head.stream, failure, sink);
                Ok(())
            }
            kind::GOAWAY => self.go_away(payload, sink),
            // The client disabled server push.
            kind::PUSH_PROMISE => Err(Failure::Malformed),
            _ => Ok(()),
        }
    }

    fn continuation(&mut self, head: &FrameHead, payload: &[u8], sink: &mut impl FnMut(Reply<'_>)) -> Handled {
        let mut block = self.block.take().filter(|block| block.stream == head.stream).ok_or(Failure::Malformed)?;
        block.bytes.extend_from_slice(payload);
        if block.bytes.len() > LONGEST_BLOCK {
            return Err(Failure::Malformed);
        }
        if head.has(flag::END_HEADERS) {
            return self.headers(block.stream, block.ends_stream, &block.bytes, sink);
        }
        self.block = Some(block);
        Ok(())
    }

    fn headers(&mut self, id: u32, ends_stream: bool, block: &[u8], sink: &mut impl FnMut(Reply<'_>)) -> Handled {
        if self.shared.rest.is_some() {
            return self.rest_headers(id, ends_stream, block, sink);
        }
        // Also for streams that were given up: the block changes the table.
        let outcome = self.decoder.decode(block).map_err(|_| Failure::Malformed)?;
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.status = outcome.status.or(stream.status);
            stream.grpc_status = outcome.grpc_status.or(stream.grpc_status);
            if let Some(message) = outcome.grpc_message {
                stream.head = [STATUS_LINE, b"grpc-message: ", &message, LINE_END, LINE_END].concat();
            }
            if ends_stream {
                self.end_stream(id, sink);
            }
        }
        Ok(())
    }

    fn rest_headers(&mut self, id: u32, ends_stream: bool, block: &[u8], sink: &mut impl FnMut(Reply<'_>)) -> Handled {
        let mut head = STATUS_LINE.to_vec();
        let status = self.fields.decode(block, &mut head).map_err(|_| Failure::Malformed)?;
        let Some(stream) = self.streams.get_mut(&id) else { return Ok(()) };
        // Interim replies come before the one that counts, trailers after it.
        if stream.status.is_none() && status.is_some_and(|status| status >= 200) {
            stream.status = status;
            head.extend_from_slice(LINE_END);
            stream.head = head;
        } else if stream.status.is_some() {
            stream.head.truncate(stream.head.len() - LINE_END.len());
            stream.head.extend_from_slice(&head[STATUS_LINE.len()..]);
            stream.head.extend_from_slice(LINE_END);
        }
        if ends_stream {
            self.end_stream(id, sink);
        }
        Ok(())
    }

    fn data(
        &mut self,
        head: &FrameHead,
        payload: &[u8],
        out: &mut Vec<u8>,
        sink: &mut impl FnMut(Reply<'_>),
    ) -> Handled {
        let content = frame::content(head, payload).ok_or(Failure::Malformed)?;
        self.consumed += payload.len() as u32;
        if self.consumed >= CONNECTION_WINDOW / 2 {
            frame::write_window_update(0, std::mem::take(&mut self.consumed), out);
        }
        let Some(stream) = self.streams.get_mut(&head.stream) else {
            return Ok(());
        };
        let ends_stream = head.has(flag::END_STREAM);
        stream.consumed += payload.len() as u32;
        if stream.consumed >= STREAM_WINDOW / 2 && !ends_stream {
            frame::write_window_update(head.stream, std::mem::take(&mut stream.consumed), out);
        }
        if self.call == Some(head.stream) {
            // The replies come in the order of the messages.
            stream.received.pass_on(content, self.shared.gzip, &mut |message| {
                let tag = self.awaited.pop_front().ok_or(Failure::Malformed)?;
                sink(Reply { tag, outcome: Ok(Code::Grpc(0)), head: &[], body: message });
                Ok(())
            })?;
        } else if let Err(failure) = stream.received.keep(content) {
            self.fault = Some(TOO_LONG);
            frame::write_reset(head.stream, CANCEL, out);
            self.break_stream(head.stream, failure, sink);
            return Ok(());
        }
        if ends_stream {
            self.end_stream(head.stream, sink);
        }
        Ok(())
    }

    /// A stream has ended normally: its status is the outcome of the call.
    fn end_stream(&mut self, id: u32, sink: &mut impl FnMut(Reply<'_>)) {
        let Some(stream) = self.streams.remove(&id) else {
            return;
        };
        if self.shared.rest.is_some() {
            let outcome = stream.status.map(Code::Http).ok_or(Failure::Malformed);
            sink(Reply { tag: stream.tag, outcome, head: &stream.head, body: stream.received.bytes() });
            self.spare.push(stream.received.emptied());
            return;
        }
        let outcome = match (stream.status, stream.grpc_status) {
            (Some(200) | None, Some(code)) => Ok(Code::Grpc(u8::try_from(code).unwrap_or(u8::MAX))),
            (Some(200) | None, None) => Err(Failure::Malformed),
            (Some(status), _) => Ok(Code::Http(status)),
        };
        if self.call == Some(id) {
            self.call = None;
            // No matter how the call ended, what waits on it gets no reply any more.
            let failure = match outcome {
                Ok(Code::Grpc(0)) => Failure::Closed,
                Ok(code) => code.failure(),
                Err(failure) => failure,
            };
            self.fail_awaited(failure, sink);
            return;
        }
        let unpacked;
        let (outcome, body) = match (outcome, stream.received.front()) {
            (Ok(Code::Grpc(0)), _) if self.shared.is_list.get(stream.call) == Some(&true) => {
                (outcome, stream.received.bytes())
            }
            (Ok(Code::Grpc(0)), Front::Message(message, [])) => (outcome, message),
            (Ok(Code::Grpc(0)), Front::Compressed(message, [])) if self.shared.gzip => {
                match messages::decompressed(message) {
                    Some(message) => {
                        unpacked = message;
                        (outcome, unpacked.as_slice())
                    }
                    None => (Err(Failure::Malformed), &[][..]),
                }
            }
            (Ok(Code::Grpc(0)), _) => (Err(Failure::Malformed), &[][..]),
            (Ok(Code::Http(_)), _) => (outcome, stream.received.bytes()),
            (outcome, _) => (outcome, &[][..]),
        };
        sink(Reply { tag: stream.tag, outcome, head: &stream.head, body });
        self.spare.push(stream.received.emptied());
    }

    fn break_stream(&mut self, id: u32, failure: Failure, sink: &mut impl FnMut(Reply<'_>)) {
        let Some(stream) = self.streams.remove(&id) else { return };
        if self.call == Some(id) {
            self.call = None;
            self.fail_awaited(failure, sink);
        } else {
            sink(Reply { tag: stream.tag, outcome: Err(failure), head: &[], body: &[] });
        }
    }

    fn fail_awaited(&mut self, failure: Failure, sink: &mut impl FnMut(Reply<'_>)) {
        for tag in self.awaited.drain(..) {
            sink(Reply { tag, outcome: Err(failure), head: &[], body: &[] });
        }
    }
}
