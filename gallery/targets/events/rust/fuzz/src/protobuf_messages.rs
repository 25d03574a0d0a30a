//! The messages as `prost` reads them, and their equivalent as JSON.

use prost::{Message, Oneof};
use serde_json::json;

#[derive(Clone, PartialEq, Message)]
pub struct EventRequest {
    #[prost(message, optional, tag = "1")]
    header: Option<EventHeader>,
    #[prost(message, optional, tag = "2")]
    body: Option<EventBody>,
}

#[derive(Clone, PartialEq, Message)]
pub struct EventHeader {
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
pub struct EventBody {
    #[prost(message, repeated, tag = "1")]
    entities: Vec<EntityUpdate>,
}

#[derive(Clone, PartialEq, Message)]
pub struct EntityUpdate {
    #[prost(string, tag = "1")]
    entity_type: String,
    #[prost(string, tag = "2")]
    entity_id: String,
    #[prost(message, repeated, tag = "3")]
    updated_attributes: Vec<Entry>,
}

// Maps are repeated entries, which is the same on the wire: `prost` takes anything for an entry of a map, and
// keeps only the last of those with one name.

#[derive(Clone, PartialEq, Message)]
pub struct Entry {
    #[prost(string, tag = "1")]
    name: String,
    #[prost(message, optional, tag = "2")]
    value: Option<Value>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Struct {
    #[prost(message, repeated, tag = "1")]
    fields: Vec<Entry>,
}

#[derive(Clone, PartialEq, Message)]
pub struct ListValue {
    #[prost(message, repeated, tag = "1")]
    values: Vec<Value>,
}

#[derive(Clone, PartialEq, Message)]
pub struct Value {
    #[prost(oneof = "Kind", tags = "1, 2, 3, 4, 5, 6")]
    kind: Option<Kind>,
}

#[derive(Clone, PartialEq, Oneof)]
pub enum Kind {
    #[prost(int32, tag = "1")]
    Null(i32),
    #[prost(double, tag = "2")]
    Number(f64),
    #[prost(string, tag = "3")]
    Text(String),
    #[prost(bool, tag = "4")]
    Flag(bool),
    #[prost(message, tag = "5")]
    Struct(Struct),
    #[prost(message, tag = "6")]
    List(ListValue),
}

/// A batch whose events are left as they are.
#[derive(Clone, PartialEq, Message)]
pub struct EventBatchRequest {
    #[prost(bytes = "vec", repeated, tag = "1")]
    pub events: Vec<Vec<u8>>,
}

impl EventRequest {
    /// The event as a client of REST would send it.
    pub fn to_json(&self) -> String {
        let header = self.header.as_ref().map(header_json).unwrap_or_default();
        let body = self.body.as_ref().map(body_json).unwrap_or_default();
        let between = if header.is_empty() || body.is_empty() { "" } else { "," };
        format!("{{{header}{between}{body}}}")
    }
}

fn header_json(header: &EventHeader) -> String {
    let fields = json!({
        "uuid": header.uuid, "eventName": header.event_name, "createdDate": header.created_date,
        "savedDate": header.saved_date, "eventType": header.event_type,
    });
    format!(r#""eventHeader":{fields}"#)
}

fn body_json(body: &EventBody) -> String {
    format!(r#""eventBody":{{"entities":[{}]}}"#, joined(body.entities.iter().map(entity_json)))
}

fn entity_json(entity: &EntityUpdate) -> String {
    let (entity_type, entity_id) = (json!(entity.entity_type), json!(entity.entity_id));
    let attributes = entries_json(&entity.updated_attributes);
    format!(r#"{{"entityType":{entity_type},"entityId":{entity_id},"updatedAttributes":{attributes}}}"#)
}

/// A repeated name is repeated in JSON too.
fn entries_json(entries: &[Entry]) -> String {
    let members = entries.iter().map(|Entry { name, value }| {
        let value = value.as_ref().map_or_else(unstorable, value_json);
        format!("{}:{value}", json!(name))
    });
    format!("{{{}}}", joined(members))
}

fn value_json(value: &Value) -> String {
    match &value.kind {
        Some(Kind::Null(_)) => "null".to_owned(),
        Some(Kind::Number(number)) if number.is_finite() => json!(number).to_string(),
        Some(Kind::Text(text)) => json!(text).to_string(),
        Some(Kind::Flag(flag)) => flag.to_string(),
        Some(Kind::Struct(object)) => entries_json(&object.fields),
        Some(Kind::List(list)) => format!("[{}]", joined(list.values.iter().map(value_json))),
        Some(Kind::Number(_)) | None => unstorable(),
    }
}

/// Replaces what JSON cannot express; it is refused at the same path.
fn unstorable() -> String {
    r#""\u0000""#.to_owned()
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(",")
}
