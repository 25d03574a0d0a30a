//! Operations: what is sent, what is expected in return, and what is stored.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

use super::segment::Segment;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeyKind {
    pub name: String,
    pub format: Vec<Segment>,
    pub reuse: Option<Reuse>,
}

/// How often and which acknowledged key is used again.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reuse {
    pub share: f64,
    pub pick: Pick,
    #[serde(default = "unit_exponent")]
    pub s: f64,
    /// Keys that all users share: these are used again, and not a user's own.
    #[serde(default)]
    pub shared: Option<u32>,
}

fn unit_exponent() -> f64 {
    1.0
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pick {
    Uniform,
    Zipf,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Operation {
    pub name: String,
    pub weight: u32,
    pub key: Option<usize>,
    pub http: Option<HttpCall>,
    pub grpc: Option<GrpcCall>,
    pub variants: Vec<Vec<Segment>>,
    pub creates: Option<String>,
    pub needs: Option<String>,
    pub effect: Option<Effect>,
    /// The reply shows a stored document, which is verified.
    #[serde(default)]
    pub reads: Option<Reads>,
    /// Each user sends it before its first other operation; what it captures is `login` in headers and paths.
    #[serde(default)]
    pub login: bool,
    /// Which of the entities that it needs it uses; one of the user's own, all with the same frequency, where absent.
    #[serde(default)]
    pub pick: Option<EntityPick>,
    /// The user's pause after its reply, in place of the plan's.
    #[serde(default)]
    pub think_time_ms: Option<f64>,
    /// How the message becomes the body of a request over HTTP, where it is not the body itself.
    #[serde(default)]
    pub body: Option<BodyEncoding>,
    /// Arrivals a second in the open model, out of the phase's rate; by its weight where absent.
    #[serde(default)]
    pub rate: Option<f64>,
}

/// Operations that a user sends one after the other.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Session {
    pub name: String,
    /// How often it begins, beside the weights of the operations.
    pub weight: u32,
    /// Indices of operations.
    pub steps: Vec<usize>,
    /// The user's pause between two steps, in place of the plan's.
    #[serde(default)]
    pub think_time_ms: Option<f64>,
}

/// A body that is not the message itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BodyEncoding {
    /// `application/x-www-form-urlencoded`; the message is a JSON object of its fields.
    Form,
    /// `multipart/form-data`; the message is a JSON object of its parts.
    Multipart,
    /// Bytes; the message is their base64.
    Binary,
}

/// Which of the captured entities an operation uses.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EntityPick {
    #[serde(default)]
    pub of: Owner,
    pub pick: Pick,
    #[serde(default = "unit_exponent")]
    pub s: f64,
}

/// Whose entities.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Owner {
    #[default]
    Own,
    /// Of all users of this engine.
    Any,
}

/// The check of a list in a reply.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ListCheck {
    /// JSON pointer to the list.
    pub items: String,
    /// The most items: a number, or a text with slots.
    #[serde(default)]
    pub most: Option<Vec<Segment>>,
    /// Pointer into an item: what the items are ordered by.
    #[serde(default)]
    pub order: Option<String>,
    #[serde(default)]
    pub descending: bool,
    /// Pointer into an item: what no two of them share.
    #[serde(default)]
    pub id: Option<String>,
    /// A kind of captured entities, and the captured value that is found at `id`.
    #[serde(default)]
    pub own: Option<OwnMembers>,
    /// The list shows everything, not a page.
    #[serde(default)]
    pub complete: bool,
    /// Pointers into the reply: the number of items in all pages, and of pages.
    #[serde(default)]
    pub total: Option<String>,
    #[serde(default)]
    pub pages: Option<String>,
}

/// Which of the user's own entities a list must show.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnMembers {
    pub kind: String,
    pub capture: String,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpCall {
    pub method: String,
    pub path: Vec<Segment>,
    /// A header with several values is sent once for each.
    pub headers: BTreeMap<String, OneOrMore<String>>,
    /// Headers with slots, beside the constant ones.
    #[serde(default)]
    pub header_templates: BTreeMap<String, Vec<Segment>>,
    pub expect: OneOrMore<u16>,
    pub reply: BTreeMap<String, Value>,
    /// Texts with slots that must be found at JSON pointers.
    #[serde(default)]
    pub reply_templates: BTreeMap<String, Vec<Segment>>,
    pub capture: BTreeMap<String, String>,
    /// Captured values that are texts of what was sent.
    #[serde(default)]
    pub capture_templates: BTreeMap<String, Vec<Segment>>,
    #[serde(default)]
    pub list: Option<ListCheck>,
}

/// One value, or several: the first is the usual one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(untagged)]
pub enum OneOrMore<T> {
    One(T),
    More(Vec<T>),
}

impl<T> OneOrMore<T> {
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        match self {
            Self::One(value) => std::slice::from_ref(value),
            Self::More(values) => values,
        }
    }
}

/// Which stored document a reply shows.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reads {
    /// JSON pointer into the reply.
    pub document: String,
    /// The key of the document, as in effects.
    pub key: Vec<Vec<Segment>>,
    /// The accepted status for a document that does not exist: a number for HTTP, a name for gRPC.
    #[serde(default)]
    pub absent: Option<Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcCall {
    pub method: String,
    /// Metadata with slots.
    #[serde(default)]
    pub metadata_templates: BTreeMap<String, Vec<Segment>>,
    pub expect: OneOrMore<String>,
    pub reply: BTreeMap<String, Value>,
    /// Texts with slots that must be found at JSON pointers.
    #[serde(default)]
    pub reply_templates: BTreeMap<String, Vec<Segment>>,
    pub capture: BTreeMap<String, String>,
    /// Captured values that are texts of what was sent.
    #[serde(default)]
    pub capture_templates: BTreeMap<String, Vec<Segment>>,
    #[serde(default)]
    pub list: Option<ListCheck>,
}

/// The effect of an acknowledged operation on the stored state.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Effect {
    Merge(Write),
    Put(Write),
    Delete { key: Vec<Vec<Segment>> },
}

/// The part of a message that is stored, and where.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Write {
    /// JSON pointer into the message.
    pub document: String,
    /// The members of the document that are stored, where not all are.
    #[serde(default)]
    pub members: Option<Vec<String>>,
    pub key: Vec<Vec<Segment>>,
}

/// Many messages in one request: `open`, `separator` and `close` for HTTP, `field` for gRPC.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    pub method: String,
    pub path: Option<String>,
    pub expect: Value,
    pub open: Option<String>,
    pub separator: Option<String>,
    pub close: Option<String>,
    pub field: Option<String>,
    #[serde(default)]
    pub reply: BTreeMap<String, Value>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stream {
    pub method: String,
    #[serde(default)]
    pub reply: BTreeMap<String, Value>,
}
