//! An event and a bulk as JSON.

use super::attributes::attributes;
use super::reader::{Ignore, RawString, Reader, SyntaxError};
use crate::draft::{Body, Draft, Entities, EntityUpdate, Field, Header, Scalar};
use crate::escape::unescape;
use crate::validation::validate;
use events_core::error::Error;
use events_core::limits;
use events_core::model::Event;

/// Decodes the event of a body.
pub fn decode_event(body: &[u8]) -> Result<Event, Error> {
    let mut reader = Reader::new(utf8(body)?);
    let draft = event(&mut reader).and_then(|draft| reader.end().map(|()| draft));
    match draft.map_err(not_json)? {
        Field::Present(draft) => validate(draft),
        _ => Err(Error::invalid("body: must be an object")),
    }
}

/// Decodes the events of a body, each valid or not by itself.
pub fn decode_bulk(body: &[u8]) -> Result<Vec<Result<Event, Error>>, Error> {
    let mut reader = Reader::new(utf8(body)?);
    let mut events = Vec::new();
    let mut count = 0;
    let is_array = reader.peek() == b'[';
    let read = if is_array {
        reader.array(|reader| {
            // Events beyond the limit are checked for syntax only.
            count += 1;
            if count > limits::BULK_EVENTS {
                return reader.walk(&mut Ignore);
            }
            events.push(bulk_element(reader)?);
            Ok(())
        })
    } else {
        reader.walk(&mut Ignore)
    };
    read.and_then(|()| reader.end()).map_err(not_json)?;
    if !is_array {
        return Err(Error::invalid("body: must be an array"));
    }
    events_core::bulk::check_count(count)?;
    Ok(events)
}

fn bulk_element(reader: &mut Reader<'_>) -> Result<Result<Event, Error>, SyntaxError> {
    reader.peek();
    let start = reader.position();
    let draft = event(reader)?;
    if reader.position() - start > limits::EVENT_BYTES {
        return Ok(Err(events_core::bulk::event_too_large()));
    }
    Ok(match draft {
        Field::Present(draft) => validate(draft),
        _ => Err(Error::invalid("event: must be an object")),
    })
}

fn utf8(body: &[u8]) -> Result<&str, Error> {
    std::str::from_utf8(body).map_err(|_| Error::malformed("body: not valid UTF-8"))
}

fn not_json(_: SyntaxError) -> Error {
    Error::malformed("body: not valid JSON")
}

fn event<'a>(reader: &mut Reader<'a>) -> Result<Field<Draft<'a>>, SyntaxError> {
    object(reader, |reader, draft: &mut Draft<'a>, name| {
        match name {
            "eventHeader" => draft.header.put(header(reader)?),
            "eventBody" => draft.body.put(body(reader)?),
            _ => reader.walk(&mut Ignore)?,
        }
        Ok(())
    })
}

fn header<'a>(reader: &mut Reader<'a>) -> Result<Field<Header<'a>>, SyntaxError> {
    object(reader, |reader, header: &mut Header<'a>, name| {
        let field = match name {
            "uuid" => &mut header.uuid,
            "eventName" => &mut header.event_name,
            "createdDate" => &mut header.created_date,
            "savedDate" => &mut header.saved_date,
            "eventType" => &mut header.event_type,
            _ => return reader.walk(&mut Ignore),
        };
        field.put(scalar(reader)?);
        Ok(())
    })
}

fn body<'a>(reader: &mut Reader<'a>) -> Result<Field<Body<'a>>, SyntaxError> {
    object(reader, |reader, body: &mut Body<'a>, name| {
        match name {
            "entities" => body.entities.put(entities(reader)?),
            _ => reader.walk(&mut Ignore)?,
        }
        Ok(())
    })
}

fn entities<'a>(reader: &mut Reader<'a>) -> Result<Field<Entities<'a>>, SyntaxError> {
    if reader.peek() != b'[' {
        return other_kind(reader);
    }
    let mut entities = Entities::default();
    reader.array(|reader| {
        entities.push(entity(reader)?);
        Ok(())
    })?;
    Ok(Field::Present(entities))
}

fn entity<'a>(reader: &mut Reader<'a>) -> Result<Field<EntityUpdate<'a>>, SyntaxError> {
    object(reader, |reader, entity: &mut EntityUpdate<'a>, name| {
        match name {
            "entityType" => entity.entity_type.put(scalar(reader)?),
            "entityId" => entity.entity_id.put(scalar(reader)?),
            "updatedAttributes" => entity.attributes.put(match reader.peek() {
                b'{' => Field::Present(attributes(reader)?),
                _ => other_kind(reader)?,
            }),
            _ => reader.walk(&mut Ignore)?,
        }
        Ok(())
    })
}

/// Reads a value: an object member by member into a `T`, anything else to its end.
fn object<'a, T: Default>(
    reader: &mut Reader<'a>,
    mut member: impl FnMut(&mut Reader<'a>, &mut T, &str) -> Result<(), SyntaxError>,
) -> Result<Field<T>, SyntaxError> {
    if reader.peek() != b'{' {
        return other_kind(reader);
    }
    let mut object = T::default();
    reader.object(|reader, RawString { inside, escaped }| {
        if escaped {
            // A name that cannot be stored is not one that the contract names.
            return member(reader, &mut object, &unescape(inside).unwrap_or_default());
        }
        member(reader, &mut object, inside)
    })?;
    Ok(Field::Present(object))
}

/// Reads a value of an unexpected kind.
fn other_kind<T>(reader: &mut Reader<'_>) -> Result<Field<T>, SyntaxError> {
    if reader.peek() == b'n' {
        return reader.null().map(|()| Field::Null);
    }
    reader.walk(&mut Ignore)?;
    Ok(Field::WrongKind)
}

fn scalar<'a>(reader: &mut Reader<'a>) -> Result<Field<Scalar<'a>>, SyntaxError> {
    match reader.peek() {
        b'"' => {
            let RawString { inside, escaped } = reader.string()?;
            Ok(Field::Present(if escaped { Scalar::Escaped(inside) } else { Scalar::Plain(inside) }))
        }
        b'-' | b'0'..=b'9' => {
            let number = reader.number()?;
            Ok(if number.integer { Field::Present(Scalar::Integer(number.literal)) } else { Field::WrongKind })
        }
        _ => other_kind(reader),
    }
}

#[cfg(test)]
mod tests;
