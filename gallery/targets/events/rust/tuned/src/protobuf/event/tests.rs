use prost::Message;
use prost_types::value::Kind;
use prost_types::{ListValue, Struct, Value as PbValue};

use super::*;
use events_core::error::ErrorKind;
use events_core::model::Entity;

const UUID: &str = "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f";

// The messages as any other implementation of protobuf has them. Maps are repeated entries here,
// which is the same on the wire and lets a test choose the order and the number of keys.

#[derive(Clone, PartialEq, Message)]
struct EventRequest {
    #[prost(message, optional, tag = "1")]
    header: Option<EventHeader>,
    #[prost(message, optional, tag = "2")]
    body: Option<EventBody>,
}

#[derive(Clone, PartialEq, Message)]
struct EventHeader {
    #[prost(string, tag = "1")]
    uuid: String,
    #[prost(string, tag = "2")]
    event_name: String,
    #[prost(string, tag = "3")]
    created_date: String,
    #[prost(string, tag = "4")]
    saved_date: String,
    #[prost(string, tag = "5")]
    event_type: String,
}

#[derive(Clone, PartialEq, Message)]
struct EventBody {
    #[prost(message, repeated, tag = "1")]
    entities: Vec<EntityUpdateMessage>,
}

#[derive(Clone, PartialEq, Message)]
struct EntityUpdateMessage {
    #[prost(string, tag = "1")]
    entity_type: String,
    #[prost(string, tag = "2")]
    entity_id: String,
    #[prost(message, repeated, tag = "3")]
    attributes: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
struct Entry {
    #[prost(string, tag = "1")]
    key: String,
    #[prost(message, optional, tag = "2")]
    value: Option<PbValue>,
}

#[derive(Clone, PartialEq, Message)]
struct Batch {
    #[prost(bytes, repeated, tag = "1")]
    events: Vec<Vec<u8>>,
}

fn value(kind: Kind) -> PbValue {
    PbValue { kind: Some(kind) }
}

fn list(values: Vec<PbValue>) -> PbValue {
    value(Kind::ListValue(ListValue { values }))
}

fn object(fields: Vec<(&str, PbValue)>) -> PbValue {
    let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    value(Kind::StructValue(Struct { fields }))
}

fn entry(key: &str, value: PbValue) -> Entry {
    Entry { key: key.to_owned(), value: Some(value) }
}

fn event(attributes: Vec<Entry>) -> EventRequest {
    EventRequest {
        header: Some(EventHeader {
            uuid: UUID.to_owned(),
            event_name: "CarCreated".to_owned(),
            ..EventHeader::default()
        }),
        body: Some(EventBody {
            entities: vec![EntityUpdateMessage {
                entity_type: "Car".to_owned(),
                entity_id: "1".to_owned(),
                attributes,
            }],
        }),
    }
}

fn changed(change: impl FnOnce(&mut EventHeader, &mut EntityUpdateMessage)) -> EventRequest {
    let mut event = event(vec![]);
    if let (Some(header), Some(body)) = (&mut event.header, &mut event.body) {
        change(header, &mut body.entities[0]);
    }
    event
}

fn attributes_of(message: &[u8]) -> Result<String, String> {
    decode_event(message)
        .map(|event| event.entities()[0].attributes().to_owned())
        .map_err(|error| error.message().to_owned())
}

fn text_of(attribute: PbValue) -> Result<String, String> {
    attributes_of(&event(vec![entry("v", attribute)]).encode_to_vec())
}

fn message_of(event: &EventRequest) -> String {
    decode_event(&event.encode_to_vec()).map_or_else(|error| error.message().to_owned(), |_| "valid".to_owned())
}

/// A length-delimited field.
fn field(number: u8, content: &[u8]) -> Vec<u8> {
    let length = u8::try_from(content.len()).expect("short fields only");
    assert!(length < 128 && number < 16, "one byte each");
    [&[number << 3 | 2, length], content].concat()
}

#[test]
fn values_become_json_text() {
    for (attribute, json) in [
        (value(Kind::NullValue(0)), "null"),
        (value(Kind::BoolValue(true)), "true"),
        (value(Kind::BoolValue(false)), "false"),
        (value(Kind::StringValue(String::new())), r#""""#),
        (
            value(Kind::StringValue("é \"\\/\u{1}\n\u{1f}\u{7f}日".to_owned())),
            "\"é \\\"\\\\/\\u0001\\u000a\\u001f\u{7f}日\"",
        ),
        (list(vec![]), "[]"),
        (object(vec![]), "{}"),
        (list(vec![list(vec![]), object(vec![]), value(Kind::NullValue(0))]), "[[],{},null]"),
        (
            object(vec![("a\"", list(vec![value(Kind::NumberValue(1.0)), value(Kind::NumberValue(2.0))]))]),
            r#"{"a\"":[1,2]}"#,
        ),
    ] {
        assert_eq!(text_of(attribute), Ok(format!(r#"{{"v":{json}}}"#)));
    }
    let several = vec![entry("a", list(vec![])), entry("", object(vec![])), entry("a", value(Kind::BoolValue(true)))];
    assert_eq!(attributes_of(&event(several).encode_to_vec()).as_deref(), Ok(r#"{"a":[],"":{},"a":true}"#));
    assert_eq!(attributes_of(&event(vec![]).encode_to_vec()).as_deref(), Ok("{}"));
}

#[test]
fn numbers_are_the_shortest_text_of_the_double() {
    for (number, text) in [
        (0.0, "0"),
        (-0.0, "-0"),
        (5.0, "5"),
        (-7.0, "-7"),
        (0.1, "0.1"),
        (1.5e-7, "1.5e-7"),
        (12345.67, "12345.67"),
        (9_007_199_254_740_993.0, "9007199254740992"),
        (123_456_789_012_345_680.0, "1.2345678901234568e+17"),
        (f64::MAX, "1.7976931348623157e+308"),
        (f64::MIN_POSITIVE, "2.2250738585072014e-308"),
        (5e-324, "5e-324"),
    ] {
        let written = text_of(value(Kind::NumberValue(number))).expect("storable");
        let written = written.trim_start_matches(r#"{"v":"#).trim_end_matches('}');
        assert_eq!(written.parse::<f64>().map(f64::to_bits), Ok(number.to_bits()));
        assert_eq!(written, text);
    }
}

#[test]
fn every_part_of_the_event_arrives() {
    let mut message = event(vec![]);
    if let Some(body) = &mut message.body {
        body.entities.push(EntityUpdateMessage {
            entity_type: "é".to_owned(),
            entity_id: "2".to_owned(),
            attributes: vec![entry("a", value(Kind::NumberValue(1.0)))],
        });
    }
    let expected = [Entity::new("Car", "1", "{}"), Entity::new("é", "2", r#"{"a":1}"#)];
    assert_eq!(decode_event(&message.encode_to_vec()).map(|event| event.entities().to_vec()), Ok(expected.to_vec()));
}

#[test]
fn broken_rules_have_the_paths_of_json() {
    let long = |length| "é".repeat(length);
    for (event, expected) in [
        (EventRequest::default(), "eventHeader: required"),
        (EventRequest { header: Some(EventHeader::default()), body: None }, "eventBody: required"),
        (changed(|header, _| header.uuid.clear()), "eventHeader.uuid: required"),
        (changed(|header, _| header.uuid.push('0')), "eventHeader.uuid: must be a UUID"),
        (changed(|header, _| header.event_name.clear()), "eventHeader.eventName: required"),
        (
            changed(|header, _| header.event_name.push('\0')),
            r"eventHeader.eventName: contains \u0000, which cannot be stored",
        ),
        (changed(|header, _| header.event_name = long(101)), "eventHeader.eventName: must have at most 100 characters"),
        (
            changed(|header, _| header.created_date = "x".to_owned()),
            "eventHeader.createdDate: must be an RFC 3339 timestamp or epoch milliseconds",
        ),
        (
            changed(|header, _| header.saved_date = "x".to_owned()),
            "eventHeader.savedDate: must be an RFC 3339 timestamp or epoch milliseconds",
        ),
        (changed(|header, _| header.event_type = long(101)), "eventHeader.eventType: must have at most 100 characters"),
        (changed(|_, entity| entity.entity_type.clear()), "eventBody.entities[0].entityType: required"),
        (
            changed(|_, entity| entity.entity_id = long(256)),
            "eventBody.entities[0].entityId: must have at most 255 characters",
        ),
        (changed(|header, _| header.created_date = "1705314600000".to_owned()), "valid"),
        (changed(|header, entity| (header.event_name, entity.entity_id) = (long(100), long(255))), "valid"),
    ] {
        assert_eq!(message_of(&event), expected);
    }
    let entities = |count| {
        let mut event = event(vec![]);
        let update =
            EntityUpdateMessage { entity_type: "Car".to_owned(), entity_id: "1".to_owned(), attributes: vec![] };
        event.body = Some(EventBody { entities: vec![update; count] });
        message_of(&event)
    };
    assert_eq!(entities(0), "eventBody.entities: must hold 1 to 1000 entities");
    assert_eq!(entities(1_000), "valid");
    assert_eq!(entities(1_001), "eventBody.entities: must hold 1 to 1000 entities");
}

#[test]
fn what_cannot_be_stored() {
    let path = "eventBody.entities[0].updatedAttributes";
    let number = |number| value(Kind::NumberValue(number));
    for (attribute, reason) in [
        (number(f64::NAN), "contains a number outside the double range"),
        (number(f64::INFINITY), "contains a number outside the double range"),
        (list(vec![number(f64::NEG_INFINITY)]), "contains a number outside the double range"),
        (value(Kind::StringValue("a\0".to_owned())), r"contains \u0000, which cannot be stored"),
        (object(vec![("\0", list(vec![]))]), r"contains \u0000, which cannot be stored"),
        (PbValue { kind: None }, "contains a value without a kind"),
        (list(vec![PbValue { kind: None }]), "contains a value without a kind"),
    ] {
        assert_eq!(text_of(attribute), Err(format!("{path}: {reason}")));
    }
    let without_value = event(vec![Entry { key: "a".to_owned(), value: None }]);
    assert_eq!(message_of(&without_value), format!("{path}: contains a value without a kind"));
}

#[test]
fn attributes_nest_to_32_levels_and_hostile_ones_use_no_stack() {
    let nested = |levels: usize, wrap: fn(PbValue) -> PbValue| {
        text_of((1..levels).fold(value(Kind::BoolValue(true)), |inner, _| wrap(inner)))
    };
    let wraps: [fn(PbValue) -> PbValue; 2] = [|inner| list(vec![inner]), |inner| object(vec![("a", inner)])];
    for wrap in wraps {
        assert!(nested(32, wrap).is_ok());
        let deeper = Err("eventBody.entities[0].updatedAttributes: nested deeper than 32 levels".to_owned());
        assert_eq!(nested(33, wrap), deeper);
        // prost's encoder recurses as well, so that this is as deep as a test's stack allows.
        assert_eq!(nested(300, wrap), deeper);
    }
}

#[test]
fn messages_that_come_in_parts_are_merged() {
    let whole = changed(|header, entity| {
        header.event_type = "T".to_owned();
        entity.attributes.push(entry("v", list(vec![])));
    });
    // Encodings of one message, one after another, are an encoding of their merger.
    let parts = [
        EventRequest {
            body: None,
            header: Some(EventHeader { uuid: "x".to_owned(), event_type: "T".to_owned(), ..Default::default() }),
        },
        EventRequest { header: None, ..whole.clone() },
        EventRequest { body: Some(EventBody::default()), ..event(vec![]) },
    ];
    let encoded: Vec<u8> = parts.iter().flat_map(Message::encode_to_vec).collect();
    assert_eq!(EventRequest::decode(&encoded[..]), Ok(whole.clone()));
    assert_eq!(decode_event(&encoded), decode_event(&whole.encode_to_vec()));
}

#[test]
fn a_value_holds_the_last_kind_and_structs_and_lists_are_merged() {
    let encoded = |values: &[PbValue]| values.iter().flat_map(Message::encode_to_vec).collect::<Vec<u8>>();
    let one = || value(Kind::NumberValue(1.0));
    let (a, b) = (object(vec![("a", one())]), object(vec![("b", one())]));
    for (parts, json) in [
        (vec![one(), a.clone()], r#"{"a":1}"#),
        (vec![a.clone(), one()], "1"),
        (vec![a.clone(), b.clone()], r#"{"a":1,"b":1}"#),
        (vec![a.clone(), object(vec![]), b.clone()], r#"{"a":1,"b":1}"#),
        (vec![object(vec![]), b.clone()], r#"{"b":1}"#),
        (vec![a.clone(), one(), b.clone()], r#"{"b":1}"#),
        (vec![list(vec![one()]), list(vec![]), list(vec![one()])], "[1,1]"),
        (vec![list(vec![one()]), a], r#"{"a":1}"#),
    ] {
        // All in one value, and each in its own value field with the key after it.
        let in_one = field(2, &encoded(&parts));
        let in_each = parts.iter().flat_map(|part| field(2, &part.encode_to_vec())).collect();
        for values in [in_one, in_each] {
            let entry = field(3, &[values, field(1, b"v")].concat());
            let entity = [field(1, b"Car"), field(2, b"1"), entry].concat();
            let mut message = event(vec![]);
            message.body = None;
            let bytes = [message.encode_to_vec(), field(2, &field(1, &entity))].concat();
            assert_eq!(attributes_of(&bytes), Ok(format!(r#"{{"v":{json}}}"#)));
        }
    }
}

#[test]
fn what_is_unknown_is_ignored() {
    let mut bytes = event(vec![]).encode_to_vec();
    bytes.extend(field(9, b"\xff"));
    // Known numbers with the wire type of something else are unknown, too.
    bytes.extend(b"\x08\x01\x15\0\0\0\0");
    assert_eq!(attributes_of(&bytes).as_deref(), Ok("{}"));
}

#[test]
fn bytes_that_are_no_message() {
    let valid = event(vec![entry("é", value(Kind::StringValue("ü".to_owned())))]).encode_to_vec();
    for length in 1..valid.len() {
        let error = decode_event(&valid[..length]);
        // Only between the header and the body a cut leaves a message.
        let header = event(vec![]).header.map_or(0, |header| header.encode_to_vec().len() + 2);
        let kind = error.map_err(|error| error.kind());
        assert_eq!(kind, Err(if length == header { ErrorKind::Invalid } else { ErrorKind::Malformed }), "{length}");
    }
    for (position, byte) in valid.iter().enumerate().filter(|(_, byte)| **byte >= 0x80) {
        let mut broken = valid.clone();
        broken[position] = 0xff;
        assert_eq!(attributes_of(&broken).err().as_deref(), Some("body: not a valid message"), "{byte:x}");
    }
}

#[test]
fn text_that_is_no_text_is_found_wherever_it_ends_up() {
    let text = |bytes: &[u8]| field(3, bytes);
    let entry = |key: &[u8], values: &[u8]| field(3, &[field(1, key), field(2, values)].concat());
    let message_with = |entries: &[u8]| {
        let entity = [field(1, b"Car"), field(2, b"1"), entries.to_vec()].concat();
        let header = EventRequest { body: None, ..event(vec![]) };
        attributes_of(&[header.encode_to_vec(), field(2, &field(1, &entity))].concat())
    };
    assert_eq!(message_with(&entry(b"k", &text(b"v"))).as_deref(), Ok(r#"{"k":"v"}"#));
    for broken in [
        entry(b"\xc3", &text(b"\xa9")),
        entry(b"k", &text(b"\xc3")),
        // Joined by what is left out of the text.
        entry(b"k", &text(b"\xc3\0\xa9")),
        // Overwritten by a later field.
        entry(b"k", &[text(b"\xc3"), text(b"v")].concat()),
        entry(b"k", &[text(b"\xc3"), field(5, b"")].concat()),
        field(3, &[field(1, b"\xc3"), field(1, b"k"), field(2, &text(b"v"))].concat()),
    ] {
        assert_eq!(message_with(&broken), Err("body: not a valid message".to_owned()), "{broken:x?}");
    }
}

#[test]
fn a_bulk_answers_each_event_by_itself() {
    let valid = event(vec![]).encode_to_vec();
    let large = event(vec![entry("a", value(Kind::StringValue("x".repeat(limits::EVENT_BYTES))))]).encode_to_vec();
    let bulk = |events: Vec<Vec<u8>>| decode_bulk(&Batch { events }.encode_to_vec());
    let events = bulk(vec![valid.clone(), vec![], large]).expect("the whole is a bulk");
    let messages: Vec<_> = events.iter().map(|event| event.as_ref().err().map(Error::message)).collect();
    assert_eq!(messages, [None, Some("eventHeader: required"), Some("event: larger than 1048576 bytes")]);

    for (events, kind, message) in [
        (vec![], ErrorKind::Invalid, "events: must hold 1 to 10000 events"),
        (vec![vec![]; 10_001], ErrorKind::TooLarge, "events: must hold 1 to 10000 events"),
        (vec![valid.clone(), b"\x0a".to_vec()], ErrorKind::Malformed, "body: not a valid message"),
    ] {
        let error = bulk(events).expect_err("no bulk");
        assert_eq!((error.kind(), error.message()), (kind, message));
    }
    assert_eq!(bulk(vec![valid; 10_000]).map(|events| events.len()), Ok(10_000));
}
