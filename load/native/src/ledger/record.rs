//! One record of a ledger.

use std::sync::Arc;

use crate::message::{read_varint, write_varint};
use crate::workload::{Entity, Event};

/// The outcome of an operation that was sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    Acknowledged,
    /// It was sent and not acknowledged: it may have been applied, and may still be.
    Unknown,
}

/// An operation that was sent.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    pub user: u32,
    pub outcome: Outcome,
    pub event: Event,
    /// The values that its reply captured.
    pub own: Option<Arc<Entity>>,
}

const UNKNOWN: u64 = 1;
const HAS_NEEDED: u64 = 2;
const HAS_OWN: u64 = 4;
const IS_SHARED: u64 = 8;
const OPERATION_SHIFT: u32 = 4;

/// Appends a record.
pub(super) fn write(user: u32, event: &Event, outcome: Outcome, own: Option<&Entity>, out: &mut Vec<u8>) {
    let flags = (if outcome == Outcome::Unknown { UNKNOWN } else { 0 })
        | (if event.entity.is_some() { HAS_NEEDED } else { 0 })
        | (if own.is_some() { HAS_OWN } else { 0 })
        | (if event.is_shared { IS_SHARED } else { 0 });
    write_varint(u64::from(user), out);
    write_varint(u64::from(event.sequence), out);
    write_varint(u64::from(event.operation) << OPERATION_SHIFT | flags, out);
    write_varint(u64::from(event.sequence.wrapping_sub(event.key_sequence)), out);
    event.entity.iter().for_each(|entity| write_entity(entity, out));
    own.iter().for_each(|entity| write_entity(entity, out));
}

fn write_entity(entity: &Entity, out: &mut Vec<u8>) {
    write_varint(entity.captured.len() as u64, out);
    for text in entity.captured.iter().flat_map(|(name, value)| [name, value]) {
        write_varint(text.len() as u64, out);
        out.extend_from_slice(text.as_bytes());
    }
}

/// Takes a record from the front of `bytes`; none when it is invalid.
pub(super) fn read(bytes: &mut &[u8]) -> Option<Record> {
    let user = number(bytes)?;
    let sequence = number(bytes)?;
    let tagged = read_varint(bytes)?;
    let key_sequence = sequence.wrapping_sub(number(bytes)?);
    let needed = if tagged & HAS_NEEDED == 0 { None } else { Some(Arc::new(read_entity(bytes)?)) };
    let own = if tagged & HAS_OWN == 0 { None } else { Some(Arc::new(read_entity(bytes)?)) };
    let outcome = if tagged & UNKNOWN == 0 { Outcome::Acknowledged } else { Outcome::Unknown };
    let operation = u16::try_from(tagged >> OPERATION_SHIFT).ok()?;
    let is_shared = tagged & IS_SHARED != 0;
    let event = Event { sequence, operation, key_sequence, is_shared, entity: needed, step: None };
    Some(Record { user, outcome, event, own })
}

fn number(bytes: &mut &[u8]) -> Option<u32> {
    u32::try_from(read_varint(bytes)?).ok()
}

fn read_entity(bytes: &mut &[u8]) -> Option<Entity> {
    let count = read_varint(bytes)?;
    let captured = (0..count).map(|_| Some((text(bytes)?, text(bytes)?))).collect::<Option<Vec<_>>>()?;
    Some(Entity { captured, origin: None })
}

fn text(bytes: &mut &[u8]) -> Option<Box<str>> {
    let length = usize::try_from(read_varint(bytes)?).ok()?;
    let (text, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(std::str::from_utf8(text).ok()?.into())
}
