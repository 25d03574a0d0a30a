//! The contract's rules, checked in its order, for both protocols.

use std::borrow::Cow;
use std::fmt;

use crate::draft::{Attributes, Draft, Entities, EntityUpdate, Field, Flaw, Header, Scalar};
use crate::escape::unescape;
use crate::timestamp::{is_epoch_milliseconds, is_timestamp};
use events_core::error::Error;
use events_core::limits;
use events_core::model::{Entity, Event};

/// The event of a draft, or the first rule that it breaks.
pub fn validate(draft: Draft<'_>) -> Result<Event, Error> {
    let header = object(draft.header, &"eventHeader")?;
    let body = object(draft.body, &"eventBody")?;
    validate_header(&header)?;
    validate_entities(body.entities).map(Event::new)
}

fn validate_header(header: &Header<'_>) -> Result<(), Error> {
    let uuid = required_text(&header.uuid, &"eventHeader.uuid")?;
    if !is_uuid(&uuid) {
        return Err(broken(&"eventHeader.uuid", "must be a UUID"));
    }
    let name = required_text(&header.event_name, &"eventHeader.eventName")?;
    at_most(&name, 100, &"eventHeader.eventName")?;
    validate_timestamp(&header.created_date, &"eventHeader.createdDate")?;
    validate_timestamp(&header.saved_date, &"eventHeader.savedDate")?;
    match optional_text(&header.event_type, &"eventHeader.eventType")? {
        Some(event_type) => at_most(&event_type, 100, &"eventHeader.eventType"),
        None => Ok(()),
    }
}

fn validate_entities(entities: Field<Entities<'_>>) -> Result<Vec<Entity>, Error> {
    let path = &"eventBody.entities";
    let entities = match entities {
        Field::Absent | Field::Null => Entities::default(),
        Field::Present(entities) => entities,
        Field::WrongKind => return Err(broken(path, "must be an array")),
        Field::Duplicate => return Err(duplicate(path)),
    };
    if !(1..=limits::ENTITIES).contains(&entities.count) {
        return Err(broken(path, "must hold 1 to 1000 entities"));
    }
    let numbered = entities.kept.into_iter().enumerate();
    numbered.map(|(index, entity)| validate_entity(entity, index)).collect()
}

fn validate_entity(entity: Field<EntityUpdate<'_>>, index: usize) -> Result<Entity, Error> {
    let path = |name| EntityPath { index, name };
    let Field::Present(entity) = entity else {
        return Err(broken(&path(""), "must be an object"));
    };
    let entity_type = required_text(&entity.entity_type, &path(".entityType"))?;
    at_most(&entity_type, 100, &path(".entityType"))?;
    let entity_id = required_text(&entity.entity_id, &path(".entityId"))?;
    at_most(&entity_id, 255, &path(".entityId"))?;
    let attributes = validate_attributes(entity.attributes, &path(".updatedAttributes"))?;
    Ok(Entity::new(&entity_type, &entity_id, &attributes))
}

fn validate_attributes<'a>(field: Field<Attributes<'a>>, path: &dyn fmt::Display) -> Result<Cow<'a, str>, Error> {
    let attributes = object(field, path)?;
    match attributes.flaw {
        None => Ok(attributes.text),
        Some(flaw) => Err(broken(path, flaw.reason())),
    }
}

fn object<T>(field: Field<T>, path: &dyn fmt::Display) -> Result<T, Error> {
    match field {
        Field::Present(object) => Ok(object),
        Field::Absent | Field::Null => Err(broken(path, "required")),
        Field::WrongKind => Err(broken(path, "must be an object")),
        Field::Duplicate => Err(duplicate(path)),
    }
}

fn required_text<'a>(field: &Field<Scalar<'a>>, path: &dyn fmt::Display) -> Result<Cow<'a, str>, Error> {
    optional_text(field, path)?.ok_or_else(|| broken(path, "required"))
}

fn optional_text<'a>(field: &Field<Scalar<'a>>, path: &dyn fmt::Display) -> Result<Option<Cow<'a, str>>, Error> {
    match field {
        Field::Absent | Field::Null => Ok(None),
        Field::Present(Scalar::Plain(text)) => storable(Cow::Borrowed(text), path),
        Field::Present(Scalar::Escaped(inside)) => match unescape(inside) {
            Ok(text) => storable(Cow::Owned(text), path),
            Err(flaw) => Err(broken(path, flaw.reason())),
        },
        Field::Present(Scalar::Integer(_)) | Field::WrongKind => Err(broken(path, "must be a string")),
        Field::Duplicate => Err(duplicate(path)),
    }
}

/// `None` for an empty string, which counts as absent.
fn storable<'a>(text: Cow<'a, str>, path: &dyn fmt::Display) -> Result<Option<Cow<'a, str>>, Error> {
    if memchr::memchr(0, text.as_bytes()).is_some() {
        return Err(broken(path, Flaw::Nul.reason()));
    }
    Ok(Some(text).filter(|text| !text.is_empty()))
}

fn validate_timestamp(field: &Field<Scalar<'_>>, path: &dyn fmt::Display) -> Result<(), Error> {
    let valid = match field {
        Field::Present(Scalar::Integer(literal)) => is_epoch_milliseconds(literal),
        Field::WrongKind => false,
        _ => optional_text(field, path)?.is_none_or(|text| is_timestamp(&text)),
    };
    if valid { Ok(()) } else { Err(broken(path, "must be an RFC 3339 timestamp or epoch milliseconds")) }
}

/// Characters are Unicode code points.
fn at_most(text: &str, limit: usize, path: &dyn fmt::Display) -> Result<(), Error> {
    // A text has at most as many characters as bytes, so that few texts need counting.
    if text.len() <= limit || text.chars().count() <= limit {
        return Ok(());
    }
    Err(broken(path, &format!("must have at most {limit} characters")))
}

/// 8-4-4-4-12 hexadecimal digits.
fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(position, byte)| match position {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

fn duplicate(path: &dyn fmt::Display) -> Error {
    broken(path, "duplicate field")
}

#[cold]
fn broken(path: &dyn fmt::Display, reason: &str) -> Error {
    Error::invalid(format!("{path}: {reason}"))
}

/// Path of an entity or, with a name, of a field of it; formatted only when a rule is broken.
struct EntityPath {
    index: usize,
    name: &'static str,
}

impl fmt::Display for EntityPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "eventBody.entities[{}]{}", self.index, self.name)
    }
}
