//! Messages to events.

use events_core::bulk::event_too_large;
use events_core::error::Error;
use events_core::limits::EVENT_BYTES;
use events_core::model::{Entity, Event};
use events_core::rules::{self, camel_case};
use garde::Validate;
use prost::Message;

use crate::attributes;
use crate::proto::{EntityUpdate, EventRequest};

/// The event of a separate message, whose size tonic has checked.
pub fn from_message(message: EventRequest) -> Result<Event, Error> {
    message.validate().map_err(|report| first_broken_rule(&report))?;
    let entities = message.event_body.unwrap_or_default().entities;
    Ok(Event::new(entities.iter().map(entity).collect()))
}

/// The event of an element of a bulk.
pub fn from_element(message: EventRequest) -> Result<Event, Error> {
    if message.encoded_len() > EVENT_BYTES {
        return Err(event_too_large());
    }
    from_message(message)
}

fn entity(update: &EntityUpdate) -> Entity {
    Entity::new(&update.entity_type, &update.entity_id, &attributes::to_json(&update.updated_attributes))
}

fn first_broken_rule(report: &garde::Report) -> Error {
    match report.iter().min_by_key(|(path, _)| rules::position(&path.to_string())) {
        Some((path, error)) => Error::invalid(format!("{}: {error}", camel_case(&path.to_string()))),
        None => Error::internal(),
    }
}
