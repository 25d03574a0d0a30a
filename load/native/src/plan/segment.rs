//! One piece of a template: literal text or a slot.

use std::num::NonZeroU32;

use serde::Deserialize;

/// One piece of a template in a plan.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
pub enum Segment {
    Literal(String),
    Slot(SlotSegment),
}

/// A slot, as a plan spells it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(tag = "slot", rename_all = "lowercase", deny_unknown_fields)]
pub enum SlotSegment {
    Uuid,
    Integer {
        min: i64,
        max: i64,
    },
    Decimal {
        min: i64,
        max: i64,
        scale: u32,
    },
    Choice {
        choices: Vec<String>,
    },
    Alphanumeric {
        length: u32,
    },
    Date {
        from: u32,
        to: u32,
    },
    Timestamp,
    User,
    /// With `modulo` the remainder only, which bounds how many texts there are.
    Sequence {
        #[serde(default)]
        modulo: Option<NonZeroU32>,
    },
    Run,
    Key,
    /// With a prefix it is a part of a query: the prefix and the escaped value, or nothing where that is empty.
    Captured {
        name: String,
        #[serde(default)]
        prefix: Option<String>,
    },
    Login {
        name: String,
    },
    /// A slot whose value can be used again.
    Named {
        name: String,
        of: Box<SlotSegment>,
    },
    /// The value of a named slot.
    Value {
        name: String,
    },
    Pad {
        text: String,
    },
}
