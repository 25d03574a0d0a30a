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
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HttpCall {
    pub method: String,
    pub path: Vec<Segment>,
    pub headers: BTreeMap<String, String>,
    pub expect: u16,
    pub reply: BTreeMap<String, Value>,
    pub capture: BTreeMap<String, String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GrpcCall {
    pub method: String,
    pub expect: String,
    pub reply: BTreeMap<String, Value>,
    pub capture: BTreeMap<String, String>,
}

/// What an acknowledged operation does to the stored state.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase", deny_unknown_fields)]
pub enum Effect {
    Merge { document: String, key: Vec<Vec<Segment>> },
    Put { document: String, key: Vec<Vec<Segment>> },
    Delete { key: Vec<Vec<Segment>> },
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
