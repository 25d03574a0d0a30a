//! JSON as raw text: enough to take objects apart and to compare values as `jsonb` does, without building trees.

use memchr::{memchr2, memchr3};

use crate::plan::Write;

/// The members of an object, or none when the text is no object.
pub fn members(object: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    let mut scanner = Scanner { text: object, at: 0 };
    scanner.expect(b'{')?;
    let mut members: Vec<(&[u8], &[u8])> = Vec::with_capacity(12);
    if scanner.take(b'}') {
        return Some(members);
    }
    loop {
        let name = scanner.name()?;
        let value = scanner.value()?;
        // As in jsonb, the last one of the same name wins.
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some((_, known)) => *known = value,
            None => members.push((name, value)),
        }
        if scanner.take(b'}') {
            return Some(members);
        }
        scanner.expect(b',')?;
    }
}

/// The items of an array, or none when the text is no array.
pub fn items(array: &[u8]) -> Option<Vec<&[u8]>> {
    let mut scanner = Scanner { text: array, at: 0 };
    scanner.expect(b'[')?;
    let mut items = Vec::new();
    if scanner.take(b']') {
        return Some(items);
    }
    loop {
        items.push(scanner.value()?);
        if scanner.take(b']') {
            return Some(items);
        }
        scanner.expect(b',')?;
    }
}

/// A JSON pointer, taken apart once for all the documents that it is followed in.
#[derive(Debug, Default)]
pub struct Pointer {
    tokens: Vec<Token>,
}

#[derive(Debug)]
struct Token {
    name: String,
    index: Option<usize>,
}

impl Pointer {
    #[must_use]
    pub fn new(text: &str) -> Self {
        let token = |raw: &str| Token { name: raw.replace("~1", "/").replace("~0", "~"), index: raw.parse().ok() };
        Self { tokens: text.split('/').skip(1).map(token).collect() }
    }

    /// The value that it leads to.
    #[must_use]
    pub fn find<'a>(&self, document: &'a [u8]) -> Option<&'a [u8]> {
        if self.tokens.is_empty() {
            return Some(document.trim_ascii());
        }
        Scanner { text: document, at: 0 }.pointed(&self.tokens)?
    }
}

/// The part of a message that is stored: a value, or some members of an object.
#[derive(Debug, Default)]
pub struct StoredPart {
    pointer: Pointer,
    members: Option<Vec<String>>,
}

impl StoredPart {
    #[must_use]
    pub fn of(write: &Write) -> Self {
        Self { pointer: Pointer::new(&write.document), members: write.members.clone() }
    }

    /// Appends the part to `out`; nothing where the message does not have it.
    pub fn copy(&self, message: &[u8], out: &mut Vec<u8>) {
        let found = self.pointer.find(message).unwrap_or_default();
        let (Some(kept), Some(present)) = (&self.members, members(found)) else {
            out.extend_from_slice(found);
            return;
        };
        let is_kept = |name: &[u8]| kept.iter().any(|member| same_text(name, member.as_bytes()));
        out.push(b'{');
        for (index, (name, value)) in present.into_iter().filter(|(name, _)| is_kept(name)).enumerate() {
            out.extend_from_slice(if index == 0 { b"\"" } else { b",\"" });
            out.extend_from_slice(name);
            out.extend_from_slice(b"\":");
            out.extend_from_slice(value);
        }
        out.push(b'}');
    }
}

/// Compares a name as written with plain text.
fn same_text(raw: &[u8], text: &[u8]) -> bool {
    raw == text || (raw.contains(&b'\\') && unescaped(raw).is_some_and(|name| name.as_bytes() == text))
}

/// Whether two values are equal as `jsonb`: numbers by value, objects in any order.
pub fn equal(left: &[u8], right: &[u8]) -> bool {
    if left == right {
        return true;
    }
    match (left.first(), right.first()) {
        (Some(b'{'), Some(b'{')) => equal_objects(left, right).unwrap_or(false),
        (Some(b'['), Some(b'[')) => match (items(left), items(right)) {
            (Some(left), Some(right)) => {
                left.len() == right.len() && left.iter().zip(&right).all(|(left, right)| equal(left, right))
            }
            _ => false,
        },
        (Some(b'"'), Some(b'"')) => match (inside(left).and_then(unescaped), inside(right).and_then(unescaped)) {
            (Some(left), Some(right)) => left == right,
            _ => false,
        },
        (Some(b'-' | b'0'..=b'9'), Some(b'-' | b'0'..=b'9')) => {
            matches!((Decimal::of(left), Decimal::of(right)), (Some(left), Some(right)) if left == right)
        }
        _ => false,
    }
}

fn equal_objects(left: &[u8], right: &[u8]) -> Option<bool> {
    let (left, right) = (members(left)?, members(right)?);
    let in_right = |(name, value): &(&[u8], &[u8])| find(&right, name).is_some_and(|other| equal(value, other));
    Some(left.len() == right.len() && left.iter().all(in_right))
}

/// The value of a member by its name as it is written.
pub fn find<'a>(members: &[(&[u8], &'a [u8])], name: &[u8]) -> Option<&'a [u8]> {
    let exact = members.iter().find(|(known, _)| *known == name);
    let written_otherwise = || {
        let name = unescaped(name)?;
        members.iter().find(|(known, _)| same_text(known, name.as_bytes()))
    };
    exact.or_else(written_otherwise).map(|(_, value)| *value)
}

fn inside(string: &[u8]) -> Option<&[u8]> {
    string.strip_prefix(b"\"")?.strip_suffix(b"\"")
}

fn unescaped(inside: &[u8]) -> Option<String> {
    crate::message::unescape(inside)
}

/// A number as sign, digits without zeros at either end, and the power of ten of the last digit.
#[derive(Debug, PartialEq, Eq)]
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    fn of(text: &[u8]) -> Option<Self> {
        let negative = text.first() == Some(&b'-');
        let text = &text[usize::from(negative)..];
        let (mantissa, exponent) = match memchr2(b'e', b'E', text) {
            Some(at) => (&text[..at], std::str::from_utf8(&text[at + 1..]).ok()?.parse::<i64>().ok()?),
            None => (text, 0),
        };
        let mut digits = Vec::with_capacity(mantissa.len());
        let mut places = 0;
        for (at, byte) in mantissa.iter().enumerate() {
            match byte {
                b'0'..=b'9' => digits.push(*byte),
                b'.' => places = mantissa.len() - at - 1,
                _ => return None,
            }
        }
        let mut exponent = exponent.checked_sub(i64::try_from(places).ok()?)?;
        while digits.last() == Some(&b'0') {
            digits.pop();
            exponent += 1;
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        if digits.is_empty() {
            return Some(Self { negative: false, digits, exponent: 0 });
        }
        Some(Self { negative, digits, exponent })
    }
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl<'a> Scanner<'a> {
    fn skip_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\n' | b'\r' | b'\t')) {
            self.at += 1;
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, byte: u8) -> Option<()> {
        self.take(byte).then_some(())
    }

    /// The inside of a string, as it is written.
    fn string(&mut self) -> Option<&'a [u8]> {
        if self.text.get(self.at) != Some(&b'"') {
            return None;
        }
        let start = self.at + 1;
        let mut at = start;
        loop {
            at += memchr2(b'"', b'\\', self.text.get(at..)?)?;
            if self.text[at] == b'"' {
                self.at = at + 1;
                return Some(&self.text[start..at]);
            }
            at += 2;
        }
    }

    /// The name of a member, and the colon after it.
    fn name(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let name = self.string()?;
        self.expect(b':')?;
        Some(name)
    }

    /// Any value, as it is written.
    fn value(&mut self) -> Option<&'a [u8]> {
        self.skip_space();
        let start = self.at;
        match self.text.get(start)? {
            b'"' => {
                self.string()?;
            }
            b'{' | b'[' => self.skip_nested()?,
            _ => {
                let rest = &self.text[start..];
                let length = memchr3(b',', b'}', b']', rest).unwrap_or(rest.len());
                self.at += length;
                return Some(rest[..length].trim_ascii_end()).filter(|value| !value.is_empty());
            }
        }
        Some(&self.text[start..self.at])
    }

    /// Scans a value once and returns the value that these tokens lead to, if any.
    fn pointed(&mut self, tokens: &[Token]) -> Option<Option<&'a [u8]>> {
        let Some((token, rest)) = tokens.split_first() else { return self.value().map(Some) };
        self.skip_space();
        let (is_object, close) = match self.text.get(self.at)? {
            b'{' => (true, b'}'),
            b'[' => (false, b']'),
            _ => return self.value().map(|_| None),
        };
        self.at += 1;
        let mut found = None;
        if self.take(close) {
            return Some(found);
        }
        for index in 0.. {
            let is_next =
                if is_object { same_text(self.name()?, token.name.as_bytes()) } else { token.index == Some(index) };
            if is_next {
                // As in jsonb, the last one of the same name wins.
                found = self.pointed(rest)?;
            } else {
                self.value()?;
            }
            if self.take(close) {
                break;
            }
            self.expect(b',')?;
        }
        Some(found)
    }

    fn skip_nested(&mut self) -> Option<()> {
        let mut depth = 0_usize;
        loop {
            match self.text.get(self.at)? {
                b'"' => {
                    self.string()?;
                    continue;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Some(());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_compared_as_jsonb_does() {
        for (left, right, same) in [
            ("1", "1.0", true),
            ("0.10", "1e-1", true),
            ("-0", "0", true),
            ("100", "1E2", true),
            ("12345678901234567890", "12345678901234567891", false),
            ("1", "-1", false),
            ("1", "\"1\"", false),
            (r#""é""#, r#""\u00e9""#, true),
            (r#""a""#, r#""b""#, false),
            (r#"{"a":1,"b":[true,null]}"#, r#"{"b": [true, null], "a": 1.00}"#, true),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            ("[1,2]", "[2,1]", false),
            (r#"{"a":"}\"]"}"#, r#"{ "a" : "}\"]" }"#, true),
            ("null", "false", false),
            ("{}", "[]", false),
        ] {
            assert_eq!(equal(left.as_bytes(), right.as_bytes()), same, "{left} {right}");
            assert_eq!(equal(right.as_bytes(), left.as_bytes()), same, "{right} {left}");
        }
    }

    #[test]
    fn a_stored_part_is_a_value_or_some_members_of_an_object() {
        let message = br#"{"id":"7","user":{"na\u006de":"Ada","email":"a@b","x":[1]}}"#;
        let part = |document: &str, members: Option<&[&str]>| {
            let members = members.map(|names| names.iter().map(|&name| name.to_owned()).collect());
            let write = Write { document: document.to_owned(), members, key: Vec::new() };
            let mut out = Vec::new();
            StoredPart::of(&write).copy(message, &mut out);
            String::from_utf8(out).expect("UTF-8")
        };
        assert_eq!(part("/id", None), r#""7""#);
        assert_eq!(part("/user", Some(&["name", "email"])), r#"{"na\u006de":"Ada","email":"a@b"}"#);
        assert_eq!(part("/user", Some(&["x", "absent"])), r#"{"x":[1]}"#);
        assert_eq!(part("/user", Some(&["absent"])), "{}");
        assert_eq!(part("/absent", Some(&["x"])), "");
    }

    #[test]
    fn pointers_lead_into_objects_and_arrays() {
        let document = br#"{"a":{"b":[10,{"c~/d":"x"}]}}"#;
        for (pointer, found) in [
            ("", Some(&document[..])),
            ("/a/b/0", Some(b"10")),
            ("/a/b/1/c~0~1d", Some(br#""x""#)),
            ("/a/b/2", None),
            ("/a/x", None),
            ("/a/b/0/y", None),
        ] {
            assert_eq!(Pointer::new(pointer).find(document), found, "{pointer}");
        }
        let twice = br#" {"a": {"b": 1}, "b": "}", "\u0061": {"c": [ ], "b" : [2, 3] } } "#;
        assert_eq!(Pointer::new("/a/b/1").find(twice), Some(&b"3"[..]), "the last one of the same name wins");
        let gone = br#"{"a":{"b":1},"a":{}}"#;
        assert_eq!(Pointer::new("/a/b").find(gone), None);
    }

    #[test]
    fn invalid_text_yields_no_value() {
        for text in ["", "{", r#"{"a"#, r#"{"a":"#, r#"{"a":1"#, r#"{"a":[1}"#, r#"{"a":"x\"#, "{1:2}"] {
            assert!(members(text.as_bytes()).is_none_or(|members| members.len() < 2), "{text}");
            assert_eq!(Pointer::new("/b").find(text.as_bytes()), None, "{text}");
        }
        assert!(members(b"{").is_none() && members(br#"{"a":1"#).is_none());
    }
}
