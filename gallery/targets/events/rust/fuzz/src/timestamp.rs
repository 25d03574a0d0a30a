//! Compares timestamps with `time`.

use events_tuned::json::decode_event;
use serde_json::json;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A text is accepted as a date exactly when it is an RFC 3339 timestamp, epoch milliseconds or nothing.
pub fn timestamp(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let event = json!({
        "eventHeader": {"uuid": "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f", "eventName": "CarCreated", "savedDate": text},
        "eventBody": {"entities": [{"entityType": "Car", "entityId": "1", "updatedAttributes": {}}]},
    });
    let accepted = decode_event(event.to_string().as_bytes()).is_ok();
    assert_eq!(accepted, text.is_empty() || is_epoch_milliseconds(text) || is_rfc3339(text), "{text:?}");
}

fn is_epoch_milliseconds(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.len() <= 15 && digits.parse::<u64>().is_ok()
}

/// `time` also takes anything in the place of the `T`, and leap seconds at the end of a month.
fn is_rfc3339(text: &str) -> bool {
    let has_t = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    has_t && text.get(17..19) != Some("60") && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}
