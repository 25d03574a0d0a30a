//! Compares JSON bodies with `serde_json`.

use events_core::error::{Error, ErrorKind};
use events_core::limits::{BULK_EVENTS, EVENT_BYTES};
use events_core::model::Event;
use events_tuned::json::{decode_bulk, decode_event};
use serde::de::IgnoredAny;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::same::object;

/// A body is refused as invalid JSON exactly when it is; an accepted event stores the content of its body.
pub fn json_event(body: &[u8]) {
    let decoded = decode_event(body);
    assert_eq!(is_malformed(&decoded), !is_json(body));
    // It reads less: no lone surrogates, no 128 levels, no numbers out of range, even where they are ignored.
    if let (Ok(event), Ok(read)) = (decoded, serde_json::from_slice::<Value>(body)) {
        assert_stores(&event, &read);
    }
}

/// Each element of a bulk is answered as if it were sent alone.
pub fn json_bulk(body: &[u8]) {
    let decoded = decode_bulk(body);
    assert_eq!(is_malformed(&decoded), !is_json(body));
    let Ok(elements) = serde_json::from_slice::<Vec<&RawValue>>(body) else {
        assert!(decoded.is_err());
        return;
    };
    if !(1..=BULK_EVENTS).contains(&elements.len()) {
        let refusal = decoded.expect_err("not so many events");
        assert_eq!(refusal.message(), "events: must hold 1 to 10000 events");
        return;
    }
    let events = decoded.expect("an array of values");
    assert_eq!(events.len(), elements.len());
    for (event, element) in events.into_iter().zip(elements) {
        assert_eq!(event, alone(element.get()));
    }
}

fn alone(element: &str) -> Result<Event, Error> {
    if element.len() > EVENT_BYTES {
        return Err(Error::invalid("event: larger than 1048576 bytes"));
    }
    decode_event(element.as_bytes()).map_err(|error| match error.message() {
        "body: must be an object" => Error::invalid("event: must be an object"),
        _ => error,
    })
}

fn is_malformed<T>(decoded: &Result<T, Error>) -> bool {
    decoded.as_ref().is_err_and(|error| error.kind() == ErrorKind::Malformed)
}

fn is_json(body: &[u8]) -> bool {
    std::str::from_utf8(body).is_ok_and(|text| serde_json::from_str::<IgnoredAny>(text).is_ok())
}

fn assert_stores(event: &Event, read: &Value) {
    let updates = read["eventBody"]["entities"].as_array().expect("an accepted event has entities");
    assert_eq!(event.entities().len(), updates.len());
    for (entity, update) in event.entities().iter().zip(updates) {
        assert_eq!(update["entityType"], entity.entity_type());
        assert_eq!(update["entityId"], entity.entity_id());
        assert_eq!(update["updatedAttributes"], object(entity.attributes()));
    }
}
