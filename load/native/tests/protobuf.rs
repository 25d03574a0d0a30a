//! Our protobuf against reflection: the same template, once encoded by us, once as JSON that reflection reads.

use std::sync::Arc;

use bakeoff_load::workload::{Renderer, Workload};
use base64::Engine as _;
use prost::Message as _;
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor};
use serde_json::{Value, json};

use crate::{events, support};

fn pool(descriptor_set: &str) -> DescriptorPool {
    let bytes = base64::engine::general_purpose::STANDARD.decode(descriptor_set).expect("base64");
    DescriptorPool::decode(bytes.as_slice()).expect("descriptors")
}

fn from_json(descriptor: &MessageDescriptor, json: &[u8]) -> DynamicMessage {
    let mut reader = serde_json::Deserializer::from_slice(json);
    DynamicMessage::deserialize(descriptor.clone(), &mut reader)
        .unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(json)))
}

fn as_json(message: &DynamicMessage) -> String {
    serde_json::to_string(message).expect("JSON")
}

/// Compares both encodings of the first events of a workload.
fn compare(plan: &bakeoff_load::plan::Plan, descriptor: &MessageDescriptor, sizes: &[Option<u64>]) {
    for size in sizes {
        let mut plan = plan.clone();
        plan.size_bytes = *size;
        let workload = Arc::new(Workload::compile(&plan).expect("compiles"));
        let state = workload.new_user();
        let mut renderer = Renderer::new(Arc::clone(&workload));
        for sequence in 0..200 {
            renderer.next(7, &state, sequence);
            let (mut json, mut protobuf) = (Vec::new(), Vec::new());
            renderer.json(&mut json);
            renderer.protobuf(&mut protobuf);
            if let Some(size) = size {
                assert_eq!(json.len() as u64, *size);
            }
            let ours = DynamicMessage::decode(descriptor.clone(), protobuf.as_slice()).expect("our bytes decode");
            // Through bytes, so that a default that was set is the same as one that was not.
            let theirs = from_json(descriptor, &json).encode_to_vec();
            let theirs = DynamicMessage::decode(descriptor.clone(), theirs.as_slice()).expect("their bytes decode");
            // Not assert_eq: the debug text of a message of a recursive type has no end.
            assert!(ours == theirs, "ours {}\ntheirs {}", as_json(&ours), as_json(&theirs));
        }
    }
}

#[test]
fn events_are_encoded_as_reflection_does_it() {
    let plan = events::plan("127.0.0.1:1".parse().expect("an address"), &json!({}));
    let descriptor = pool(&events::descriptor_set()).get_message_by_name("com.example.grpc.EventRequest");
    let sizes = [None, Some(1_024), Some(4_096), Some(20_000), Some(65_536)];
    compare(&plan, &descriptor.expect("the message"), &sizes);
}

const EVERY_KIND: &str = r#"
    syntax = "proto3";
    package test;
    import "google/protobuf/struct.proto";
    import "google/protobuf/timestamp.proto";
    import "google/protobuf/wrappers.proto";
    import "google/protobuf/duration.proto";
    enum Colour { NONE = 0; RED = 1; BLUE = 2; }
    message Inner { string name = 1; sint32 depth = 2; Inner inner = 3; }
    message Every {
      double a = 1; float b = 2; int32 c = 3; int64 d = 4; uint32 e = 5; uint64 f = 6; sint32 g = 7; sint64 h = 8;
      fixed32 i = 9; fixed64 j = 10; sfixed32 k = 11; sfixed64 l = 12; bool m = 13; string n = 14; bytes o = 15;
      Colour p = 16; Inner q = 17; repeated Inner r = 18; repeated string s = 19; map<string, string> t = 20;
      map<string, Inner> u = 21; google.protobuf.Struct v = 22; google.protobuf.ListValue w = 23;
      google.protobuf.Timestamp x = 24; google.protobuf.Timestamp y = 25; optional int32 z = 26;
      repeated int32 numbers = 27; map<string, int64> counts = 28; int32 snake_case_name = 29;
      repeated Colour colours = 30; repeated bool flags = 31; map<int32, Inner> by_number = 32;
      map<bool, string> by_flag = 33; map<uint64, int32> by_size = 34;
      google.protobuf.StringValue text = 35; google.protobuf.Int64Value whole = 36; google.protobuf.BoolValue flag = 37;
      google.protobuf.DoubleValue double = 38; repeated google.protobuf.StringValue texts = 39;
      google.protobuf.Duration pause = 40; repeated google.protobuf.Duration pauses = 41;
      google.protobuf.Value any = 200;
    }
    service Service { rpc Call(Every) returns (Every); }
"#;

const GROUPS: &str = r#"
    syntax = "proto2";
    package test;
    message Every {
      required string id = 1;
      repeated group Part = 2 { optional string name = 1; optional group Size = 2 { optional int32 width = 3; } }
      optional int32 last = 3;
    }
    service Service { rpc Call(Every) returns (Every); }
"#;

#[test]
fn groups_are_encoded_as_reflection_does_it() {
    let (set, pool) = compiled(GROUPS);
    let integer = json!({"slot": "integer", "min": 1, "max": 200});
    let text = json!({"slot": "alphanumeric", "length": 3});
    let message = json!([
        "{\"id\":\"a\",\"part\":[{\"name\":\"",
        text,
        "\",\"size\":{\"width\":",
        integer,
        "}},{\"name\":\"b\"},{}],\"last\":",
        integer,
        "}"
    ]);
    let descriptor = pool.get_message_by_name("test.Every").expect("the message");
    compare(&plan_of(&set, &message), &descriptor, &[None]);
}

fn every_kind() -> (String, DescriptorPool) {
    compiled(EVERY_KIND)
}

fn compiled(proto: &str) -> (String, DescriptorPool) {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("every.proto"), proto).expect("written");
    let files = protox::compile(["every.proto"], [folder.path()]).expect("compiles");
    let set = base64::engine::general_purpose::STANDARD.encode(files.encode_to_vec());
    let pool = pool(&set);
    (set, pool)
}

fn every_plan(set: &str, message: &Value) -> Result<Workload, bakeoff_load::plan::PlanError> {
    Workload::compile(&plan_of(set, message))
}

fn plan_of(set: &str, message: &Value) -> bakeoff_load::plan::Plan {
    let changes = json!({
        "transport": {"protocol": "grpc"},
        "proto": {"file": "", "import_path": "", "descriptor_set": set},
        "operations": [{
            "name": "call", "weight": 1, "key": null, "http": null, "creates": null, "needs": null, "effect": null,
            "grpc": {"method": "test.Service/Call", "expect": "OK", "reply": {}, "capture": {}},
            "variants": [message],
        }],
    });
    support::plan("127.0.0.1:1".parse().expect("an address"), &changes)
}

#[test]
fn every_kind_of_field_is_encoded_as_reflection_does_it() {
    let (set, pool) = every_kind();
    let integer = json!({"slot": "integer", "min": 1, "max": 200});
    let signed = json!({"slot": "integer", "min": -70_000, "max": -1});
    let decimal = json!({"slot": "decimal", "min": -999, "max": 999, "scale": 2});
    let text = json!({"slot": "alphanumeric", "length": 3});
    let colour = json!({"slot": "choice", "choices": ["RED", "BLUE"]});
    let flag = json!({"slot": "choice", "choices": ["true", "false"]});
    let pause = json!({"slot": "choice", "choices": ["1s", "0.250s"]});
    let message = json!([
        "{\"a\":", decimal, ",\"b\":", decimal, ",\"c\":", signed, ",\"d\":", signed, ",\"e\":", integer, ",\"f\":",
        integer, ",\"g\":", signed, ",\"h\":", signed, ",\"i\":", integer, ",\"j\":", integer, ",\"k\":", signed,
        ",\"l\":", signed, ",\"m\":", {"slot": "choice", "choices": ["true", "false"]}, ",\"n\":\"", text,
        "\",\"o\":\"aGk=\",\"p\":\"", {"slot": "choice", "choices": ["RED", "BLUE"]}, "\",\"q\":{\"name\":\"x\",\"inner\":{\"depth\":",
        signed, ",\"inner\":{}}},\"r\":[{\"name\":\"", text, "\"},{\"name\":\"fixed\"}],\"s\":[\"one\",\"", text,
        "\"],\"t\":{\"k\":\"", text, "\",\"", text, "\":\"v\"},\"u\":{\"k\":{\"name\":\"", text, "\"},\"fixed\":{}},\"v\":{\"a\":",
        decimal, ",\"b\":{\"c\":[]}},\"w\":[\"", text, "\",null],\"x\":\"", {"slot": "timestamp"},
        "\",\"y\":\"2024-01-15T10:30:00Z\",\"z\":0,\"numbers\":[1,", integer, "],\"counts\":{\"n\":", signed,
        "},\"snakeCaseName\":", integer, ",\"any\":[", integer, ",{\"x\":\"", text, "\"}],\"colours\":[\"", colour, "\",\"RED\",\"", colour, "\"],\"flags\":[", flag, "],\"byNumber\":{\"-7\":{\"name\":\"",
        text, "\"},\"8\":{}},\"byFlag\":{\"true\":\"", text, "\"},\"bySize\":{\"18446744073709551615\":", integer,
        "},\"text\":\"", text, "\",\"whole\":", integer, ",\"flag\":", flag, ",\"double\":", decimal, ",\"texts\":[\"", text,
        "\",\"b\"],\"pause\":\"", pause, "\",\"pauses\":[\"3s\",\"", pause, "\"]}"
    ]);
    let descriptor = pool.get_message_by_name("test.Every").expect("the message");
    compare(&plan_of(&set, &message), &descriptor, &[None]);
}

#[test]
fn templates_that_do_not_fit_are_refused() {
    let (set, _) = every_kind();
    let integer = json!({"slot": "integer", "min": 1, "max": 2});
    for message in [
        json!(["{\"nothing\":", integer, "}"]),
        json!(["{\"n\":", integer, "}"]),
        json!(["{\"q\":", integer, "}"]),
        json!(["{\"q\":\"", integer, "\"}"]),
        json!(["{\"s\":", integer, "}"]),
        json!(["{\"c\":", {"slot": "decimal", "min": 1, "max": 20, "scale": 1}, "}"]),
        json!(["{\"c\":1", integer, "}"]),
        json!(["{\"p\":\"", {"slot": "choice", "choices": ["RED", "GREEN"]}, "\"}"]),
        json!(["{\"m\":", {"slot": "choice", "choices": ["true", "2"]}, "}"]),
        json!(["{\"v\":{\"a\":", {"slot": "uuid"}, "}}"]),
        json!(["{\"x\":\"", {"slot": "date", "from": 2020, "to": 2021}, "\"}"]),
        json!(["{\"n\":\"", {"slot": "uuid"}, "}"]),
        json!(["{\"", {"slot": "uuid"}, "\":1}"]),
        json!(["{\"c\":\"not a number\"}"]),
        json!(["[", integer, "]"]),
    ] {
        assert!(every_plan(&set, &message).is_err(), "{message}");
    }
}
