//! The events contract as a gRPC plan, for tests that need protobuf.
#![allow(dead_code, reason = "each test file uses its own part of it")]

use std::net::SocketAddr;
use std::path::Path;

use base64::Engine as _;
use prost::Message as _;
use serde_json::{Value, json};

/// Base64 of the contract's descriptors.
pub fn descriptor_set() -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/support/events");
    let files = protox::compile(["event_service.proto"], [folder]).expect("the contract compiles");
    base64::engine::general_purpose::STANDARD.encode(files.encode_to_vec())
}

/// A message with every kind of slot, padded to the plan's size.
pub fn message() -> Value {
    json!([
        "{\"eventHeader\":{\"uuid\":\"", {"slot": "uuid"}, "\",\"eventName\":\"Tested\",\"createdDate\":\"",
        {"slot": "timestamp"}, "\",\"eventType\":\"", {"slot": "choice", "choices": ["a", "b\\\"c", "\\u00e9"]},
        "\"},\"eventBody\":{\"entities\":[{\"entityType\":\"Thing\",\"entityId\":\"", {"slot": "key"},
        "\",\"updatedAttributes\":{\"id\":\"", {"slot": "key"}, "\",\"year\":",
        {"slot": "integer", "min": -5, "max": 2_026}, ",\"price\":",
        {"slot": "decimal", "min": -150, "max": 99_999, "scale": 2}, ",\"onTime\":",
        {"slot": "choice", "choices": ["true", "false", "null", "1.5"]}, ",\"vin\":\"V-",
        {"slot": "alphanumeric", "length": 17}, "-\\n\",\"day\":\"", {"slot": "date", "from": 2_020, "to": 2_026},
        "\",\"nested\":{\"list\":[1,", {"slot": "sequence"}, ",{\"user\":", {"slot": "user"},
        "},[],{}],\"fixed\":{\"a\":[true,null,\"x\"],\"n\":12345678901234567890}},\"empty\":\"\",\"notes\":\"",
        {"slot": "pad", "text": "lorem ipsum dolor sit amet ".repeat(3_000)}, "\"}}]}}"
    ])
}

/// A gRPC plan against an address; the caller changes what it needs.
pub fn changes() -> Value {
    let method = "com.example.grpc.EventService/ProcessEvent";
    let reply = json!({"/success": true});
    json!({
        "transport": {"protocol": "grpc"},
        "proto": {"file": "", "import_path": "", "descriptor_set": descriptor_set()},
        "keys": [{"name": "thing", "format": ["thing-", {"slot": "user"}, "-", {"slot": "sequence"}],
                  "reuse": {"share": 0.5, "pick": "uniform"}}],
        "operations": [{
            "name": "Tested", "weight": 1, "key": 0, "http": null, "creates": null, "needs": null, "effect": null,
            "grpc": {"method": method, "expect": "OK", "reply": reply, "capture": {}},
            "variants": [message()],
        }],
        "batch": {"method": "com.example.grpc.EventService/ProcessEventBatch", "expect": "OK", "field": "events"},
        "stream": {"method": "com.example.grpc.EventService/StreamEvents", "reply": reply},
    })
}

/// The changes of two levels put together.
pub fn with(mut changes: Value, more: &Value) -> Value {
    for (name, value) in more.as_object().expect("an object") {
        match (changes.get_mut(name).and_then(Value::as_object_mut), value.as_object()) {
            (Some(known), Some(members)) => known.extend(members.clone()),
            _ => changes[name] = value.clone(),
        }
    }
    changes
}

pub fn plan(address: SocketAddr, more: &Value) -> bakeoff_load::plan::Plan {
    super::support::plan(address, &with(changes(), more))
}
