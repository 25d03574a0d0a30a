//! Requests: streams are opened, and bodies sent as far as the server's windows allow.

use std::sync::Arc;

use super::{Http2, Stream};
use crate::wire::Request;
use crate::wire::h2::frame::{self, HEADER_BYTES, flag, kind};
use crate::wire::h2::hpack::write_literal;
use crate::wire::h2::messages;
use crate::wire::h2::outgoing::Outgoing;
use crate::wire::h2::rest;

impl Http2 {
    /// Opens a stream and makes it the long call, if there is to be one.
    pub(super) fn open(&mut self, request: &Request<'_>, out: &mut Vec<u8>) -> u32 {
        let id = self.next_stream;
        self.next_stream += 2;
        let start = out.len();
        frame::write_head(0, kind::HEADERS, flag::END_HEADERS, id, out);
        self.encoder.write(&self.shared.fields, request.call, out);
        out.extend_from_slice(request.headers);
        self.add_stream(id, start, request, out);
        if self.shared.is_stream {
            self.call = Some(id);
        }
        id
    }

    /// Completes the header frame that begins at `start`, and keeps its stream.
    fn add_stream(&mut self, id: u32, start: usize, request: &Request<'_>, out: &mut [u8]) {
        let length = out.len() - start - HEADER_BYTES;
        // Header blocks fit into a frame: the plan bounds the headers that it adds.
        out[start + 1] = (length >> 8) as u8;
        out[start + 2] = length as u8;
        let stream = Stream {
            tag: request.tag,
            call: request.call,
            head: Vec::new(),
            status: None,
            grpc_status: None,
            outgoing: Outgoing::new(&self.grant),
            received: self.spare.pop().unwrap_or_default(),
            consumed: 0,
        };
        self.streams.insert(id, stream);
    }

    pub(super) fn send_body(&mut self, id: u32, body: (&[u8], &[u8]), ends: bool, out: &mut Vec<u8>) {
        if let Some(stream) = self.streams.get_mut(&id) {
            stream.outgoing.send(id, body, ends, &mut self.grant, out);
        }
    }

    pub(super) fn send_compressed(&mut self, request: &Request<'_>, out: &mut Vec<u8>) {
        let body = messages::compressed(request.body);
        let mut prefix = messages::prefix(body.len());
        prefix[0] = 1;
        let is_stream = self.shared.is_stream;
        if is_stream {
            self.awaited.push_back(request.tag);
        }
        let id = self.call.unwrap_or_else(|| self.open(request, out));
        self.send_body(id, (&prefix, &body), !is_stream, out);
    }

    pub(super) fn send_rest(&mut self, request: &Request<'_>, out: &mut Vec<u8>) {
        let shared = Arc::clone(&self.shared);
        let Some(call) = shared.rest.as_ref().and_then(|calls| calls.get(request.call)) else { return };
        let id = self.next_stream;
        self.next_stream += 2;
        let start = out.len();
        let has_content = !request.body.is_empty();
        let ends = if has_content { 0 } else { flag::END_STREAM };
        frame::write_head(0, kind::HEADERS, flag::END_HEADERS | ends, id, out);
        self.encoder.announce(out);
        call.write_method(out);
        rest::write_path(request.path, out);
        self.encoder.write_some(&shared.fields, &call.fields, out);
        if call.has_body {
            write_literal("content-length", itoa::Buffer::new().format(request.body.len()).as_bytes(), out);
        }
        rest::write_lines(request.headers, out);
        self.add_stream(id, start, request, out);
        if has_content {
            self.send_body(id, (&[], request.body), true, out);
        }
    }
}
