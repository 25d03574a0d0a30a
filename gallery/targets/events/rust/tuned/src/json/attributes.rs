//! `updatedAttributes`: its unchanged text, and whether it can be stored.

use std::borrow::Cow;

use super::reader::{RawNumber, RawString, Reader, SyntaxError, Visitor};
use crate::draft::{Attributes, Flaw};
use crate::escape;
use events_core::limits::ATTRIBUTE_DEPTH;
use events_core::number;

/// Reads an object as attributes.
pub fn attributes<'a>(reader: &mut Reader<'a>) -> Result<Attributes<'a>, SyntaxError> {
    let start = reader.position();
    let mut storability = Storability { flaw: None };
    reader.walk(&mut storability)?;
    let text = reader.text(start, reader.position());
    Ok(Attributes { text: Cow::Borrowed(text), flaw: storability.flaw })
}

/// Keeps the first flaw.
struct Storability {
    flaw: Option<Flaw>,
}

impl Visitor for Storability {
    fn string(&mut self, string: RawString<'_>) {
        if string.escaped && self.flaw.is_none() {
            self.flaw = escape::flaw(string.inside);
        }
    }

    fn number(&mut self, number: RawNumber<'_>) {
        if self.flaw.is_none() && !number::is_storable(number.literal) {
            self.flaw = Some(Flaw::NumberRange);
        }
    }

    fn opens(&mut self, depth: usize) {
        if depth > ATTRIBUTE_DEPTH {
            self.flaw.get_or_insert(Flaw::Depth);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn flaw_of(text: &str) -> Option<Flaw> {
        let found = attributes(&mut Reader::new(text)).expect("the cases are JSON");
        assert_eq!(found.text, text);
        found.flaw
    }

    #[test]
    fn the_first_flaw_is_found_wherever_it_stands() {
        for (text, flaw) in [
            ("{}", None),
            (r#"{ "a" : [1, "b", {"c": null}] }"#, None),
            (r#"{"a":"\u0000"}"#, Some(Flaw::Nul)),
            (r#"{"a":{"\u0000":1}}"#, Some(Flaw::Nul)),
            (r#"{"a":["\ud800"]}"#, Some(Flaw::LoneSurrogate)),
            (r#"{"a":1e999}"#, Some(Flaw::NumberRange)),
            (r#"{"a":[1e999,"\u0000"]}"#, Some(Flaw::NumberRange)),
            (r#"{"a":["\u0000",1e999]}"#, Some(Flaw::Nul)),
        ] {
            assert_eq!(flaw_of(text), flaw, "{text}");
        }
    }

    #[test]
    fn the_attributes_themselves_are_the_first_level() {
        let nested = |levels: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert_eq!(flaw_of(&nested(32)), None);
        assert_eq!(flaw_of(&nested(33)), Some(Flaw::Depth));
        assert_eq!(flaw_of(&nested(100_000)), Some(Flaw::Depth));
    }
}
