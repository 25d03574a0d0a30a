//! RFC 8259, byte by byte and without recursion, because a hostile body can nest as deep as it is long.

/// The text is not JSON.
#[derive(Debug, PartialEq, Eq)]
pub struct SyntaxError;

/// The inside of a string, between its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawString<'a> {
    pub inside: &'a str,
    pub escaped: bool,
}

/// The literal of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawNumber<'a> {
    pub literal: &'a str,
    /// Neither fraction nor exponent.
    pub integer: bool,
}

/// Is called for each part of a value that the reader walks over.
pub trait Visitor {
    /// A string or the name of a member.
    fn string(&mut self, string: RawString<'_>);
    /// A number.
    fn number(&mut self, number: RawNumber<'_>);
    /// An object or array opens, `depth` levels deep, the outermost being 1.
    fn opens(&mut self, depth: usize);
}

/// Ignores every part.
pub struct Ignore;

impl Visitor for Ignore {
    fn string(&mut self, _: RawString<'_>) {}
    fn number(&mut self, _: RawNumber<'_>) {}
    fn opens(&mut self, _: usize) {}
}

/// Reads a text from its start to its end.
pub struct Reader<'a> {
    text: &'a str,
    position: usize,
    /// The closing brackets that a walk expects; a field so that its memory is reused.
    open: Vec<u8>,
}

impl<'a> Reader<'a> {
    pub fn new(text: &'a str) -> Self {
        Self { text, position: 0, open: Vec::new() }
    }

    /// Bytes read.
    pub fn position(&self) -> usize {
        self.position
    }

    /// The text between two positions.
    pub fn text(&self, start: usize, end: usize) -> &'a str {
        &self.text[start..end]
    }

    /// The first byte of the next token, which is not read yet; 0 at the end, which begins no token.
    pub fn peek(&mut self) -> u8 {
        while matches!(self.byte(), b' ' | b'\n' | b'\t' | b'\r') {
            self.position += 1;
        }
        self.byte()
    }

    /// Nothing but white space is left.
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        self.peek();
        if self.position == self.text.len() { Ok(()) } else { Err(SyntaxError) }
    }

    /// Reads an object; `member` reads the value of each.
    pub fn object(
        &mut self,
        mut member: impl FnMut(&mut Self, RawString<'a>) -> Result<(), SyntaxError>,
    ) -> Result<(), SyntaxError> {
        self.token(b'{')?;
        if self.take(b'}') {
            return Ok(());
        }
        loop {
            let name = self.name()?;
            member(self, name)?;
            if !self.take(b',') {
                return self.token(b'}');
            }
        }
    }

    /// Reads an array; `element` reads each.
    pub fn array(&mut self, mut element: impl FnMut(&mut Self) -> Result<(), SyntaxError>) -> Result<(), SyntaxError> {
        self.token(b'[')?;
        if self.take(b']') {
            return Ok(());
        }
        loop {
            element(self)?;
            if !self.take(b',') {
                return self.token(b']');
            }
        }
    }

    /// Reads a value of any kind to its end.
    pub fn walk(&mut self, visitor: &mut impl Visitor) -> Result<(), SyntaxError> {
        self.open.clear();
        loop {
            if self.opening(visitor)? {
                continue;
            }
            loop {
                let Some(&closing) = self.open.last() else {
                    return Ok(());
                };
                if self.take(b',') {
                    if closing == b'}' {
                        visitor.string(self.name()?);
                    }
                    break;
                }
                self.token(closing)?;
                self.open.pop();
            }
        }
    }

    /// Reads a scalar, an empty object or array, or the opening of one that is not empty: then a value follows.
    fn opening(&mut self, visitor: &mut impl Visitor) -> Result<bool, SyntaxError> {
        let closing = match self.peek() {
            b'{' => b'}',
            b'[' => b']',
            _ => return self.scalar(visitor).map(|()| false),
        };
        self.position += 1;
        visitor.opens(self.open.len() + 1);
        if self.take(closing) {
            return Ok(false);
        }
        self.open.push(closing);
        if closing == b'}' {
            visitor.string(self.name()?);
        }
        Ok(true)
    }

    fn scalar(&mut self, visitor: &mut impl Visitor) -> Result<(), SyntaxError> {
        match self.peek() {
            b'"' => visitor.string(self.string()?),
            b'-' | b'0'..=b'9' => visitor.number(self.number()?),
            b't' => self.word("true")?,
            b'f' => self.word("false")?,
            _ => self.null()?,
        }
        Ok(())
    }

    pub fn null(&mut self) -> Result<(), SyntaxError> {
        self.word("null")
    }

    /// Reads a string.
    pub fn string(&mut self) -> Result<RawString<'a>, SyntaxError> {
        self.token(b'"')?;
        let start = self.position;
        let mut escaped = false;
        loop {
            match self.byte() {
                b'"' => break,
                b'\\' => {
                    escaped = true;
                    self.position += 1;
                    self.escape()?;
                }
                // 0 also marks the end of the text; a NUL character here is equally invalid.
                0..=0x1f => return Err(SyntaxError),
                _ => self.position += 1,
            }
        }
        let inside = &self.text[start..self.position];
        self.position += 1;
        Ok(RawString { inside, escaped })
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        match self.byte() {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => self.position += 1,
            b'u' => {
                let digits = self.text.as_bytes().get(self.position + 1..self.position + 5);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(SyntaxError);
                }
                self.position += 5;
            }
            _ => return Err(SyntaxError),
        }
        Ok(())
    }

    /// Reads a number.
    pub fn number(&mut self) -> Result<RawNumber<'a>, SyntaxError> {
        self.peek();
        let start = self.position;
        self.take_byte(b'-');
        if !self.take_byte(b'0') {
            self.digits()?;
        }
        let mut integer = true;
        if self.take_byte(b'.') {
            integer = false;
            self.digits()?;
        }
        if self.take_byte(b'e') || self.take_byte(b'E') {
            integer = false;
            let _sign = self.take_byte(b'-') || self.take_byte(b'+');
            self.digits()?;
        }
        Ok(RawNumber { literal: &self.text[start..self.position], integer })
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.position;
        while self.byte().is_ascii_digit() {
            self.position += 1;
        }
        if self.position > start { Ok(()) } else { Err(SyntaxError) }
    }

    fn name(&mut self) -> Result<RawString<'a>, SyntaxError> {
        let name = self.string()?;
        self.token(b':')?;
        Ok(name)
    }

    fn word(&mut self, word: &str) -> Result<(), SyntaxError> {
        self.peek();
        if !self.text.as_bytes()[self.position..].starts_with(word.as_bytes()) {
            return Err(SyntaxError);
        }
        self.position += word.len();
        Ok(())
    }

    fn token(&mut self, token: u8) -> Result<(), SyntaxError> {
        if self.take(token) { Ok(()) } else { Err(SyntaxError) }
    }

    /// Reads the next token if it is this one.
    fn take(&mut self, token: u8) -> bool {
        self.peek();
        self.take_byte(token)
    }

    fn take_byte(&mut self, byte: u8) -> bool {
        let found = self.byte() == byte;
        self.position += usize::from(found);
        found
    }

    /// 0 at the end of the text.
    fn byte(&self) -> u8 {
        self.text.as_bytes().get(self.position).copied().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_json(text: &str) -> bool {
        let mut reader = Reader::new(text);
        reader.walk(&mut Ignore).and_then(|()| reader.end()).is_ok()
    }

    const SEEDS: [&str; 8] = [
        r#"{"a":[1,-2.5e+10,0.1E-7,{"b":null}],"c":"x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00"}"#,
        r#" [ true , false , null , [ ] , { } , [ [ ] ] , { "a" : { } } ] "#,
        r#""plain ä 日本""#,
        "-0",
        "[0,10,1.0,1e5,1E5,-1.5e-05]",
        r#"{"":{"":""}}"#,
        "[[[[[[1]]]]]]",
        r#"{"k":"\u12aF"}"#,
    ];

    #[test]
    fn accepts_what_serde_json_accepts_and_nothing_else() {
        // Every seed, with each byte dropped, doubled or replaced, and cut off after it.
        let mut accepted = 0;
        for seed in SEEDS {
            assert!(is_json(seed), "{seed}");
            for position in 0..seed.len() {
                for variant in variants(seed.as_bytes(), position) {
                    let Ok(text) = String::from_utf8(variant) else { continue };
                    let expected = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
                    assert_eq!(is_json(&text), expected, "{text}");
                    accepted += usize::from(expected);
                }
            }
        }
        assert!(accepted > 100, "some variants must be valid: {accepted}");
    }

    fn variants(seed: &[u8], position: usize) -> Vec<Vec<u8>> {
        let (before, after) = (&seed[..position], &seed[position + 1..]);
        let mut variants = vec![before.to_vec(), [before, after].concat()];
        let byte = seed[position];
        for other in *b"\0\x1f \n\"\\/{}[]:,.-+01eEuatfn" {
            variants.push([before, &[other], after].concat());
            variants.push([before, &[other, byte], after].concat());
        }
        variants
    }

    #[test]
    fn white_space_is_the_four_characters_of_the_rfc() {
        assert!(is_json(" \t\r\n[ \t\r\n1 \t\r\n, 2 ] \t\r\n"));
        for space in ["\u{feff}", "\u{a0}", "\u{b}", "\u{c}", "\0"] {
            assert!(!is_json(&format!("{space}1")), "{space:?}");
            assert!(!is_json(&format!("1{space}")), "{space:?}");
        }
    }

    #[test]
    fn depth_costs_no_stack() {
        let levels = 1_000_000;
        assert!(is_json(&("[".repeat(levels) + &"]".repeat(levels))));
        assert!(!is_json(&"[".repeat(levels)));
        assert!(!is_json(&r#"{"a":"#.repeat(levels)));
    }

    #[test]
    fn numbers_know_whether_they_are_integers() {
        for (text, integer) in [("0", true), ("-12", true), ("1.0", false), ("1e0", false), ("-0.5E-1", false)] {
            assert_eq!(Reader::new(text).number(), Ok(RawNumber { literal: text, integer }));
        }
    }
}
