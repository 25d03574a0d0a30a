//! HTTP/1.1, one request at a time on a connection.

mod head;
mod parser;

use std::sync::Arc;

pub use head::{Head, Length, Malformed, header, headers_named, is_event_stream, lines};
pub use parser::{HttpReply, ReplyParser};

use super::{Cancelled, Code, Reply, Request, Wire};
use crate::failure::Failure;

/// How the body of a request is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Body {
    None,
    /// After its length.
    Counted,
    /// Without a length.
    AsGiven,
}

/// The unvarying bytes of one kind of request.
#[derive(Debug, Clone)]
pub struct HttpCall {
    /// `METHOD `.
    before_path: Vec<u8>,
    /// From the version to the last constant header.
    after_path: Vec<u8>,
    /// The rest of the head, up to the length of the body where there is one.
    tail: Vec<u8>,
    body: Body,
    /// No body follows the head of a reply, whatever length the head states.
    is_answered_by_head: bool,
    keeps_head: bool,
    /// The connection is closed after each reply.
    closes: bool,
}

impl HttpCall {
    /// Prepares requests of one method to one authority with these headers; a `Host` among them replaces the authority.
    pub fn new<'a>(
        method: &str,
        authority: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        has_body: bool,
    ) -> Self {
        let (mut host, mut lines, mut names_type) = (authority, String::new(), false);
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("host") {
                host = value;
                continue;
            }
            names_type |= name.eq_ignore_ascii_case("content-type");
            lines.push_str(&format!("{name}: {value}\r\n"));
        }
        let after_path = format!(" HTTP/1.1\r\nHost: {host}\r\n{lines}");
        let tail = match (has_body, names_type) {
            (true, false) => "Content-Type: application/json\r\nContent-Length: ",
            (true, true) => "Content-Length: ",
            (false, _) => "\r\n",
        };
        Self {
            before_path: format!("{method} ").into_bytes(),
            after_path: after_path.into_bytes(),
            tail: tail.as_bytes().to_vec(),
            body: if has_body { Body::Counted } else { Body::None },
            is_answered_by_head: method == "HEAD",
            keeps_head: false,
            closes: false,
        }
    }

    /// Prepares requests with these headers and no others: framing is the caller's, and the body goes out as it is.
    pub fn exact<'a>(method: &str, headers: impl IntoIterator<Item = (&'a str, &'a str)>) -> Self {
        let lines: String = headers.into_iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let after_path = format!(" HTTP/1.1\r\n{lines}").into_bytes();
        Self { after_path, tail: b"\r\n".to_vec(), body: Body::AsGiven, ..Self::new(method, "", [], false) }
    }

    /// Keeps the heads of replies.
    #[must_use]
    pub fn keeping_heads(mut self, keeps_head: bool) -> Self {
        self.keeps_head = keeps_head;
        self
    }

    /// Closes the connection after each reply.
    #[must_use]
    pub fn closing(mut self, closes: bool) -> Self {
        if closes {
            self.after_path.extend_from_slice(b"Connection: close\r\n");
        }
        self.closes = closes;
        self
    }

    fn write(&self, request: &Request<'_>, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.before_path);
        out.extend_from_slice(request.path);
        out.extend_from_slice(&self.after_path);
        out.extend_from_slice(request.headers);
        out.extend_from_slice(&self.tail);
        if self.body == Body::Counted {
            out.extend_from_slice(itoa::Buffer::new().format(request.body.len()).as_bytes());
            out.extend_from_slice(b"\r\n\r\n");
        }
        if self.body != Body::None {
            out.extend_from_slice(request.body);
        }
    }
}

/// A connection that speaks HTTP/1.1.
#[derive(Debug)]
pub struct Http1 {
    calls: Arc<Vec<HttpCall>>,
    parser: ReplyParser,
    waiting: Option<u32>,
    closing: bool,
    /// The request in flight asks for the connection to be closed.
    closes: bool,
    /// What follows on the connection is no HTTP.
    is_upgraded: bool,
    /// Why a reply is not valid.
    fault: Option<&'static str>,
}

impl Wire for Http1 {
    type Shared = Vec<HttpCall>;

    fn new(shared: &Arc<Self::Shared>) -> Self {
        Self {
            calls: Arc::clone(shared),
            parser: ReplyParser::default(),
            waiting: None,
            closing: false,
            closes: false,
            is_upgraded: false,
            fault: None,
        }
    }

    fn greet(&mut self, _out: &mut Vec<u8>) {}

    fn has_room(&self) -> bool {
        self.waiting.is_none() && !self.closing
    }

    fn send(&mut self, request: &Request<'_>, out: &mut Vec<u8>) {
        self.waiting = Some(request.tag);
        let call = &self.calls[request.call];
        self.parser.expect(call.is_answered_by_head, call.keeps_head);
        self.closes = call.closes;
        call.write(request, out);
    }

    fn receive(
        &mut self,
        mut input: &[u8],
        _out: &mut Vec<u8>,
        sink: &mut impl FnMut(Reply<'_>),
    ) -> Result<(), Failure> {
        while !input.is_empty() && !self.is_upgraded {
            // The next reply could not be distinguished from them.
            let tag = self.waiting.ok_or(Failure::Surplus)?;
            let reply = match self.parser.feed(&mut input) {
                Ok(Some(reply)) => reply,
                Ok(None) => return Ok(()),
                Err(Malformed(fault)) => {
                    self.fault = Some(fault);
                    return Err(Failure::Malformed);
                }
            };
            self.waiting = None;
            self.closing = !reply.keeps_alive || self.closes;
            self.is_upgraded = reply.status == 101;
            let (head, body) = (self.parser.head(), reply.body(&self.parser));
            sink(Reply { tag, outcome: Ok(Code::Http(reply.status)), head, body });
        }
        Ok(())
    }

    fn end(&mut self, sink: &mut impl FnMut(Reply<'_>)) {
        self.closing = true;
        if let (Some(tag), Some(reply)) = (self.waiting, self.parser.end()) {
            self.waiting = None;
            let (head, body) = (self.parser.head(), reply.body(&self.parser));
            sink(Reply { tag, outcome: Ok(Code::Http(reply.status)), head, body });
        }
    }

    fn cancel(&mut self, _tag: u32, _out: &mut Vec<u8>) -> Cancelled {
        self.waiting = None;
        Cancelled::Connection
    }

    fn abandon(&mut self, sink: &mut impl FnMut(u32)) {
        self.waiting.take().into_iter().for_each(sink);
    }

    fn is_idle(&self) -> bool {
        self.waiting.is_none()
    }

    fn is_closing(&self) -> bool {
        self.closing
    }

    fn farewell(&mut self, _out: &mut Vec<u8>) {}

    fn reason(&self) -> Option<String> {
        self.fault.map(str::to_owned).or_else(|| self.waiting.and_then(|_| self.parser.missing()))
    }
}
