//! What a reply must be, and what is captured from it.

use std::collections::BTreeMap;

use prost_reflect::{DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use crate::failure::Failure;
use crate::wire::Code;
use crate::workload::Entity;

/// How a reply's content is read.
#[derive(Debug, Clone)]
pub enum Format {
    Json,
    Protobuf(MessageDescriptor),
}

/// When content is looked into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Thoroughness {
    /// On a fraction of the replies: the status shows the outcome.
    Sampled,
    /// On every reply: the status is the same for success and failure.
    Always,
}

/// The rules for the replies of one call.
#[derive(Debug)]
pub struct ReplyRules {
    expected: Code,
    values: Vec<(String, Value)>,
    captures: Vec<(Box<str>, String)>,
    format: Format,
    sampler: Sampler,
    /// The last content that was found right: most targets answer the same again and again.
    last_right: Vec<u8>,
}

/// The result of inspecting a reply.
#[derive(Debug, PartialEq)]
pub struct Inspection {
    /// What was captured, or why the reply is a failure.
    pub outcome: Result<Option<Entity>, Failure>,
    /// Whether its content was checked.
    pub is_checked: bool,
}

impl Inspection {
    fn unchecked(outcome: Result<Option<Entity>, Failure>) -> Self {
        Self { outcome, is_checked: false }
    }

    fn checked(outcome: Result<Option<Entity>, Failure>) -> Self {
        Self { outcome, is_checked: true }
    }
}

impl ReplyRules {
    /// `share` is the fraction of replies whose content is checked, where their status shows the outcome.
    #[must_use]
    pub fn new(expected: Code, format: Format, thoroughness: Thoroughness, share: f64) -> Self {
        let share = if thoroughness == Thoroughness::Always { 1.0 } else { share };
        Self {
            expected,
            values: Vec::new(),
            captures: Vec::new(),
            format,
            sampler: Sampler::new(share),
            last_right: Vec::new(),
        }
    }

    /// Adds values that must be found at JSON pointers.
    #[must_use]
    pub fn with_values(mut self, values: &BTreeMap<String, Value>) -> Self {
        self.values = values.iter().map(|(pointer, value)| (pointer.clone(), value.clone())).collect();
        self
    }

    /// Adds values to capture from JSON pointers.
    #[must_use]
    pub fn with_captures(mut self, captures: &BTreeMap<String, String>) -> Self {
        self.captures = captures.iter().map(|(name, pointer)| (name.as_str().into(), pointer.clone())).collect();
        self
    }

    /// The fraction of replies whose content is checked: every reply that values are captured from.
    #[must_use]
    pub fn check_share(&self) -> f64 {
        match (self.captures.is_empty(), self.values.is_empty()) {
            (false, _) => 1.0,
            (true, false) => self.sampler.share,
            (true, true) => 0.0,
        }
    }

    /// Checks a reply: its status always, its content where it is due or needed.
    pub fn inspect(&mut self, code: Code, body: &[u8]) -> Inspection {
        if code != self.expected {
            return Inspection::unchecked(Err(code.failure()));
        }
        let is_checked = !self.captures.is_empty() || (!self.values.is_empty() && self.sampler.picks_next());
        if !is_checked {
            return Inspection::unchecked(Ok(None));
        }
        Inspection::checked(self.inspect_content(body))
    }

    fn inspect_content(&mut self, body: &[u8]) -> Result<Option<Entity>, Failure> {
        if self.captures.is_empty() && !self.last_right.is_empty() && self.last_right == body {
            return Ok(None);
        }
        let document = self.read(body).ok_or(Failure::Body)?;
        if self.values.iter().any(|(pointer, value)| document.pointer(pointer) != Some(value)) {
            return Err(Failure::Body);
        }
        if self.captures.is_empty() {
            self.last_right.clear();
            self.last_right.extend_from_slice(body);
            return Ok(None);
        }
        self.capture(&document).map(Some).ok_or(Failure::Body)
    }

    fn read(&self, body: &[u8]) -> Option<Value> {
        match &self.format {
            Format::Json => serde_json::from_slice(body).ok(),
            Format::Protobuf(descriptor) => {
                let message = DynamicMessage::decode(descriptor.clone(), body).ok()?;
                let options = SerializeOptions::new().skip_default_fields(false).stringify_64_bit_integers(false);
                message.serialize_with_options(serde_json::value::Serializer, &options).ok()
            }
        }
    }

    fn capture(&self, document: &Value) -> Option<Entity> {
        let captured = self.captures.iter().map(|(name, pointer)| {
            let text = captured_text(document.pointer(pointer)?)?;
            Some((name.clone(), text.into_boxed_str()))
        });
        Some(Entity { captured: captured.collect::<Option<Vec<_>>>()? })
    }
}

/// A captured value goes into messages as it is, inside or outside quotes, so that it must need no escapes.
fn captured_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => {
            let plain = |c: char| c != '"' && c != '\\' && !c.is_control();
            text.chars().all(plain).then(|| text.clone())
        }
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(value) => Some(value.to_string()),
        _ => None,
    }
}

/// Picks a share of the replies, evenly and without drawing numbers; the first one is picked.
#[derive(Debug, Clone)]
pub struct Sampler {
    share: f64,
    due: f64,
}

impl Sampler {
    #[must_use]
    pub fn new(share: f64) -> Self {
        Self { share, due: if share > 0.0 { 1.0 - share } else { 0.0 } }
    }

    /// Whether the next reply is picked.
    #[inline]
    pub fn picks_next(&mut self) -> bool {
        self.due += self.share;
        let picked = self.due >= 1.0;
        if picked {
            self.due -= 1.0;
        }
        picked
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(share: f64) -> ReplyRules {
        let values = BTreeMap::from([("/ok".to_owned(), json!(true))]);
        ReplyRules::new(Code::Http(200), Format::Json, Thoroughness::Sampled, share).with_values(&values)
    }

    fn unchecked(outcome: Result<Option<Entity>, Failure>) -> Inspection {
        Inspection { outcome, is_checked: false }
    }

    fn checked(outcome: Result<Option<Entity>, Failure>) -> Inspection {
        Inspection { outcome, is_checked: true }
    }

    #[test]
    fn a_wrong_status_is_a_failure_of_its_own_kind() {
        assert_eq!(rules(1.0).inspect(Code::Http(503), b""), unchecked(Err(Failure::Status(503))));
    }

    #[test]
    fn wrong_content_is_found_when_looked_at() {
        let wrong = br#"{"ok":false}"#;
        assert_eq!(rules(0.0).inspect(Code::Http(200), wrong), unchecked(Ok(None)));
        let mut sampled = rules(0.5);
        let found: Vec<Inspection> = (0..4).map(|_| sampled.inspect(Code::Http(200), wrong)).collect();
        let (looked, not) = (|| checked(Err(Failure::Body)), || unchecked(Ok(None)));
        assert_eq!(found, [looked(), not(), looked(), not()]);
        let always = ReplyRules::new(Code::Http(200), Format::Json, Thoroughness::Always, 0.0);
        assert_eq!(always.with_values(&BTreeMap::from([("/ok".to_owned(), json!(true))])).check_share(), 1.0);
    }

    #[test]
    fn a_right_reply_is_remembered_and_a_wrong_one_still_found() {
        let mut rules = rules(1.0);
        assert_eq!(rules.inspect(Code::Http(200), br#"{"ok":true}"#), checked(Ok(None)));
        assert_eq!(rules.inspect(Code::Http(200), br#"{"ok":true}"#), checked(Ok(None)));
        assert_eq!(rules.inspect(Code::Http(200), br#"{"ok":1}"#), checked(Err(Failure::Body)));
    }

    #[test]
    fn values_are_captured_or_the_reply_is_wrong() {
        let captures = BTreeMap::from([("id".to_owned(), "/id".to_owned())]);
        let mut rules =
            ReplyRules::new(Code::Http(200), Format::Json, Thoroughness::Sampled, 0.0).with_captures(&captures);
        let entity = rules.inspect(Code::Http(200), br#"{"id":7}"#).outcome.expect("right").expect("captured");
        assert_eq!(entity.captured, [("id".into(), "7".into())]);
        for body in ["{}", r#"{"id":null}"#, r#"{"id":"a\"b"}"#, "no JSON"] {
            assert_eq!(rules.inspect(Code::Http(200), body.as_bytes()), checked(Err(Failure::Body)), "{body}");
        }
    }

    #[test]
    fn a_sampler_picks_its_share() {
        for (share, picked) in [(0.0, 0), (0.01, 10), (0.25, 250), (1.0, 1000)] {
            let mut sampler = Sampler::new(share);
            let count = (0..1000).filter(|_| sampler.picks_next()).count();
            assert!(count.abs_diff(picked) <= 1, "{share}: {count}");
        }
    }
}
