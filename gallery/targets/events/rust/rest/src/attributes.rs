//! `updatedAttributes`: the JSON text as it was sent, checked before it is stored.

use std::borrow::Cow;
use std::fmt;

use events_core::limits::ATTRIBUTE_DEPTH;
use events_core::number;
use serde::Deserialize;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// JSON text that `serde_json` has checked for syntax.
#[derive(Deserialize)]
#[serde(transparent)]
pub struct Attributes(Box<RawValue>);

impl Attributes {
    /// The text as it was sent.
    pub fn text(&self) -> &str {
        self.0.get()
    }
}

/// Attributes are an object that PostgreSQL can store.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]
pub fn storable_attributes(attributes: &Attributes, _: &()) -> garde::Result {
    if !attributes.text().starts_with('{') {
        return Err(garde::Error::new("must be an object"));
    }
    check(&attributes.0, 1).map_err(garde::Error::new)
}

/// PostgreSQL cannot store U+0000.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]
pub fn storable_text(text: &str, _: &()) -> garde::Result {
    check_text(text).map_err(garde::Error::new)
}

fn check_text(text: &str) -> Result<(), &'static str> {
    if text.contains('\0') { Err("contains \\u0000, which cannot be stored") } else { Ok(()) }
}

/// Checks a value of level `depth` and all that it contains.
fn check(value: &RawValue, depth: usize) -> Result<(), &'static str> {
    let text = value.get();
    match text.as_bytes().first() {
        Some(b'{' | b'[') if depth > ATTRIBUTE_DEPTH => Err("nested deeper than 32 levels"),
        Some(b'{') => {
            let Members(members) = parse(text)?;
            members.iter().try_for_each(|(name, value)| check_text(name).and_then(|()| check(value, depth + 1)))
        }
        Some(b'[') => parse::<Vec<&RawValue>>(text)?.iter().try_for_each(|value| check(value, depth + 1)),
        Some(b'"') => check_text(&parse::<Text>(text)?.0),
        Some(b'-' | b'0'..=b'9') if !number::is_storable(text) => Err("contains a number outside the double range"),
        _ => Ok(()),
    }
}

/// The syntax is valid, so only a lone surrogate can fail.
fn parse<'a, T: Deserialize<'a>>(text: &'a str) -> Result<T, &'static str> {
    serde_json::from_str(text).map_err(|_| "contains a lone surrogate, which cannot be stored")
}

#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

/// All members of an object. A map would drop all but the last of those with the same name.
struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

impl<'de: 'a, 'a> Deserialize<'de> for Members<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor).map(Self)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Vec<(Cow<'de, str>, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some((Text(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn result(text: &str) -> Result<(), String> {
        let attributes: Attributes = serde_json::from_str(text).expect("the cases are JSON");
        assert_eq!(attributes.text(), text.trim());
        storable_attributes(&attributes, &()).map_err(|error| error.to_string())
    }

    #[test]
    fn what_cannot_be_stored_is_found_at_any_depth() {
        for (text, reason) in [
            ("[]", "must be an object"),
            (r#""a""#, "must be an object"),
            (r#"{"a":"\u0000"}"#, "contains \\u0000, which cannot be stored"),
            (r#"{"a":{"\u0000":1}}"#, "contains \\u0000, which cannot be stored"),
            (r#"{"a":"\u0000","a":1}"#, "contains \\u0000, which cannot be stored"),
            (r#"{"a":["\ud800"]}"#, "contains a lone surrogate, which cannot be stored"),
            (r#"{"\udc00":1}"#, "contains a lone surrogate, which cannot be stored"),
            (r#"{"a":[[1e999]]}"#, "contains a number outside the double range"),
            (r#"{"a":1e-400}"#, "contains a number outside the double range"),
        ] {
            assert_eq!(result(text), Err(reason.to_owned()), "{text}");
        }
    }

    #[test]
    fn everything_else_keeps_its_text() {
        for text in ["{}", r#" { "a" : [1, "b\u00e9\ud83d\ude00", {"c": null}], "a": 0.10, "d": true } "#] {
            assert_eq!(result(text), Ok(()), "{text}");
        }
    }

    #[test]
    fn the_attributes_themselves_are_the_first_level() {
        let nested = |levels: usize| format!(r#"{{"a":{}1{}}}"#, "[".repeat(levels - 1), "]".repeat(levels - 1));
        assert_eq!(result(&nested(32)), Ok(()));
        let too_deep = Err("nested deeper than 32 levels".to_owned());
        assert_eq!(result(&nested(33)), too_deep);
        assert_eq!(result(&nested(100_000)), too_deep);
    }
}
