//! HTTP/1.1 requests: only their boundaries are parsed.

use memchr::memmem;

/// The reply to every request.
pub fn reply(body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// The requests of one connection.
#[derive(Debug, Default)]
pub struct Requests {
    head: Vec<u8>,
    /// Bytes of the body still to come.
    body_left: usize,
}

const LONGEST_HEAD: usize = 64 * 1024;

impl Requests {
    /// Answers complete requests. False when the bytes are not HTTP that it understands.
    pub fn take(&mut self, input: &[u8], reply: &[u8], out: &mut Vec<u8>) -> bool {
        let mut kept = std::mem::take(&mut self.head);
        let mut input = if kept.is_empty() {
            input
        } else {
            kept.extend_from_slice(input);
            &kept
        };
        while !input.is_empty() {
            if self.body_left > 0 {
                let taken = self.body_left.min(input.len());
                input = &input[taken..];
                self.body_left -= taken;
                if self.body_left == 0 {
                    out.extend_from_slice(reply);
                }
                continue;
            }
            let Some(end) = memmem::find(input, b"\r\n\r\n") else {
                self.head = input.to_vec();
                return self.head.len() <= LONGEST_HEAD;
            };
            let Some(length) = content_length(&input[..end + 2]) else {
                return false;
            };
            input = &input[end + 4..];
            self.body_left = length;
            if length == 0 {
                out.extend_from_slice(reply);
            }
        }
        true
    }
}

/// Length of the body that follows a head; none when it is unknown.
fn content_length(head: &[u8]) -> Option<usize> {
    const NAME: &[u8] = b"content-length:";
    for line in head.split(|byte| *byte == b'\n') {
        if line.len() > NAME.len() && line[..NAME.len()].eq_ignore_ascii_case(NAME) {
            return std::str::from_utf8(&line[NAME.len()..]).ok()?.trim().parse().ok();
        }
    }
    let chunked = memmem::find(&head.to_ascii_lowercase(), b"transfer-encoding: chunked").is_some();
    if chunked { None } else { Some(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replies(pieces: &[&str]) -> (bool, usize) {
        let mut requests = Requests::default();
        let mut out = Vec::new();
        let understood = pieces.iter().all(|piece| requests.take(piece.as_bytes(), b"!", &mut out));
        (understood, out.len())
    }

    #[test]
    fn each_complete_request_has_one_reply() {
        let cases: [(&[&str], (bool, usize)); 6] = [
            (&["GET / HTTP/1.1\r\n\r\n"], (true, 1)),
            (&["GET / HTTP/1.1\r\n", "Host: x\r\n\r", "\n"], (true, 1)),
            (&["POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", "cd", "GET / HTTP/1.1\r\n\r\n"], (true, 2)),
            (&["POST / HTTP/1.1\r\ncontent-length: 4\r\n\r\nabc"], (true, 0)),
            (&["GET / HTTP/1.1\r\n\r\nGET / HTTP/1.1\r\n\r\n"], (true, 2)),
            (&["POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"], (false, 0)),
        ];
        for (pieces, expected) in cases {
            assert_eq!(replies(pieces), expected, "{pieces:?}");
        }
    }
}
