//! The head of an HTTP/1 reply.

use memchr::memchr;

/// This is no HTTP/1 reply, and why.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed(pub &'static str);

const NOT_HTTP1: Malformed = Malformed("it does not begin with an HTTP/1 status line");

/// How a reply's body ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Length {
    Known(u64),
    Chunked,
    /// With the connection.
    UntilClose,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Head {
    pub status: u16,
    pub length: Length,
    pub keeps_alive: bool,
}

impl Head {
    /// Whether another reply follows to the same request; 101 ends the talk in HTTP.
    pub fn is_interim(&self) -> bool {
        self.status < 200 && self.status != 101
    }
}

/// Parses a head and returns it with its length; none while it is incomplete. `is_alone` when it answers a HEAD
/// and no body follows it.
///
/// # Errors
/// This is no HTTP/1 reply.
pub fn parse_head(bytes: &[u8], is_alone: bool) -> Result<Option<(Head, usize)>, Malformed> {
    let mut rest = bytes;
    let Some(line) = take_line(&mut rest) else {
        // Garbage is reported at once, not after a whole line of it.
        let known = bytes.len().min(5);
        return if bytes[..known] == b"HTTP/"[..known] { Ok(None) } else { Err(NOT_HTTP1) };
    };
    let (minor, status) = parse_status_line(line)?;
    let mut fields = Fields { keeps_alive: minor >= 1, chunked: false, length: None };
    loop {
        match take_line(&mut rest) {
            None => return Ok(None),
            Some(b"") => break,
            Some(line) => fields.take(line)?,
        }
    }
    Ok(Some((fields.head(status, is_alone), bytes.len() - rest.len())))
}

/// The value of a header; the first one of several.
#[must_use]
pub fn header<'a>(head: &'a [u8], name: &str) -> Option<&'a [u8]> {
    let mut rest = head;
    take_line(&mut rest)?;
    while let Some(line) = take_line(&mut rest) {
        let colon = memchr(b':', line)?;
        if line[..colon].eq_ignore_ascii_case(name.as_bytes()) {
            return Some(line[colon + 1..].trim_ascii());
        }
    }
    None
}

/// Whether a reply is a stream of server-sent events.
#[must_use]
pub fn is_event_stream(head: &[u8]) -> bool {
    let media_type = header(head, "content-type").unwrap_or_default();
    media_type.to_ascii_lowercase().starts_with(b"text/event-stream")
}

/// Names and values of all headers.
pub fn lines(head: &[u8]) -> impl Iterator<Item = (&[u8], &[u8])> {
    let mut rest = head;
    let _status = take_line(&mut rest);
    std::iter::from_fn(move || take_line(&mut rest)).filter_map(|line| {
        let colon = memchr(b':', line)?;
        Some((&line[..colon], line[colon + 1..].trim_ascii()))
    })
}

/// The values of all headers of a name.
pub fn headers_named<'a>(head: &'a [u8], name: &str) -> impl Iterator<Item = &'a [u8]> {
    lines(head).filter(move |(known, _)| known.eq_ignore_ascii_case(name.as_bytes())).map(|(_, value)| value)
}

/// The next line without its end.
pub(super) fn take_line<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let end = memchr(b'\n', rest)?;
    let line = &rest[..end];
    *rest = &rest[end + 1..];
    Some(line.strip_suffix(b"\r").unwrap_or(line))
}

fn parse_status_line(line: &[u8]) -> Result<(u8, u16), Malformed> {
    let rest = line.strip_prefix(b"HTTP/1.").ok_or(NOT_HTTP1)?;
    let [minor @ b'0'..=b'9', b' ', a, b, c, after @ ..] = rest else { return Err(NOT_HTTP1) };
    let digits = [a, b, c].map(|digit| digit.wrapping_sub(b'0'));
    let is_status =
        digits.iter().all(|digit| *digit <= 9) && digits[0] > 0 && matches!(after.first(), None | Some(b' '));
    if !is_status {
        return Err(Malformed("its status is not a number of three digits"));
    }
    Ok((minor - b'0', digits.iter().fold(0, |status, digit| status * 10 + u16::from(*digit))))
}

struct Fields {
    keeps_alive: bool,
    chunked: bool,
    length: Option<u64>,
}

impl Fields {
    #[inline]
    fn take(&mut self, line: &[u8]) -> Result<(), Malformed> {
        let colon = memchr(b':', line).ok_or(Malformed("a line of its head has no colon"))?;
        let (name, value) = (&line[..colon], line[colon + 1..].trim_ascii());
        // Only three names matter; comparing lengths first is quick.
        match name.len() {
            14 if name.eq_ignore_ascii_case(b"content-length") => {
                let length =
                    parse_length(value).ok_or(Malformed("its content-length is not a number of at most 18 digits"))?;
                if self.length.is_some_and(|known| known != length) {
                    return Err(Malformed("it has two content-length values"));
                }
                self.length = Some(length);
            }
            17 if name.eq_ignore_ascii_case(b"transfer-encoding") => {
                self.chunked = last_token(value).eq_ignore_ascii_case(b"chunked");
            }
            10 if name.eq_ignore_ascii_case(b"connection") => {
                for token in value.split(|byte| *byte == b',') {
                    match token.trim_ascii() {
                        token if token.eq_ignore_ascii_case(b"close") => self.keeps_alive = false,
                        token if token.eq_ignore_ascii_case(b"keep-alive") => self.keeps_alive = true,
                        _ => {}
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn head(&self, status: u16, is_alone: bool) -> Head {
        let length = match (self.chunked, self.length) {
            _ if is_alone || matches!(status, 100..=199 | 204 | 304) => Length::Known(0),
            (true, _) => Length::Chunked,
            (false, Some(length)) => Length::Known(length),
            (false, None) => Length::UntilClose,
        };
        // After 101 the connection speaks another protocol.
        let keeps_alive = self.keeps_alive && length != Length::UntilClose && status != 101;
        Head { status, length, keeps_alive }
    }
}

fn last_token(value: &[u8]) -> &[u8] {
    value.rsplit(|byte| *byte == b',').next().unwrap_or_default().trim_ascii()
}

fn parse_length(value: &[u8]) -> Option<u64> {
    if value.is_empty() || value.len() > 18 || !value.iter().all(u8::is_ascii_digit) {
        return None;
    }
    Some(value.iter().fold(0, |length, digit| length * 10 + u64::from(digit - b'0')))
}
