//! Replies out of bytes that arrive in pieces of any size.

use super::head::{Head, Length, Malformed, is_event_stream, parse_head, take_line};

/// A complete reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HttpReply<'a> {
    pub status: u16,
    pub keeps_alive: bool,
    /// The body, when it came in one piece; else the parser keeps it.
    whole: Option<&'a [u8]>,
}

impl<'a> HttpReply<'a> {
    /// The reply's content; the parser is the one that gave the reply.
    #[must_use]
    pub fn body<'b>(&self, parser: &'b ReplyParser) -> &'b [u8]
    where
        'a: 'b,
    {
        self.whole.unwrap_or(&parser.body)
    }
}

/// Takes one reply after the other out of what a connection delivers.
#[derive(Debug, Default)]
pub struct ReplyParser {
    state: State,
    /// The received part of a head or of a line of a chunked body.
    partial: Vec<u8>,
    /// The received part of a body in several pieces.
    body: Vec<u8>,
    /// The reply to come ends with its head.
    is_head_alone: bool,
    keeps_head: bool,
    /// The head of the last reply, where it is kept.
    head: Vec<u8>,
}

#[derive(Debug, Default, Clone, Copy)]
enum State {
    #[default]
    Head,
    Body(Head, Part),
    /// The reply was handed out; its buffer is still to be cleared.
    Done,
}

#[derive(Debug, Clone, Copy)]
enum Part {
    /// Bytes still to come.
    Counted(u64),
    ChunkSize,
    ChunkData(u64),
    ChunkEnd,
    Trailers,
    UntilClose,
}

const LONGEST_HEAD: usize = 64 * 1024;
const LONGEST_LINE: usize = 4 * 1024;
const NO_CHUNK_SIZE: Malformed = Malformed("the length of a chunk is not a hexadecimal number");
/// Content beyond this is counted and not kept.
const LONGEST_KEPT: usize = 1024 * 1024;

impl ReplyParser {
    /// Sets whether the next reply answers a HEAD request, and so has no body whatever length its head states, and
    /// whether its head is kept.
    pub fn expect(&mut self, is_head_alone: bool, keeps_head: bool) {
        (self.is_head_alone, self.keeps_head) = (is_head_alone, keeps_head);
        self.head.clear();
    }

    /// The head of the last reply, where it is kept.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head
    }

    fn keep_head(&mut self, head: &[u8]) {
        if self.keeps_head {
            self.head.clear();
            self.head.extend_from_slice(head);
        }
    }

    /// Takes bytes from the front of `input`: a reply, or none when more must come.
    ///
    /// # Errors
    /// This is no HTTP/1 reply; the parser is of no more use.
    pub fn feed<'a>(&mut self, input: &mut &'a [u8]) -> Result<Option<HttpReply<'a>>, Malformed> {
        loop {
            match self.state {
                State::Done => self.reset(),
                State::Head => match self.take_head(input)? {
                    None => return Ok(None),
                    Some(head) if head.is_interim() => {}
                    Some(Head { length: Length::Known(length), status, keeps_alive })
                        if length <= input.len() as u64 =>
                    {
                        // The common case: the whole reply is in the buffer, and nothing is copied.
                        let (body, rest) = input.split_at(length as usize);
                        *input = rest;
                        return Ok(Some(HttpReply { status, keeps_alive, whole: Some(body) }));
                    }
                    Some(head) => self.state = State::Body(head, first_part(head.length)),
                },
                State::Body(head, part) => match self.take_body(part, input)? {
                    Progress::More(part) => {
                        self.state = State::Body(head, part);
                        return Ok(None);
                    }
                    Progress::Next(part) => self.state = State::Body(head, part),
                    Progress::Complete => return Ok(Some(self.complete(head))),
                },
            }
        }
    }

    /// Where a reply that has begun is incomplete: what is missing. Streams of events are known by a head that is kept.
    #[must_use]
    pub fn missing(&self) -> Option<String> {
        match self.state {
            State::Body(..) if is_event_stream(&self.head) => Some("it is a stream of server-sent events".to_owned()),
            State::Head if self.partial.is_empty() => None,
            State::Head => Some("its head is incomplete".to_owned()),
            State::Body(_, Part::Counted(left)) => Some(format!("{left} bytes of its body are missing")),
            State::Body(_, Part::UntilClose) => Some("its body lasts until the connection is closed".to_owned()),
            State::Done => None,
            State::Body(..) => Some("the end of its chunked body is missing".to_owned()),
        }
    }

    /// The connection has ended: a body that lasts until then is complete.
    pub fn end(&mut self) -> Option<HttpReply<'static>> {
        match self.state {
            State::Body(head, Part::UntilClose) => Some(self.complete(head)),
            _ => None,
        }
    }

    fn complete(&mut self, head: Head) -> HttpReply<'static> {
        self.state = State::Done;
        HttpReply { status: head.status, keeps_alive: head.keeps_alive, whole: None }
    }

    fn reset(&mut self) {
        self.state = State::Head;
        // Hundreds of connections must not each keep the buffer of their largest reply.
        if self.body.capacity() > LONGEST_HEAD {
            self.body = Vec::new();
        }
        self.body.clear();
    }

    fn take_head(&mut self, input: &mut &[u8]) -> Result<Option<Head>, Malformed> {
        if self.partial.is_empty() {
            if let Some((head, taken)) = parse_head(input, self.is_head_alone)? {
                self.keep_head(&input[..taken]);
                *input = &input[taken..];
                return Ok(Some(head));
            }
            self.partial.extend_from_slice(input);
            *input = &[];
            return self.check_partial(LONGEST_HEAD).map(|()| None);
        }
        let known = self.partial.len();
        let added = input.len().min(LONGEST_HEAD + 1);
        self.partial.extend_from_slice(&input[..added]);
        match parse_head(&self.partial, self.is_head_alone)? {
            Some((head, taken)) => {
                *input = &input[taken.saturating_sub(known)..];
                let partial = std::mem::take(&mut self.partial);
                self.keep_head(&partial[..taken]);
                self.partial = partial;
                self.partial.clear();
                Ok(Some(head))
            }
            None => {
                *input = &[];
                self.check_partial(LONGEST_HEAD).map(|()| None)
            }
        }
    }

    fn check_partial(&self, longest: usize) -> Result<(), Malformed> {
        if self.partial.len() > longest { Err(Malformed("its head, or a line of it, is too long")) } else { Ok(()) }
    }

    fn take_body(&mut self, part: Part, input: &mut &[u8]) -> Result<Progress, Malformed> {
        Ok(match part {
            Part::Counted(left) => match self.keep(left, input) {
                0 => Progress::Complete,
                left => Progress::More(Part::Counted(left)),
            },
            Part::UntilClose => {
                self.keep(u64::MAX, input);
                Progress::More(Part::UntilClose)
            }
            Part::ChunkSize => match self.line(input, parse_chunk_size)? {
                None => Progress::More(part),
                Some(size) => match size? {
                    0 => Progress::Next(Part::Trailers),
                    size => Progress::Next(Part::ChunkData(size)),
                },
            },
            Part::ChunkData(left) => match self.keep(left, input) {
                0 => Progress::Next(Part::ChunkEnd),
                left => Progress::More(Part::ChunkData(left)),
            },
            Part::ChunkEnd => match self.line(input, <[u8]>::is_empty)? {
                None => Progress::More(part),
                Some(true) => Progress::Next(Part::ChunkSize),
                Some(false) => return Err(Malformed("a chunk is longer than its length")),
            },
            Part::Trailers => match self.line(input, <[u8]>::is_empty)? {
                None => Progress::More(part),
                Some(true) => Progress::Complete,
                Some(false) => Progress::Next(Part::Trailers),
            },
        })
    }

    /// Takes up to `left` bytes of content and returns how many are still to come.
    fn keep(&mut self, left: u64, input: &mut &[u8]) -> u64 {
        let taken = usize::try_from(left).map_or(input.len(), |left| left.min(input.len()));
        let (content, rest) = input.split_at(taken);
        let room = LONGEST_KEPT.saturating_sub(self.body.len());
        self.body.extend_from_slice(&content[..taken.min(room)]);
        *input = rest;
        left - taken as u64
    }

    /// Reads one line, which may have begun in an earlier piece.
    fn line<T>(&mut self, input: &mut &[u8], read: impl FnOnce(&[u8]) -> T) -> Result<Option<T>, Malformed> {
        let mut rest = *input;
        let Some(line) = take_line(&mut rest) else {
            self.partial.extend_from_slice(input);
            *input = &[];
            return self.check_partial(LONGEST_LINE).map(|()| None);
        };
        *input = rest;
        if self.partial.is_empty() {
            return Ok(Some(read(line)));
        }
        self.partial.extend_from_slice(line);
        self.check_partial(LONGEST_LINE)?;
        let value = read(self.partial.strip_suffix(b"\r").unwrap_or(&self.partial));
        self.partial.clear();
        Ok(Some(value))
    }
}

enum Progress {
    /// Wait for more bytes in this part.
    More(Part),
    /// Go on with this part.
    Next(Part),
    Complete,
}

fn first_part(length: Length) -> Part {
    match length {
        Length::Known(length) => Part::Counted(length),
        Length::Chunked => Part::ChunkSize,
        Length::UntilClose => Part::UntilClose,
    }
}

fn parse_chunk_size(line: &[u8]) -> Result<u64, Malformed> {
    let digits = line.split(|byte| *byte == b';').next().unwrap_or_default().trim_ascii();
    if digits.is_empty() || digits.len() > 15 {
        return Err(NO_CHUNK_SIZE);
    }
    let text = std::str::from_utf8(digits).map_err(|_| NO_CHUNK_SIZE)?;
    if text.starts_with('+') {
        return Err(NO_CHUNK_SIZE);
    }
    u64::from_str_radix(text, 16).map_err(|_| NO_CHUNK_SIZE)
}

#[cfg(test)]
mod tests {
    use super::*;

    type Expected<'a> = &'a [(u16, &'a str, bool)];
    type Parsed = Result<Vec<(u16, Vec<u8>, bool)>, Malformed>;

    /// All replies of a text that arrives in pieces of a size, and then the end of the connection.
    fn replies(text: &[u8], piece: usize) -> Parsed {
        let mut parser = ReplyParser::default();
        let mut found = Vec::new();
        for piece in text.chunks(piece) {
            let mut input = piece;
            while let Some(reply) = parser.feed(&mut input)? {
                found.push((reply.status, reply.body(&parser).to_vec(), reply.keeps_alive));
                if input.is_empty() {
                    break;
                }
            }
        }
        found.extend(parser.end().map(|reply| (reply.status, reply.body(&parser).to_vec(), reply.keeps_alive)));
        Ok(found)
    }

    fn in_all_pieces(text: &str) -> Parsed {
        let whole = replies(text.as_bytes(), text.len());
        for piece in 1..text.len() {
            assert_eq!(replies(text.as_bytes(), piece), whole, "{text:?} in pieces of {piece}");
        }
        whole
    }

    #[test]
    fn replies_are_parsed_in_pieces_of_any_size() {
        let cases: [(&str, Expected<'_>); 10] = [
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", &[(200, "hi", true)]),
            (
                "HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:1\r\n\r\nx",
                &[(204, "", true), (200, "x", true)],
            ),
            ("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: Close\r\n\r\nhi", &[(200, "hi", false)]),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nhi", &[(200, "hi", false)]),
            ("HTTP/1.0 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nhi", &[(200, "hi", true)]),
            ("HTTP/1.0 200 OK\r\n\r\nall that comes", &[(200, "all that comes", false)]),
            ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", &[(101, "", false)]),
            ("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 503 \r\nContent-Length: 0\r\n\r\n", &[(503, "", true)]),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3;x=y\r\nabc\r\nA\r\n0123456789\r\n0\r\nT: v\r\n\r\n",
                &[(200, "abc0123456789", true)],
            ),
            ("HTTP/1.1 200\nContent-Length: 1\n\nx", &[(200, "x", true)]),
        ];
        for (text, expected) in cases {
            let expected: Vec<_> = expected.iter().map(|(s, b, k)| (*s, b.as_bytes().to_vec(), *k)).collect();
            assert_eq!(in_all_pieces(text), Ok(expected), "{text:?}");
        }
    }

    #[test]
    fn invalid_replies_are_refused() {
        for text in [
            "garbage",
            "HTTP/2 200 OK\r\n\r\n",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/1.1 2000 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
            "HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        ] {
            assert!(in_all_pieces(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn what_is_missing_of_a_reply_is_named() {
        for (text, expected) in [
            ("HTTP/1.1 200 OK\r\nContent-Le", Some("its head is incomplete")),
            ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\na", Some("2 bytes of its body are missing")),
            ("HTTP/1.1 200 OK\r\n\r\na", Some("its body lasts until the connection is closed")),
            ("HTTP/1.1 200 OK\r\nContent-Type: Text/Event-Stream; charset=utf-8\r\n\r\n", Some(EVENTS)),
            ("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n", Some(EVENTS)),
            ("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", None),
        ] {
            let mut parser = ReplyParser::default();
            parser.expect(false, true);
            assert!(parser.feed(&mut text.as_bytes()).is_ok());
            assert_eq!(parser.missing().as_deref(), expected, "{text:?}");
        }
    }

    const EVENTS: &str = "it is a stream of server-sent events";

    #[test]
    fn an_endless_head_is_refused() {
        let text = format!("HTTP/1.1 200 OK\r\nX: {}", "a".repeat(2 * LONGEST_HEAD));
        assert!(replies(text.as_bytes(), 1000).is_err());
    }
}
