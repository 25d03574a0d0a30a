//! What a reply must be, and what is captured from it.

mod captures;
mod content;
mod sampler;

use std::borrow::Cow;
use std::collections::BTreeMap;

use prost_reflect::MessageDescriptor;
use serde_json::Value;

use captures::{Place, is_plain};
use content::{as_json, decoded, same, text_of};
pub use sampler::Sampler;

use crate::failure::Failure;
use crate::list_check::ListRule;
use crate::wire::h2::messages;
use crate::wire::http1::header;
use crate::wire::{Code, Reply};
use crate::workload::{END_OF_PART, Entity, UserState};

/// How a reply's content is read.
#[derive(Debug, Clone)]
pub enum Format {
    Json,
    Protobuf(MessageDescriptor),
    /// Any number of messages with their lengths: a list in JSON.
    ProtobufList {
        each: MessageDescriptor,
        gzip: bool,
    },
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
    /// The expected status, then others that are accepted.
    accepted: Vec<Code>,
    values: Vec<(String, Value)>,
    captures: Vec<(Box<str>, Place)>,
    /// Pointers to texts that depend on the event.
    texts: Vec<String>,
    list: Option<ListRule>,
    format: Format,
    sampler: Sampler,
    /// The last content that was found right: most targets answer the same again and again.
    last_right: Vec<u8>,
}

/// The result of inspecting a reply.
#[derive(Debug, PartialEq)]
pub struct Inspection {
    /// What was captured, or why the reply is a failure.
    pub outcome: Result<Accepted, Failure>,
    /// Whether its content was checked.
    pub is_checked: bool,
}

/// A reply that is no failure.
#[derive(Debug, PartialEq)]
pub enum Accepted {
    /// With the expected status, and what was captured.
    Expected(Option<Entity>),
    /// With the expected status, and what was captured of each item of its list.
    Listed(Vec<Entity>),
    /// With another status that the workload accepts: whether the operation was applied is unknown.
    Other,
}

impl Inspection {
    fn unchecked(outcome: Result<Accepted, Failure>) -> Self {
        Self { outcome, is_checked: false }
    }
}

impl ReplyRules {
    /// `share` is the fraction of replies whose content is checked, where their status shows the outcome.
    #[must_use]
    pub fn new(accepted: Vec<Code>, format: Format, thoroughness: Thoroughness, share: f64) -> Self {
        let share = if thoroughness == Thoroughness::Always { 1.0 } else { share };
        Self {
            accepted,
            values: Vec::new(),
            captures: Vec::new(),
            texts: Vec::new(),
            list: None,
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

    /// Adds values to capture, from JSON pointers or headers.
    #[must_use]
    pub fn with_captures(mut self, captures: &BTreeMap<String, String>) -> Self {
        self.captures = captures.iter().map(|(name, place)| (name.as_str().into(), Place::parse(place))).collect();
        self
    }

    /// Adds pointers to texts that `inspect` gets for each event, in this order.
    #[must_use]
    pub fn with_texts<'a>(mut self, pointers: impl IntoIterator<Item = &'a String>) -> Self {
        self.texts = pointers.into_iter().cloned().collect();
        self
    }

    /// Adds the rule for a list; where it has a number of items at the most, that is one more text of the event.
    #[must_use]
    pub fn with_list(mut self, list: Option<ListRule>) -> Self {
        self.list = list;
        self
    }

    /// Accepts one more status.
    #[must_use]
    pub fn accepting(mut self, code: Option<Code>) -> Self {
        self.accepted.extend(code);
        self
    }

    /// The fraction of replies whose content is checked: every reply that values are captured from.
    #[must_use]
    pub fn check_share(&self) -> f64 {
        match (self.captures.is_empty(), !self.has_expectations()) {
            (false, _) => 1.0,
            (true, false) => self.sampler.share,
            (true, true) => 0.0,
        }
    }

    fn has_expectations(&self) -> bool {
        !self.values.is_empty() || !self.texts.is_empty() || self.list.is_some()
    }

    /// Checks a reply: its status always, its content where it is due or needed. `texts` appends the texts of the
    /// reply's event, each ended by `END_OF_PART`; `state` is what its user knows to be stored.
    pub fn inspect(
        &mut self,
        code: Code,
        reply: &Reply<'_>,
        texts: impl FnOnce(&mut Vec<u8>),
        state: &UserState,
    ) -> Inspection {
        match self.accepted.iter().position(|accepted| *accepted == code) {
            None => return Inspection::unchecked(Err(code.failure())),
            Some(0) => {}
            Some(_) => return Inspection::unchecked(Ok(Accepted::Other)),
        }
        let is_checked = !self.captures.is_empty() || (self.has_expectations() && self.sampler.picks_next());
        if !is_checked {
            return Inspection::unchecked(Ok(Accepted::Expected(None)));
        }
        let outcome = self.inspect_content(reply, texts, state);
        Inspection { outcome, is_checked: true }
    }

    fn inspect_content(
        &mut self,
        reply: &Reply<'_>,
        texts: impl FnOnce(&mut Vec<u8>),
        state: &UserState,
    ) -> Result<Accepted, Failure> {
        let body = &*decoded(reply).ok_or(Failure::Body)?;
        let is_constant = self.captures.is_empty() && self.texts.is_empty() && self.list.is_none();
        if is_constant && !self.last_right.is_empty() && self.last_right == body {
            return Ok(Accepted::Expected(None));
        }
        let document = if self.reads_content() { self.read(body).ok_or(Failure::Body)? } else { Value::Null };
        let is_other =
            |(pointer, value): &(String, Value)| document.pointer(pointer).is_none_or(|found| !same(found, value));
        if self.values.iter().any(is_other) {
            return Err(Failure::Body);
        }
        let mut rendered = Vec::new();
        if !self.texts.is_empty() || self.list.as_ref().is_some_and(ListRule::has_most) {
            texts(&mut rendered);
        }
        let mut expected = rendered.split(|byte| *byte == END_OF_PART);
        if !self.holds_texts(&document, &mut expected) {
            return Err(Failure::Body);
        }
        if let Some(list) = &self.list {
            let most = expected.next().filter(|_| list.has_most()).and_then(|text| std::str::from_utf8(text).ok());
            list.check(&document, most, state)?;
        }
        if self.captures.is_empty() {
            self.last_right.clear();
            self.last_right.extend_from_slice(body);
            return Ok(Accepted::Expected(None));
        }
        self.capture_from(&document, reply.head).ok_or(Failure::Body)
    }

    fn holds_texts<'a>(&self, document: &Value, expected: &mut impl Iterator<Item = &'a [u8]>) -> bool {
        self.texts.iter().all(|pointer| {
            let found = document.pointer(pointer).and_then(text_of);
            expected.next().is_some_and(|expected| found.is_some_and(|found| found.as_bytes() == expected))
        })
    }

    /// A reply's content as JSON; empty when it has none.
    #[must_use]
    pub fn content(&self, reply: &Reply<'_>) -> Vec<u8> {
        let json = |value: Value| value.to_string().into_bytes();
        match &self.format {
            Format::Json => decoded(reply).map(Cow::into_owned).unwrap_or_default(),
            Format::Protobuf(_) | Format::ProtobufList { .. } => self.read(reply.body).map(json).unwrap_or_default(),
        }
    }

    fn read(&self, body: &[u8]) -> Option<Value> {
        match &self.format {
            Format::Json => serde_json::from_slice(body).ok(),
            Format::Protobuf(descriptor) => as_json(descriptor, body),
            Format::ProtobufList { each, gzip } => {
                let messages = messages::all(body, *gzip)?;
                messages.iter().map(|message| as_json(each, message)).collect::<Option<_>>().map(Value::Array)
            }
        }
    }

    /// Whether anything is read from the content: a reply whose headers alone are captured may have none.
    fn reads_content(&self) -> bool {
        self.has_expectations()
            || self.captures.iter().any(|(_, place)| matches!(place, Place::Content(_) | Place::Each(..)))
    }

    /// The values of one entity, or of one for each item of a list.
    fn capture_from(&self, document: &Value, head: &[u8]) -> Option<Accepted> {
        let list = self.captures.iter().find_map(|(_, place)| match place {
            Place::Each(list, _) => Some(list),
            _ => None,
        });
        let Some(list) = list else {
            return self.capture(document, &Value::Null, head).map(|entity| Accepted::Expected(Some(entity)));
        };
        let items = document.pointer(list)?.as_array()?;
        let listed = items.iter().map(|item| self.capture(document, item, head)).collect::<Option<_>>()?;
        Some(Accepted::Listed(listed))
    }

    fn capture(&self, document: &Value, item: &Value, head: &[u8]) -> Option<Entity> {
        let captured = self.captures.iter().map(|(name, place)| {
            let text = match place {
                Place::Content(pointer) => text_of(document.pointer(pointer)?)?,
                Place::Each(_, pointer) => text_of(item.pointer(pointer)?)?,
                Place::Header(name) => std::str::from_utf8(header(head, name)?).ok()?.to_owned(),
                Place::HeaderEnd(name) => std::str::from_utf8(header(head, name)?).ok()?.rsplit('/').next()?.to_owned(),
            };
            is_plain(&text).then(|| (name.clone(), text.into_boxed_str()))
        });
        Some(Entity { captured: captured.collect::<Option<Vec<_>>>()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn rules(share: f64) -> ReplyRules {
        let values = BTreeMap::from([("/ok".to_owned(), json!(true))]);
        ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Sampled, share).with_values(&values)
    }

    fn reply(body: &[u8]) -> Reply<'_> {
        Reply { tag: 0, outcome: Ok(Code::Http(200)), head: b"", body }
    }

    fn unchecked(outcome: Result<Option<Entity>, Failure>) -> Inspection {
        Inspection { outcome: outcome.map(Accepted::Expected), is_checked: false }
    }

    fn checked(outcome: Result<Option<Entity>, Failure>) -> Inspection {
        Inspection { outcome: outcome.map(Accepted::Expected), is_checked: true }
    }

    #[test]
    fn a_further_accepted_status_is_neither_checked_nor_a_failure() {
        let mut rules = rules(1.0).accepting(Some(Code::Http(404)));
        let found = rules.inspect(Code::Http(404), &reply(b"no JSON"), |_| (), &UserState::default());
        assert_eq!(found, Inspection { outcome: Ok(Accepted::Other), is_checked: false });
    }

    #[test]
    fn texts_of_an_event_are_compared_as_scalars() {
        let pointers = ["/id".to_owned(), "/name".to_owned()];
        let rules = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Always, 1.0);
        let mut rules = rules.with_texts(&pointers);
        let mut outcome = |body: &str| {
            let texts = |out: &mut Vec<u8>| out.extend_from_slice(b"7\xffcar-1\xff");
            rules.inspect(Code::Http(200), &reply(body.as_bytes()), texts, &UserState::default()).outcome.is_ok()
        };
        assert!(outcome(r#"{"id":7,"name":"car-1"}"#) && outcome(r#"{"id":"7","name":"car-1"}"#));
        assert!(!outcome(r#"{"id":8,"name":"car-1"}"#) && !outcome(r#"{"id":7}"#) && !outcome("[]"));
    }

    #[test]
    fn a_wrong_status_is_a_failure_of_its_own_kind() {
        assert_eq!(
            rules(1.0).inspect(Code::Http(503), &reply(b""), |_| (), &UserState::default()),
            unchecked(Err(Failure::Status(503)))
        );
    }

    #[test]
    fn wrong_content_is_found_when_looked_at() {
        let wrong = br#"{"ok":false}"#;
        assert_eq!(
            rules(0.0).inspect(Code::Http(200), &reply(wrong), |_| (), &UserState::default()),
            unchecked(Ok(None))
        );
        let mut sampled = rules(0.5);
        let found: Vec<Inspection> =
            (0..4).map(|_| sampled.inspect(Code::Http(200), &reply(wrong), |_| (), &UserState::default())).collect();
        let (looked, not) = (|| checked(Err(Failure::Body)), || unchecked(Ok(None)));
        assert_eq!(found, [looked(), not(), looked(), not()]);
        let always = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Always, 0.0);
        assert_eq!(always.with_values(&BTreeMap::from([("/ok".to_owned(), json!(true))])).check_share(), 1.0);
    }

    #[test]
    fn a_right_reply_is_remembered_and_a_wrong_one_still_found() {
        let mut rules = rules(1.0);
        assert_eq!(
            rules.inspect(Code::Http(200), &reply(br#"{"ok":true}"#), |_| (), &UserState::default()),
            checked(Ok(None))
        );
        assert_eq!(
            rules.inspect(Code::Http(200), &reply(br#"{"ok":true}"#), |_| (), &UserState::default()),
            checked(Ok(None))
        );
        assert_eq!(
            rules.inspect(Code::Http(200), &reply(br#"{"ok":1}"#), |_| (), &UserState::default()),
            checked(Err(Failure::Body))
        );
    }

    #[test]
    fn values_are_captured_or_the_reply_is_wrong() {
        let captures = BTreeMap::from([("id".to_owned(), "/id".to_owned())]);
        let mut rules =
            ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Sampled, 0.0).with_captures(&captures);
        let entity = rules
            .inspect(Code::Http(200), &reply(br#"{"id":7}"#), |_| (), &UserState::default())
            .outcome
            .expect("right");
        let Accepted::Expected(Some(entity)) = entity else { panic!("captured") };
        assert_eq!(entity.captured, [("id".into(), "7".into())]);
        for body in ["{}", r#"{"id":null}"#, r#"{"id":"a\"b"}"#, "no JSON"] {
            assert_eq!(
                rules.inspect(Code::Http(200), &reply(body.as_bytes()), |_| (), &UserState::default()),
                checked(Err(Failure::Body)),
                "{body}"
            );
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
