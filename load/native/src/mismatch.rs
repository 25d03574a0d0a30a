//! Wrong content of a reply: where it is, what was expected and what was received, fit to be shown and stored.

use std::borrow::Cow;

use serde_json::Value;

use crate::failure::Failure;

/// Longer texts are cut: they are shown in one line, and stored with every run.
const LONGEST_CHARS: usize = 100;
const HIDDEN: &str = "***";
/// Parts of the names of members whose values are not shown.
const SECRET: [&str; 9] =
    ["password", "passwd", "secret", "token", "apikey", "api_key", "authorization", "cookie", "credential"];

/// The result of a check of content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// JSON pointer into the reply, or the header.
    pub pointer: String,
    pub expected: String,
    pub received: String,
}

/// How a request with wrong content failed, and why.
#[derive(Debug, PartialEq)]
pub struct WrongContent {
    pub failure: Failure,
    pub mismatch: Box<Mismatch>,
}

impl WrongContent {
    /// Content that is not what the workload states.
    pub fn body(pointer: &str, expected: impl Into<String>, received: impl Into<String>) -> Self {
        Self::of(Failure::Body, pointer, expected.into(), received.into())
    }

    /// Content that shows a state which was not possible.
    pub fn wrong_read(pointer: &str, expected: impl Into<String>, received: impl Into<String>) -> Self {
        Self::of(Failure::WrongRead, pointer, expected.into(), received.into())
    }

    fn of(failure: Failure, pointer: &str, expected: String, received: String) -> Self {
        let is_shown = !is_secret(pointer);
        let text = |text: String| if is_shown { shortened(&text).into_owned() } else { HIDDEN.to_owned() };
        let (expected, received) = (text(expected), text(received));
        Self { failure, mismatch: Box::new(Mismatch { pointer: shortened(pointer).into_owned(), expected, received }) }
    }

    /// The same without texts that are secret, such as the token of the user's login.
    pub fn without<'a>(mut self, secrets: impl Iterator<Item = &'a str>) -> Self {
        for secret in secrets {
            hide(&mut self.mismatch.expected, secret);
            hide(&mut self.mismatch.received, secret);
        }
        self
    }
}

/// Replaces a secret in a text, also one that was cut at the end.
pub fn hide(text: &mut String, secret: &str) {
    if secret.is_empty() {
        return;
    }
    let start: String = secret.chars().take(LONGEST_CHARS / 4).collect();
    if text.contains(secret) {
        *text = text.replace(secret, HIDDEN);
    } else if let Some(at) = text.find(&start).filter(|_| text.ends_with('…')) {
        text.truncate(at);
        text.push_str(HIDDEN);
    }
}

/// A value at a pointer as JSON, without its secret members.
pub fn shown(value: Option<&Value>) -> String {
    value.map_or_else(|| "nothing".to_owned(), |value| without_secrets(value).to_string())
}

fn without_secrets(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let hidden = |(name, value): (&String, &Value)| {
                let value = if is_secret(name) { Value::from(HIDDEN) } else { without_secrets(value) };
                (name.clone(), value)
            };
            Value::Object(members.iter().map(hidden).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(without_secrets).collect()),
        scalar => scalar.clone(),
    }
}

/// Content that is not JSON, as text; JSON without its secret members.
pub fn shown_content(content: &[u8]) -> String {
    match serde_json::from_slice::<Value>(content) {
        Ok(value) => shown(Some(&value)),
        Err(_) => {
            let start = &content[..content.len().min(LONGEST_CHARS * 4)];
            String::from_utf8_lossy(start).chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
        }
    }
}

/// Whether the value of a member or header of this name is not shown.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    SECRET.iter().any(|part| name.contains(part))
}

fn shortened(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn texts_are_cut_to_a_length() {
        let found = WrongContent::body("/a", "ü".repeat(101), "b".repeat(100));
        let lengths = [&found.mismatch.expected, &found.mismatch.received].map(|text| text.chars().count());
        assert_eq!(lengths, [101, 100], "one character more says that there was more");
        assert!(found.mismatch.expected.ends_with('…'));
    }

    #[test]
    fn secrets_are_hidden_by_name_and_by_value() {
        let found = WrongContent::body("/user/accessToken", "abc", "def");
        assert_eq!((&*found.mismatch.expected, &*found.mismatch.received), ("***", "***"));
        let value = json!({"id": 7, "list": [{"Password": "hunter2", "API-Key": 1}]});
        assert_eq!(shown(Some(&value)), r#"{"id":7,"list":[{"API-Key":"***","Password":"***"}]}"#);
        assert_eq!(shown_content(value.to_string().as_bytes()), shown(Some(&value)));
        let long = "t".repeat(90);
        let found = WrongContent::body("/a", "Bearer t-1", format!("{} {long}{long}", "x".repeat(20)));
        let found = found.without(["t-1", &format!("{long}{long}")].into_iter());
        assert_eq!(found.mismatch.expected, "Bearer ***");
        assert_eq!(found.mismatch.received, format!("{} ***", "x".repeat(20)), "also where its end was cut");
    }

    #[test]
    fn content_that_is_not_json_is_shown_as_text() {
        assert_eq!(shown_content(b"<html>\r\n\xff"), "<html>  \u{fffd}");
        assert_eq!((shown_content(b""), shown(None)), (String::new(), "nothing".to_owned()));
    }
}
