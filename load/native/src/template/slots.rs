//! Slots, compiled: what each renders and how it draws.

use std::num::NonZeroU32;

use super::calendar::days_to_year;
use crate::plan::{PlanError, SlotSegment};

/// A slot that is ready to render.
#[derive(Debug, Clone, PartialEq)]
pub enum Slot {
    Uuid,
    Integer {
        min: i64,
        span: u64,
    },
    Decimal {
        min: i64,
        max: i64,
        scale: u32,
    },
    Choice(Vec<Box<[u8]>>),
    Alphanumeric(u32),
    Date {
        first: i64,
        days: u64,
    },
    Timestamp,
    User,
    /// The remainder of a division, or the number itself.
    Sequence(Option<NonZeroU32>),
    Run,
    Key,
    Captured(Box<str>),
    /// A part of a query with a captured value; nothing where that is empty.
    QueryPart {
        prefix: Box<str>,
        name: Box<str>,
    },
    /// A value that the user's login captured.
    Login(Box<str>),
    /// The value of a named slot of the event's message.
    Value(Box<str>),
}

impl Slot {
    /// Whether every occurrence in a message renders the same, so that one value serves them all.
    fn is_shared(&self) -> bool {
        let is_derived = matches!(self, Self::Timestamp | Self::User | Self::Sequence(_) | Self::Run | Self::Key);
        is_derived || matches!(self, Self::Captured(_) | Self::QueryPart { .. } | Self::Login(_) | Self::Value(_))
    }
}

/// The slots of one message, in the order in which they draw.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SlotTable {
    slots: Vec<Slot>,
    /// Slots with a name, by their index.
    names: Vec<(Box<str>, usize)>,
}

impl SlotTable {
    #[must_use]
    pub fn slots(&self) -> &[Slot] {
        &self.slots
    }

    /// Named slots and their indices.
    #[must_use]
    pub fn names(&self) -> &[(Box<str>, usize)] {
        &self.names
    }

    /// Names of values that no slot of this table has.
    pub fn foreign_values(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().filter_map(|slot| match slot {
            Slot::Value(name) => Some(&**name),
            _ => None,
        })
    }

    /// Index of the value that this slot renders. `pad` has none.
    ///
    /// # Errors
    /// The slot's bounds make no sense.
    pub(super) fn add(&mut self, segment: &SlotSegment) -> Result<usize, PlanError> {
        if let SlotSegment::Named { name, of } = segment {
            return self.add_named(name, of);
        }
        if let SlotSegment::Value { name } = segment
            && let Some((_, index)) = self.names.iter().find(|(known, _)| **known == **name)
        {
            return Ok(*index);
        }
        let slot = compile(segment)?;
        if slot.is_shared()
            && let Some(index) = self.slots.iter().position(|known| *known == slot)
        {
            return Ok(index);
        }
        self.slots.push(slot);
        Ok(self.slots.len() - 1)
    }
}

impl SlotTable {
    fn add_named(&mut self, name: &str, of: &SlotSegment) -> Result<usize, PlanError> {
        if self.names.iter().any(|(known, _)| **known == *name) {
            return Err(PlanError::rule(format!("slot: two are named {name}")));
        }
        let index = self.add(of)?;
        self.names.push((name.into(), index));
        Ok(index)
    }
}

fn compile(segment: &SlotSegment) -> Result<Slot, PlanError> {
    Ok(match segment {
        SlotSegment::Uuid => Slot::Uuid,
        SlotSegment::Integer { min, max } => Slot::Integer { min: *min, span: span(*min, *max)? },
        SlotSegment::Decimal { min, max, scale } => {
            span(*min, *max)?;
            if *scale > 15 {
                return Err(PlanError::rule("slot decimal: at most 15 places"));
            }
            Slot::Decimal { min: *min, max: *max, scale: *scale }
        }
        SlotSegment::Choice { choices } if choices.is_empty() => {
            return Err(PlanError::rule("slot choice: at least one choice"));
        }
        SlotSegment::Choice { choices } => Slot::Choice(choices.iter().map(|text| text.as_bytes().into()).collect()),
        SlotSegment::Alphanumeric { length } => Slot::Alphanumeric(*length),
        SlotSegment::Date { from, to } => compile_date(*from, *to)?,
        SlotSegment::Timestamp => Slot::Timestamp,
        SlotSegment::User => Slot::User,
        SlotSegment::Sequence { modulo } => Slot::Sequence(*modulo),
        SlotSegment::Run => Slot::Run,
        SlotSegment::Key => Slot::Key,
        SlotSegment::Captured { name, prefix: None } => Slot::Captured(name.as_str().into()),
        SlotSegment::Captured { name, prefix: Some(prefix) } => {
            Slot::QueryPart { prefix: prefix.as_str().into(), name: name.as_str().into() }
        }
        SlotSegment::Login { name } => Slot::Login(name.as_str().into()),
        SlotSegment::Value { name } => Slot::Value(name.as_str().into()),
        SlotSegment::Named { .. } => return Err(PlanError::rule("slot named: not of another named slot")),
        SlotSegment::Pad { .. } => return Err(PlanError::rule("slot pad: only in a message, and once")),
    })
}

fn compile_date(from: u32, to: u32) -> Result<Slot, PlanError> {
    if !(1..=9_999).contains(&from) || !(from..=9_999).contains(&to) {
        return Err(PlanError::rule("slot date: years 1 to 9999, FROM at most TO"));
    }
    let first = days_to_year(from);
    Ok(Slot::Date { first, days: days_to_year(to + 1).abs_diff(first) })
}

fn span(min: i64, max: i64) -> Result<u64, PlanError> {
    // Draws are doubles: beyond 2^53 neighbouring integers are no longer distinct.
    const EXACT: u64 = 1 << 53;
    let exact = min.unsigned_abs() <= EXACT && max.unsigned_abs() <= EXACT;
    if max < min || !exact {
        return Err(PlanError::rule("slot integer or decimal: MIN at most MAX, both within 2^53"));
    }
    Ok(max.abs_diff(min) + 1)
}
