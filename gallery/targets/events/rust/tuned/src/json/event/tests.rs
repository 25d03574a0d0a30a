use super::*;
use events_core::error::ErrorKind;
use events_core::model::Entity;

const UUID: &str = r#""uuid":"7b0f1c9e-3A54-4b7e-9d5c-0a1b2c3d4e5f""#;

/// An event with these header members, after the uuid, and these body members.
fn event_of(header: &str, body: &str) -> String {
    format!(r#"{{"eventHeader":{{{UUID}{header}}},"eventBody":{{{body}}}}}"#)
}

fn with_header(header: &str) -> String {
    event_of(header, &entities(r#"{"entityType":"Car","entityId":"1","updatedAttributes":{}}"#))
}

fn with_entities(array: &str) -> String {
    event_of(NAME, &entities(array))
}

fn with_entity(members: &str) -> String {
    with_entities(&format!("{{{members}}}"))
}

fn with_attributes(attributes: &str) -> String {
    with_entity(&format!(r#""entityType":"Car","entityId":"1","updatedAttributes":{attributes}"#))
}

const NO_DATE: &str = "eventHeader.createdDate: must be an RFC 3339 timestamp or epoch milliseconds";
const NAME: &str = r#","eventName":"CarCreated""#;

fn entities(elements: &str) -> String {
    format!(r#""entities":[{elements}]"#)
}

fn message(body: impl AsRef<[u8]>) -> String {
    match decode_event(body.as_ref()) {
        Ok(_) => "valid".to_owned(),
        Err(error) => error.message().to_owned(),
    }
}

#[test]
fn a_valid_event_is_its_entities() {
    let body = with_entities(
        r#" {"entityType":"Car","entityId":"é\n\u00e9","updatedAttributes": { "n" : 0.10 } , "other":[1]},
            {"updatedAttributes":{},"entityId":"2","entityType":"\u0043ar"} "#,
    );
    let expected = [Entity::new("Car", "é\né", r#"{ "n" : 0.10 }"#), Entity::new("Car", "2", "{}")];
    assert_eq!(decode_event(body.as_bytes()).map(|event| event.entities().to_vec()), Ok(expected.to_vec()));
}

#[test]
fn what_the_rules_allow() {
    let long = "é".repeat(100);
    for body in [
        with_header(NAME),
        with_header(&format!(r#","eventName":"{long}","eventType":"{long}""#)),
        with_header(r#","eventName":"a","createdDate":null,"savedDate":"","eventType":null"#),
        with_header(r#","eventName":"a","createdDate":1705314600000,"savedDate":"-1""#),
        with_header(r#","eventName":"a","createdDate":"2024-01-15T10:30:00\u005a","savedDate":-0"#),
        with_header(r#","eventName":"a","other":1e999,"other":"\ud800","\ud800":1,"\ud800":2"#),
        with_header(r#","event\u004eame":"a""#),
        with_attributes(r#"{"a":1,"a":2,"":{"b":[],"b":null}}"#),
        with_entities(&vec![r#"{"entityType":"Car","entityId":"1","updatedAttributes":{}}"#; 1_000].join(",")),
        with_entity(&format!(r#""entityType":"{long}","entityId":"{}","updatedAttributes":{{}}"#, "日".repeat(255))),
        format!(" \n{}\t\r", with_header(NAME)),
    ] {
        assert_eq!(message(&body), "valid", "{body}");
    }
}

#[test]
fn bodies_that_are_no_event() {
    for (body, expected) in [
        (&b""[..], "body: not valid JSON"),
        (b"\xef\xbb\xbf{}", "body: not valid JSON"),
        (b"{\"\xff\":1}", "body: not valid UTF-8"),
        (b"\xff", "body: not valid UTF-8"),
        (b"{} {}", "body: not valid JSON"),
        (b"{\"eventHeader\":{\"uuid\":1},}", "body: not valid JSON"),
        (b"null", "body: must be an object"),
        (b"[]", "body: must be an object"),
        (b"\"\\ud800\"", "body: must be an object"),
        (b"1e999", "body: must be an object"),
        (b"{}", "eventHeader: required"),
    ] {
        assert_eq!(message(body), expected, "{}", body.escape_ascii());
    }
}

#[test]
fn broken_syntax_comes_before_broken_rules() {
    let start = r#"{"eventHeader":{"uuid":"no","uuid":1},"eventBody":7"#;
    assert_eq!(message(format!("{start}}}")), "eventBody: must be an object");
    for end in ["", "]", "}}", ",", ",}", "x"] {
        let body = format!("{start}{end}");
        let error = decode_event(body.as_bytes()).expect_err("cut off");
        assert_eq!((error.kind(), error.message()), (ErrorKind::Malformed, "body: not valid JSON"), "{body}");
    }
}

#[test]
fn broken_rules_of_the_header() {
    let name = |value: &str| with_header(&format!(r#","eventName":{value}"#));
    let date = |value: &str| with_header(&format!(r#"{NAME},"createdDate":{value}"#));
    for (body, expected) in [
        (r#"{"eventHeader":null,"eventBody":{}}"#.to_owned(), "eventHeader: required"),
        (r#"{"eventHeader":[],"eventBody":{}}"#.to_owned(), "eventHeader: must be an object"),
        (r#"{"eventHeader":{},"eventHeader":null}"#.to_owned(), "eventHeader: duplicate field"),
        (r#"{"eventHeader":{}}"#.to_owned(), "eventBody: required"),
        (r#"{"eventHeader":{},"eventBody":"x"}"#.to_owned(), "eventBody: must be an object"),
        (r#"{"eventHeader":{},"eventBody":{}}"#.to_owned(), "eventHeader.uuid: required"),
        (r#"{"eventHeader":{"uuid":""},"eventBody":{}}"#.to_owned(), "eventHeader.uuid: required"),
        (r#"{"eventHeader":{"uuid":7},"eventBody":{}}"#.to_owned(), "eventHeader.uuid: must be a string"),
        (
            r#"{"eventHeader":{"uuid":"7b0f1c9e3a54-4b7e-9d5c-0a1b2c3d4e5f0"},"eventBody":{}}"#.to_owned(),
            "eventHeader.uuid: must be a UUID",
        ),
        (
            r#"{"eventHeader":{"uuid":"gb0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f"},"eventBody":{}}"#.to_owned(),
            "eventHeader.uuid: must be a UUID",
        ),
        (
            r#"{"eventHeader":{"uuid":"{7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f}"},"eventBody":{}}"#.to_owned(),
            "eventHeader.uuid: must be a UUID",
        ),
        (with_header(&format!(",{UUID}")), "eventHeader.uuid: duplicate field"),
        (with_header(""), "eventHeader.eventName: required"),
        (name("{}"), "eventHeader.eventName: must be a string"),
        (name("1.5"), "eventHeader.eventName: must be a string"),
        (name(r#""a\u0000""#), r"eventHeader.eventName: contains \u0000, which cannot be stored"),
        (name(r#""\udfff""#), "eventHeader.eventName: contains a lone surrogate, which cannot be stored"),
        (name(&format!("{:?}", "é".repeat(101))), "eventHeader.eventName: must have at most 100 characters"),
        (date("true"), NO_DATE),
        (date("1.0"), NO_DATE),
        (date("1e3"), NO_DATE),
        (date("1000000000000000"), NO_DATE),
        (date(r#""2024-02-30T00:00:00Z""#), NO_DATE),
        (date(r#""1","createdDate":"1""#), "eventHeader.createdDate: duplicate field"),
        (date(r#""\u0000""#), r"eventHeader.createdDate: contains \u0000, which cannot be stored"),
        (
            with_header(&format!(r#"{NAME},"savedDate":"x","eventType":1"#)),
            "eventHeader.savedDate: must be an RFC 3339 timestamp or epoch milliseconds",
        ),
        (with_header(&format!(r#"{NAME},"eventType":1"#)), "eventHeader.eventType: must be a string"),
        (
            with_header(&format!(r#"{NAME},"eventType":{:?}"#, "x".repeat(101))),
            "eventHeader.eventType: must have at most 100 characters",
        ),
    ] {
        assert_eq!(message(&body), expected, "{body}");
    }
}

#[test]
fn broken_rules_of_the_body() {
    let key = r#""entityType":"Car","entityId":"1""#;
    for (body, expected) in [
        (event_of(NAME, ""), "eventBody.entities: must hold 1 to 1000 entities"),
        (event_of(NAME, r#""entities":null"#), "eventBody.entities: must hold 1 to 1000 entities"),
        (with_entities(""), "eventBody.entities: must hold 1 to 1000 entities"),
        (with_entities(&vec!["0"; 1_001].join(",")), "eventBody.entities: must hold 1 to 1000 entities"),
        (event_of(NAME, r#""entities":{}"#), "eventBody.entities: must be an array"),
        (event_of(NAME, r#""entities":[],"entities":[]"#), "eventBody.entities: duplicate field"),
        (with_entities("null"), "eventBody.entities[0]: must be an object"),
        (with_entity(""), "eventBody.entities[0].entityType: required"),
        (with_entity(r#""entityType":[]"#), "eventBody.entities[0].entityType: must be a string"),
        (
            with_entity(&format!(r#""entityType":{:?}"#, "x".repeat(101))),
            "eventBody.entities[0].entityType: must have at most 100 characters",
        ),
        (with_entity(r#""entityType":"Car""#), "eventBody.entities[0].entityId: required"),
        (
            with_entity(&format!(r#""entityType":"Car","entityId":{:?}"#, "x".repeat(256))),
            "eventBody.entities[0].entityId: must have at most 255 characters",
        ),
        (with_entity(key), "eventBody.entities[0].updatedAttributes: required"),
        (with_attributes("[]"), "eventBody.entities[0].updatedAttributes: must be an object"),
        (with_attributes(r#"{},"updatedAttributes":{}"#), "eventBody.entities[0].updatedAttributes: duplicate field"),
        (
            with_attributes(r#"{"a":"\u0000"}"#),
            r"eventBody.entities[0].updatedAttributes: contains \u0000, which cannot be stored",
        ),
        (
            with_attributes(r#"{"a":-1e309}"#),
            "eventBody.entities[0].updatedAttributes: contains a number outside the double range",
        ),
        (
            with_attributes(&format!(r#"{{"a":{}{}}}"#, "[".repeat(32), "]".repeat(32))),
            "eventBody.entities[0].updatedAttributes: nested deeper than 32 levels",
        ),
        (
            with_entities(&format!(r#"{{{key},"updatedAttributes":{{}}}},7"#)),
            "eventBody.entities[1]: must be an object",
        ),
        (with_entities(&format!("{{{key}}},7")), "eventBody.entities[0].updatedAttributes: required"),
    ] {
        assert_eq!(message(&body), expected, "{body}");
    }
}

#[test]
fn a_bulk_answers_each_event_by_itself() {
    let valid = with_header(NAME);
    let large = with_attributes(&format!(r#"{{"a":{:?}}}"#, "x".repeat(limits::EVENT_BYTES)));
    let largest = large.replacen('x', "", large.len() - limits::EVENT_BYTES);
    assert_eq!(largest.len(), limits::EVENT_BYTES);
    let body = format!(" [ {valid} , 7,null,{{}},{large}, {largest} ] ");
    let events = decode_bulk(body.as_bytes()).expect("the whole is a bulk");
    let messages: Vec<_> = events.iter().map(|event| event.as_ref().err().map(Error::message)).collect();
    assert_eq!(
        messages,
        [
            None,
            Some("event: must be an object"),
            Some("event: must be an object"),
            Some("eventHeader: required"),
            Some("event: larger than 1048576 bytes"),
            None,
        ]
    );
}

#[test]
fn bulks_that_are_none() {
    let repeated = |count| format!("[{}]", vec!["1"; count].join(","));
    for (body, kind, expected) in [
        ("{}".to_owned(), ErrorKind::Invalid, "body: must be an array"),
        ("7 7".to_owned(), ErrorKind::Malformed, "body: not valid JSON"),
        ("[{},]".to_owned(), ErrorKind::Malformed, "body: not valid JSON"),
        ("[]".to_owned(), ErrorKind::Invalid, "events: must hold 1 to 10000 events"),
        (repeated(10_001), ErrorKind::TooLarge, "events: must hold 1 to 10000 events"),
        (repeated(10_001) + "x", ErrorKind::Malformed, "body: not valid JSON"),
    ] {
        let error = decode_bulk(body.as_bytes()).expect_err("no bulk");
        assert_eq!((error.kind(), error.message()), (kind, expected));
    }
    assert_eq!(decode_bulk(repeated(10_000).as_bytes()).map(|events| events.len()), Ok(10_000));
}
