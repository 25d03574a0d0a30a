//! Escape sequences of JSON strings.

use crate::draft::Flaw;

/// Decodes the inside of a string whose syntax has been checked.
pub fn unescape(inside: &str) -> Result<String, Flaw> {
    let mut text = String::with_capacity(inside.len());
    unescape_pieces(inside, |piece| text.push_str(piece))?;
    Ok(text)
}

/// The reason why the inside of a string cannot be stored, if there is one.
pub fn flaw(inside: &str) -> Option<Flaw> {
    unescape_pieces(inside, |_| ()).err()
}

fn unescape_pieces(inside: &str, mut piece: impl FnMut(&str)) -> Result<(), Flaw> {
    let mut rest = inside;
    while let Some(backslash) = memchr::memchr(b'\\', rest.as_bytes()) {
        piece(&rest[..backslash]);
        let (character, length) = escape(&rest[backslash..])?;
        piece(character.encode_utf8(&mut [0; 4]));
        rest = &rest[backslash + length..];
    }
    piece(rest);
    Ok(())
}

/// Decodes the escape at the start of `text`: its character and its length.
fn escape(text: &str) -> Result<(char, usize), Flaw> {
    let character = match text.as_bytes()[1] {
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode_escape(text),
        itself => char::from(itself),
    };
    Ok((character, 2))
}

fn unicode_escape(text: &str) -> Result<(char, usize), Flaw> {
    match code_unit(text) {
        Some(0) => Err(Flaw::Nul),
        Some(high @ 0xd800..=0xdbff) => match code_unit(&text[6..]) {
            Some(low @ 0xdc00..=0xdfff) => {
                let character = char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                character.map(|character| (character, 12)).ok_or(Flaw::LoneSurrogate)
            }
            _ => Err(Flaw::LoneSurrogate),
        },
        unit => unit.and_then(char::from_u32).map(|character| (character, 6)).ok_or(Flaw::LoneSurrogate),
    }
}

/// The UTF-16 code unit of the `\uXXXX` at the start of `text`, if there is one.
fn code_unit(text: &str) -> Option<u32> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_stand_for_characters() {
        for (inside, text) in [
            ("", ""),
            ("plain ä", "plain ä"),
            (r#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{c}\n\r\t"),
            (r"a\u00e9b", "aéb"),
            (r"\u00E9\u0001", "é\u{1}"),
            (r"\ud83d\ude00", "😀"),
            (r"\uD800\uDC00\uDBFF\uDFFF", "\u{10000}\u{10ffff}"),
            (r"\ud7ff\ue000\uffff", "\u{d7ff}\u{e000}\u{ffff}"),
            (r"\\u0000", r"\u0000"),
        ] {
            assert_eq!(unescape(inside).as_deref(), Ok(text), "{inside}");
            assert_eq!(flaw(inside), None, "{inside}");
        }
    }

    #[test]
    fn what_cannot_be_stored() {
        for (inside, expected) in [
            (r"\u0000", Flaw::Nul),
            (r"a\\\u0000", Flaw::Nul),
            (r"\ud800", Flaw::LoneSurrogate),
            (r"\udc00", Flaw::LoneSurrogate),
            (r"\ude00\ud83d", Flaw::LoneSurrogate),
            (r"\ud83dx", Flaw::LoneSurrogate),
            (r"\ud83d\n", Flaw::LoneSurrogate),
            (r"\ud83d\u0041", Flaw::LoneSurrogate),
            (r"\ud83d\ud83d\ude00", Flaw::LoneSurrogate),
            (r"\udbff日", Flaw::LoneSurrogate),
        ] {
            assert_eq!(unescape(inside), Err(expected), "{inside}");
            assert_eq!(flaw(inside), Some(expected), "{inside}");
        }
    }
}
