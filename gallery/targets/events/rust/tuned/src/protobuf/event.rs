//! `EventRequest` and `EventBatchRequest`.

use super::attributes::AttributesText;
use super::wire::{Fields, Malformed, Value, utf8};
use crate::draft::{Body, Draft, Entities, EntityUpdate, Field, Header, Scalar};
use crate::validation::validate;
use events_core::error::Error;
use events_core::limits;
use events_core::model::Event;

/// Decodes an `EventRequest`.
pub fn decode_event(message: &[u8]) -> Result<Event, Error> {
    let mut draft = Draft::default();
    merge_event(&mut draft, message).map_err(|Malformed| not_a_message())?;
    validate(draft)
}

/// Decodes an `EventBatchRequest`: its events, each valid or not by itself.
pub fn decode_bulk(message: &[u8]) -> Result<Vec<Result<Event, Error>>, Error> {
    let mut events = Vec::new();
    let mut count = 0;
    for field in Fields::new(message) {
        if let (1, Value::Bytes(event)) = field.map_err(|Malformed| not_a_message())? {
            let mut draft = Draft::default();
            merge_event(&mut draft, event).map_err(|Malformed| not_a_message())?;
            // Events beyond the limit are checked for syntax only.
            count += 1;
            if count <= limits::BULK_EVENTS {
                events.push(bulk_element(draft, event.len()));
            }
        }
    }
    events_core::bulk::check_count(count)?;
    Ok(events)
}

fn bulk_element(draft: Draft<'_>, size: usize) -> Result<Event, Error> {
    if size > limits::EVENT_BYTES {
        return Err(events_core::bulk::event_too_large());
    }
    validate(draft)
}

/// The error of bytes that are not a message.
#[must_use]
pub fn not_a_message() -> Error {
    Error::malformed("body: not a valid message")
}

fn merge_event<'a>(draft: &mut Draft<'a>, message: &'a [u8]) -> Result<(), Malformed> {
    for field in Fields::new(message) {
        match field? {
            (1, Value::Bytes(header)) => merge_header(present(&mut draft.header), header)?,
            (2, Value::Bytes(body)) => merge_body(present(&mut draft.body), body)?,
            _ => {}
        }
    }
    Ok(())
}

fn merge_header<'a>(header: &mut Header<'a>, message: &'a [u8]) -> Result<(), Malformed> {
    for field in Fields::new(message) {
        let (number, Value::Bytes(text)) = field? else { continue };
        let slot = match number {
            1 => &mut header.uuid,
            2 => &mut header.event_name,
            3 => &mut header.created_date,
            4 => &mut header.saved_date,
            5 => &mut header.event_type,
            _ => continue,
        };
        *slot = string(text)?;
    }
    Ok(())
}

fn merge_body<'a>(body: &mut Body<'a>, message: &'a [u8]) -> Result<(), Malformed> {
    let entities: &mut Entities<'a> = present(&mut body.entities);
    for field in Fields::new(message) {
        if let (1, Value::Bytes(update)) = field? {
            entities.push(Field::Present(entity(update)?));
        }
    }
    Ok(())
}

fn entity(message: &[u8]) -> Result<EntityUpdate<'_>, Malformed> {
    let mut entity = EntityUpdate::default();
    let mut attributes = AttributesText::new(message.len());
    for field in Fields::new(message) {
        match field? {
            (1, Value::Bytes(text)) => entity.entity_type = string(text)?,
            (2, Value::Bytes(text)) => entity.entity_id = string(text)?,
            (3, Value::Bytes(entry)) => attributes.entry(entry, 2)?,
            _ => {}
        }
    }
    entity.attributes = Field::Present(attributes.finish()?);
    Ok(entity)
}

/// The message of a field, created with its first part: parts of a message are merged.
fn present<T: Default>(field: &mut Field<T>) -> &mut T {
    if !matches!(field, Field::Present(_)) {
        *field = Field::Present(T::default());
    }
    match field {
        Field::Present(message) => message,
        _ => unreachable!("it was just created"),
    }
}

/// In proto3 and in the contract an empty string equals an absent one.
fn string(bytes: &[u8]) -> Result<Field<Scalar<'_>>, Malformed> {
    let text = utf8(bytes)?;
    Ok(if text.is_empty() { Field::Absent } else { Field::Present(Scalar::Plain(text)) })
}

#[cfg(test)]
mod tests;
