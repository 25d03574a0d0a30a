//! The check of a reply, and its captures.

mod captures;
mod content;
mod failed;
mod sampler;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use prost_reflect::MessageDescriptor;
use serde_json::Value;

pub use captures::is_in_headers;
use captures::{Place, Source, is_plain};
use content::{as_json, decoded, same, text_of};
use failed::status_message;
pub use failed::{FailedReply, constant_secrets};
pub use sampler::Sampler;

use crate::failure::Failure;
use crate::list_check::ListRule;
use crate::mismatch::{Mismatch, WrongContent, shown, shown_content};
use crate::wire::h2::messages;
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
    /// Texts of the plan that are not shown.
    secrets: Arc<[Box<str>]>,
    /// The last content that was found right: most targets answer the same again and again.
    last_right: Vec<u8>,
}

/// The result of inspecting a reply.
#[derive(Debug, PartialEq)]
pub struct Inspection {
    /// The captured values, or the reason of the failure.
    pub outcome: Result<Accepted, Failure>,
    /// Whether its content was checked.
    pub is_checked: bool,
    /// The error in its content.
    pub mismatch: Option<Box<Mismatch>>,
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

impl Accepted {
    /// The same, with values of the request among the captured ones.
    #[must_use]
    pub fn with(self, sent: Vec<(Box<str>, Box<str>)>) -> Self {
        if sent.is_empty() {
            return self;
        }
        match self {
            Self::Expected(entity) => {
                let mut entity = entity.unwrap_or_default();
                entity.captured.extend(sent);
                Self::Expected(Some(entity))
            }
            Self::Listed(mut listed) => {
                listed.iter_mut().for_each(|entity| entity.captured.extend_from_slice(&sent));
                Self::Listed(listed)
            }
            Self::Other => Self::Other,
        }
    }
}

impl Inspection {
    fn unchecked(outcome: Result<Accepted, Failure>) -> Self {
        Self { outcome, is_checked: false, mismatch: None }
    }

    fn checked(outcome: Result<Accepted, WrongContent>) -> Self {
        match outcome {
            Ok(accepted) => Self { outcome: Ok(accepted), is_checked: true, mismatch: None },
            Err(wrong) => Self { outcome: Err(wrong.failure), is_checked: true, mismatch: Some(wrong.mismatch) },
        }
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
            secrets: Arc::default(),
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

    /// Adds texts that are not shown, beside those of a user's login.
    #[must_use]
    pub fn with_secrets(mut self, secrets: Arc<[Box<str>]>) -> Self {
        self.secrets = secrets;
        self
    }

    /// Accepts one more status.
    #[must_use]
    pub fn accepting(mut self, code: Option<Code>) -> Self {
        self.accepted.extend(code);
        self
    }

    /// Whether a status is the expected one.
    #[must_use]
    pub fn expects(&self, code: Code) -> bool {
        self.accepted.first() == Some(&code)
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

    /// A reply that failed, without secrets.
    #[must_use]
    pub fn failed_reply(&self, code: Code, reply: &Reply<'_>, state: &UserState) -> FailedReply {
        FailedReply::of(&self.accepted, code, &self.said(code, reply), self.secrets(state))
    }

    /// The content of a reply of any status as JSON or text.
    fn said(&self, code: Code, reply: &Reply<'_>) -> Vec<u8> {
        match (code, &self.format) {
            (Code::Grpc(0), _) | (Code::Http(_), Format::Json) => self.content(reply),
            (Code::Grpc(_), _) => status_message(reply.head),
            // What is no gRPC server answers as it does to any request.
            (Code::Http(_), _) => reply.body.to_vec(),
        }
    }

    /// Texts that are not shown to people.
    pub fn secrets<'a>(&'a self, state: &'a UserState) -> impl Iterator<Item = &'a str> {
        self.secrets.iter().map(|secret| &**secret).chain(state.secrets())
    }

    fn has_expectations(&self) -> bool {
        !self.values.is_empty() || !self.texts.is_empty() || self.list.is_some()
    }

    /// Checks a reply: its status always, its content where it is due or needed. `texts` appends the texts of the
    /// reply's event, each ended by `END_OF_PART`; `earlier` are the captured values that it was sent with, `state` is
    /// what its user knows to be stored.
    pub fn inspect(
        &mut self,
        code: Code,
        reply: &Reply<'_>,
        texts: impl FnOnce(&mut Vec<u8>),
        earlier: Option<&Entity>,
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
        let outcome = self.inspect_content(reply, texts, earlier, state);
        Inspection::checked(outcome.map_err(|wrong| wrong.without(self.secrets(state))))
    }

    fn inspect_content(
        &mut self,
        reply: &Reply<'_>,
        texts: impl FnOnce(&mut Vec<u8>),
        earlier: Option<&Entity>,
        state: &UserState,
    ) -> Result<Accepted, WrongContent> {
        let not_gzip = || WrongContent::body("", "content that can be decompressed", "content that cannot");
        let body = &*decoded(reply).ok_or_else(not_gzip)?;
        let is_constant = self.captures.is_empty() && self.texts.is_empty() && self.list.is_none();
        if is_constant && !self.last_right.is_empty() && self.last_right == body {
            return Ok(Accepted::Expected(None));
        }
        let unreadable = || WrongContent::body("", self.format.name(), shown_content(body));
        let document = if self.reads_content() { self.read(body).ok_or_else(unreadable)? } else { Value::Null };
        self.check_values(&document)?;
        let mut rendered = Vec::new();
        if !self.texts.is_empty() || self.list.as_ref().is_some_and(ListRule::has_most) {
            texts(&mut rendered);
        }
        let mut expected = rendered.split(|byte| *byte == END_OF_PART);
        self.check_texts(&document, &mut expected)?;
        if let Some(list) = &self.list {
            let most = expected.next().filter(|_| list.has_most()).and_then(|text| std::str::from_utf8(text).ok());
            list.check(&document, most, state)?;
        }
        if self.captures.is_empty() {
            self.last_right.clear();
            self.last_right.extend_from_slice(body);
            return Ok(Accepted::Expected(None));
        }
        self.capture_from(&document, reply.head, earlier)
    }

    fn check_values(&self, document: &Value) -> Result<(), WrongContent> {
        let is_other =
            |(pointer, value): &&(String, Value)| document.pointer(pointer).is_none_or(|found| !same(found, value));
        match self.values.iter().find(is_other) {
            Some((pointer, value)) => {
                Err(WrongContent::body(pointer, shown(Some(value)), shown(document.pointer(pointer))))
            }
            None => Ok(()),
        }
    }

    fn check_texts<'a>(
        &self,
        document: &Value,
        expected: &mut impl Iterator<Item = &'a [u8]>,
    ) -> Result<(), WrongContent> {
        for (pointer, expected) in self.texts.iter().zip(expected) {
            let found = document.pointer(pointer);
            if found.and_then(text_of).is_none_or(|found| found.as_bytes() != expected) {
                let text = String::from_utf8_lossy(expected);
                // A number is shown as one where a number was received: they are compared as texts.
                let is_bare = matches!(found, Some(Value::Number(_) | Value::Bool(_)));
                let expected = if is_bare { text.into_owned() } else { Value::from(text).to_string() };
                return Err(WrongContent::body(pointer, expected, shown(found)));
            }
        }
        Ok(())
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
        self.has_expectations() || self.captures.iter().any(|(_, place)| place.reads_content())
    }

    /// The values of one entity, or of one for each item of a list.
    fn capture_from(&self, document: &Value, head: &[u8], earlier: Option<&Entity>) -> Result<Accepted, WrongContent> {
        let of_item = |item: &Value| self.capture(document, item, head, earlier);
        let Some(list) = self.captures.iter().find_map(|(_, place)| place.list()) else {
            return of_item(&Value::Null).map(|entity| Accepted::Expected(Some(entity)));
        };
        let found = document.pointer(list);
        let items = found.and_then(Value::as_array).ok_or_else(|| WrongContent::body(list, "a list", shown(found)))?;
        items.iter().map(of_item).collect::<Result<_, _>>().map(Accepted::Listed)
    }

    fn capture(
        &self,
        document: &Value,
        item: &Value,
        head: &[u8],
        earlier: Option<&Entity>,
    ) -> Result<Entity, WrongContent> {
        let captured = self.captures.iter().map(|(name, place)| {
            let earlier = earlier.and_then(|entity| entity.value(name));
            let (found, received) = place.found(&Source { document, item, head, earlier });
            match found.filter(|text| is_plain(text)) {
                Some(text) => Ok((name.clone(), text.into_boxed_str())),
                None => Err(WrongContent::body(&place.text(), format!("a plain value to capture as {name}"), received)),
            }
        });
        Ok(Entity { captured: captured.collect::<Result<_, _>>()?, origin: None })
    }
}

impl Format {
    /// The name of this format, for people.
    fn name(&self) -> String {
        match self {
            Self::Json => "JSON".to_owned(),
            Self::Protobuf(descriptor) => descriptor.full_name().to_owned(),
            Self::ProtobufList { each, .. } => format!("messages of {}", each.full_name()),
        }
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
        Inspection { outcome: outcome.map(Accepted::Expected), is_checked: false, mismatch: None }
    }

    fn checked(outcome: Result<Option<Entity>, Failure>) -> Inspection {
        Inspection { outcome: outcome.map(Accepted::Expected), is_checked: true, mismatch: None }
    }

    /// The result of inspecting a reply with this body, apart from why it is wrong.
    fn seen(rules: &mut ReplyRules, status: u16, body: &[u8]) -> Inspection {
        let code = Code::Http(status);
        Inspection { mismatch: None, ..rules.inspect(code, &reply(body), |_| (), None, &UserState::default()) }
    }

    #[test]
    fn a_further_accepted_status_is_neither_checked_nor_a_failure() {
        let mut rules = rules(1.0).accepting(Some(Code::Http(404)));
        let found = rules.inspect(Code::Http(404), &reply(b"no JSON"), |_| (), None, &UserState::default());
        assert_eq!(found, Inspection { outcome: Ok(Accepted::Other), is_checked: false, mismatch: None });
    }

    #[test]
    fn texts_of_an_event_are_compared_as_scalars() {
        let pointers = ["/id".to_owned(), "/name".to_owned()];
        let rules = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Always, 1.0);
        let mut rules = rules.with_texts(&pointers);
        let mut outcome = |body: &str| {
            let texts = |out: &mut Vec<u8>| out.extend_from_slice(b"7\xffcar-1\xff");
            rules.inspect(Code::Http(200), &reply(body.as_bytes()), texts, None, &UserState::default()).outcome.is_ok()
        };
        assert!(outcome(r#"{"id":7,"name":"car-1"}"#) && outcome(r#"{"id":"7","name":"car-1"}"#));
        assert!(!outcome(r#"{"id":8,"name":"car-1"}"#) && !outcome(r#"{"id":7}"#) && !outcome("[]"));
    }

    #[test]
    fn a_wrong_status_is_a_failure_of_its_own_kind() {
        assert_eq!(seen(&mut rules(1.0), 503, b""), unchecked(Err(Failure::Status(503))));
    }

    #[test]
    fn wrong_content_is_found_when_looked_at() {
        let wrong = br#"{"ok":false}"#;
        assert_eq!(seen(&mut rules(0.0), 200, wrong), unchecked(Ok(None)));
        let mut sampled = rules(0.5);
        let found: Vec<Inspection> = (0..4).map(|_| seen(&mut sampled, 200, wrong)).collect();
        let (looked, not) = (|| checked(Err(Failure::Body)), || unchecked(Ok(None)));
        assert_eq!(found, [looked(), not(), looked(), not()]);
        let always = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Always, 0.0);
        assert_eq!(always.with_values(&BTreeMap::from([("/ok".to_owned(), json!(true))])).check_share(), 1.0);
    }

    #[test]
    fn a_right_reply_is_remembered_and_a_wrong_one_still_found() {
        let mut rules = rules(1.0);
        assert_eq!(seen(&mut rules, 200, br#"{"ok":true}"#), checked(Ok(None)));
        assert_eq!(seen(&mut rules, 200, br#"{"ok":true}"#), checked(Ok(None)));
        assert_eq!(seen(&mut rules, 200, br#"{"ok":1}"#), checked(Err(Failure::Body)));
    }

    #[test]
    fn values_are_captured_or_the_reply_is_wrong() {
        let captures = BTreeMap::from([("id".to_owned(), "/id".to_owned())]);
        let mut rules =
            ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Sampled, 0.0).with_captures(&captures);
        let entity = rules
            .inspect(Code::Http(200), &reply(br#"{"id":7}"#), |_| (), None, &UserState::default())
            .outcome
            .expect("right");
        let Accepted::Expected(Some(entity)) = entity else { panic!("captured") };
        assert_eq!(entity.captured, [("id".into(), "7".into())]);
        for body in ["{}", r#"{"id":null}"#, r#"{"id":"a\"b"}"#, "no JSON"] {
            assert_eq!(seen(&mut rules, 200, body.as_bytes()), checked(Err(Failure::Body)), "{body}");
        }
    }

    #[test]
    fn what_may_be_absent_is_captured_as_nothing() {
        let captures = BTreeMap::from([
            ("next".to_owned(), "optional:/next".to_owned()),
            ("page".to_owned(), "optional:query:page:/more".to_owned()),
        ]);
        let rules = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Sampled, 0.0);
        let mut rules = rules.with_captures(&captures);
        for (body, next, page) in [
            (r#"{"next":"a","more":"/a?page=2"}"#, "a", "2"),
            (r#"{"next":7,"more":"/a"}"#, "7", ""),
            (r#"{"next":null,"more":null}"#, "", ""),
            ("[]", "", ""),
        ] {
            let found = rules.inspect(Code::Http(200), &reply(body.as_bytes()), |_| (), None, &UserState::default());
            let Accepted::Expected(Some(entity)) = found.outcome.expect("right") else { panic!("captured") };
            assert_eq!(entity.captured, [("next".into(), next.into()), ("page".into(), page.into())], "{body}");
        }
        for body in [r#"{"next":"a\"b"}"#, "no JSON"] {
            assert_eq!(seen(&mut rules, 200, body.as_bytes()), checked(Err(Failure::Body)), "{body}");
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let values = BTreeMap::from([("/ok".to_owned(), json!(true))]);
        let pointers = ["/id".to_owned()];
        let captures = BTreeMap::from([("place".to_owned(), "header:location".to_owned())]);
        let rules = ReplyRules::new(vec![Code::Http(200)], Format::Json, Thoroughness::Always, 1.0);
        let mut rules = rules.with_values(&values).with_texts(&pointers).with_captures(&captures);
        let mut wrong = |body: &str| {
            let texts = |out: &mut Vec<u8>| out.extend_from_slice(b"7\xff");
            let found = rules.inspect(Code::Http(200), &reply(body.as_bytes()), texts, None, &UserState::default());
            let mismatch = found.mismatch.expect("a mismatch");
            [mismatch.pointer, mismatch.expected, mismatch.received]
        };
        assert_eq!(wrong("<html>"), ["", "JSON", "<html>"]);
        assert_eq!(wrong(r#"{"ok":"no"}"#), ["/ok", "true", "\"no\""]);
        assert_eq!(wrong("{}"), ["/ok", "true", "nothing"]);
        assert_eq!(wrong(r#"{"ok":true,"id":8}"#), ["/id", "7", "8"]);
        assert_eq!(wrong(r#"{"ok":true,"id":"b"}"#), ["/id", "\"7\"", "\"b\""]);
        let place = ["header:location", "a plain value to capture as place", "nothing"];
        assert_eq!(wrong(r#"{"ok":true,"id":7}"#), place);
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
