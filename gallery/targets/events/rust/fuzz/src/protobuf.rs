//! Compares messages with `prost` and with the same event as JSON.

use events_core::error::{Error, ErrorKind};
use events_core::limits::{BULK_EVENTS, EVENT_BYTES};
use events_core::model::Event;
use events_tuned::json;
use events_tuned::protobuf::{decode_bulk, decode_event};
use prost::Message;

use crate::protobuf_messages::{EventBatchRequest, EventRequest};
use crate::same::{object, same};

/// A message stores what the same event stores as JSON, or is refused for the same rule.
pub fn protobuf_event(message: &[u8]) {
    let decoded = decode_event(message);
    if let Ok(event) = &decoded {
        event.entities().iter().for_each(|entity| drop(object(entity.attributes())));
    }
    // It reads less: nothing with the wire type of something else, no 100 levels.
    let Ok(read) = EventRequest::decode(message) else { return };
    let from_json = json::decode_event(read.to_json().as_bytes());
    if decoded.is_ok() || !overwrites(message, &read) {
        assert_same(&decoded, &from_json);
    }
    assert_same(&decode_event(&read.encode_to_vec()), &from_json);
}

/// Each event of a batch is answered as if it were sent alone, unless one of them is not a message.
pub fn protobuf_bulk(message: &[u8]) {
    let decoded = decode_bulk(message);
    let Ok(EventBatchRequest { events }) = EventBatchRequest::decode(message) else { return };
    let alone: Vec<_> = events.iter().map(|event| alone(event)).collect();
    let is_malformed =
        |event: &Result<_, Error>| event.as_ref().is_err_and(|error| error.kind() == ErrorKind::Malformed);
    if alone.iter().any(is_malformed) {
        assert_eq!(decoded.expect_err("not a message").message(), "body: not a valid message");
    } else if (1..=BULK_EVENTS).contains(&events.len()) {
        assert_eq!(decoded.expect("a batch"), alone);
    } else {
        assert_eq!(decoded.expect_err("not so many events").message(), "events: must hold 1 to 10000 events");
    }
}

fn alone(event: &[u8]) -> Result<Event, Error> {
    match decode_event(event) {
        Err(error) if error.kind() == ErrorKind::Malformed => Err(error),
        _ if event.len() > EVENT_BYTES => Err(Error::invalid("event: larger than 1048576 bytes")),
        event => event,
    }
}

/// Whether a later field overwrites an earlier one. The earlier one must be storable too, as in JSON,
/// and `prost` does not return it.
fn overwrites(message: &[u8], read: &EventRequest) -> bool {
    message.len() > read.encoded_len()
}

fn assert_same(a: &Result<Event, Error>, b: &Result<Event, Error>) {
    match (a, b) {
        (Ok(a), Ok(b)) => assert_same_event(a, b),
        (Err(a), Err(b)) => assert_same_rule(a.message(), b.message()),
        _ => panic!("{a:?} is not {b:?}"),
    }
}

fn assert_same_event(a: &Event, b: &Event) {
    assert_eq!(a.entities().len(), b.entities().len());
    for (a, b) in a.entities().iter().zip(b.entities()) {
        assert_eq!(a.key(), b.key());
        assert!(same(&object(a.attributes()), &object(b.attributes())), "{a:?} is not {b:?}");
    }
}

/// The order of attributes is not defined, so the first one that cannot be stored may differ.
fn assert_same_rule(a: &str, b: &str) {
    let (path, _) = a.split_once(": ").expect("a path and a reason");
    let same_place = path.ends_with(".updatedAttributes") && b.starts_with(path);
    assert!(a == b || same_place, "{a} is not {b}");
}
