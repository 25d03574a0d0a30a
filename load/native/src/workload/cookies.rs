//! The cookies of one virtual user: names and values, whatever their paths and domains, for one target alone.

use crate::wire::http1::headers_named;

/// The cookies that a user sends back.
#[derive(Debug, Clone, Default)]
pub struct Cookies {
    pairs: Vec<(Vec<u8>, Vec<u8>)>,
    /// The header line that carries them; empty without any.
    line: Vec<u8>,
}

impl Cookies {
    /// Takes the cookies that the head of a reply sets; one without a future is removed.
    pub fn take(&mut self, head: &[u8]) {
        let mut is_changed = false;
        for cookie in headers_named(head, "set-cookie") {
            is_changed |= self.set(cookie);
        }
        if is_changed {
            self.line = self.written();
        }
    }

    /// The header line with its end; empty without cookies.
    #[must_use]
    pub fn line(&self) -> &[u8] {
        &self.line
    }

    fn set(&mut self, cookie: &[u8]) -> bool {
        let mut parts = cookie.split(|byte| *byte == b';').map(<[u8]>::trim_ascii);
        let Some((name, value)) = parts.next().and_then(pair) else { return false };
        self.pairs.retain(|(known, _)| known != name);
        if !parts.any(ends) {
            self.pairs.push((name.to_vec(), value.to_vec()));
        }
        true
    }

    fn written(&self) -> Vec<u8> {
        let pairs: Vec<Vec<u8>> =
            self.pairs.iter().map(|(name, value)| [name.as_slice(), b"=", value].concat()).collect();
        if pairs.is_empty() { Vec::new() } else { [b"cookie: ".as_slice(), &pairs.join(&b"; "[..]), b"\r\n"].concat() }
    }
}

fn pair(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = text.iter().position(|byte| *byte == b'=').filter(|at| *at > 0)?;
    Some((&text[..at], &text[at + 1..]))
}

/// Whether an attribute ends a cookie: `Max-Age` of zero or less, or `Expires` in 1970, as servers write it.
fn ends(attribute: &[u8]) -> bool {
    let Some((name, value)) = pair(attribute) else { return false };
    let value = String::from_utf8_lossy(value);
    (name.eq_ignore_ascii_case(b"max-age") && value.parse::<i64>().is_ok_and(|seconds| seconds <= 0))
        || (name.eq_ignore_ascii_case(b"expires") && value.contains("1970"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cookies_are_set_replaced_and_removed() {
        let mut cookies = Cookies::default();
        for (headers, line) in [
            ("", ""),
            ("Set-Cookie: a=1; Path=/; HttpOnly\r\nset-cookie: b=x=y\r\n", "cookie: a=1; b=x=y\r\n"),
            ("Set-Cookie: a=2; Max-Age=60\r\n", "cookie: b=x=y; a=2\r\n"),
            ("Set-Cookie: b=; Max-Age=0\r\n", "cookie: a=2\r\n"),
            ("Set-Cookie: nonsense\r\n", "cookie: a=2\r\n"),
            ("Set-Cookie: a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT\r\n", ""),
        ] {
            cookies.take(format!("HTTP/1.1 200 OK\r\n{headers}\r\n").as_bytes());
            assert_eq!(String::from_utf8_lossy(cookies.line()), line, "{headers}");
        }
    }
}
