//! The request: its form for serde, its rules for garde.

use events_core::bulk::event_too_large;
use events_core::error::Error;
use events_core::limits::EVENT_BYTES;
use events_core::model::{Entity, Event};
use events_core::rules::{self, camel_case};
use garde::Validate;
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::attributes::{Attributes, storable_attributes, storable_text};
use crate::json::path_and_reason;
use crate::object::{Object, object, objects};

/// An event. `null` and an absent field are the same.
#[derive(Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
pub struct EventRequest {
    #[garde(required, dive)]
    #[serde(default, deserialize_with = "object")]
    event_header: Option<EventHeader>,
    #[garde(required, dive)]
    #[serde(default, deserialize_with = "object")]
    event_body: Option<EventBody>,
}

#[derive(Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
struct EventHeader {
    #[garde(required, inner(custom(valid_uuid)))]
    uuid: Option<String>,
    #[garde(required, length(chars, min = 1, max = 100), inner(custom(storable_text)))]
    event_name: Option<String>,
    #[garde(inner(custom(valid_timestamp)))]
    created_date: Option<Timestamp>,
    #[garde(inner(custom(valid_timestamp)))]
    saved_date: Option<Timestamp>,
    #[garde(length(chars, max = 100), inner(custom(storable_text)))]
    event_type: Option<String>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Timestamp {
    Text(String),
    EpochMilliseconds(i64),
}

#[derive(Deserialize, Validate)]
struct EventBody {
    #[garde(required, length(min = 1, max = 1000), dive)]
    #[serde(default, deserialize_with = "objects")]
    entities: Option<Vec<EntityUpdate>>,
}

#[derive(Deserialize, Validate)]
#[serde(rename_all = "camelCase")]
struct EntityUpdate {
    #[garde(required, length(chars, min = 1, max = 100), inner(custom(storable_text)))]
    entity_type: Option<String>,
    #[garde(required, length(chars, min = 1, max = 255), inner(custom(storable_text)))]
    entity_id: Option<String>,
    #[garde(required, inner(custom(storable_attributes)))]
    updated_attributes: Option<Attributes>,
}

impl TryFrom<EventRequest> for Event {
    type Error = Error;

    fn try_from(request: EventRequest) -> Result<Self, Error> {
        request.validate().map_err(|report| first_broken_rule(&report))?;
        let entities = request.event_body.and_then(|body| body.entities).unwrap_or_default();
        Ok(Self::new(entities.iter().map(EntityUpdate::entity).collect()))
    }
}

impl EntityUpdate {
    /// Validation has checked that no field is absent.
    fn entity(&self) -> Entity {
        let attributes = self.updated_attributes.as_ref().map_or("{}", Attributes::text);
        let (kind, id) = (self.entity_type.as_deref(), self.entity_id.as_deref());
        Entity::new(kind.unwrap_or_default(), id.unwrap_or_default(), attributes)
    }
}

/// The event of an element of a bulk.
pub fn from_element(element: &RawValue) -> Result<Event, Error> {
    if element.get().len() > EVENT_BYTES {
        return Err(event_too_large());
    }
    let mut deserializer = serde_json::Deserializer::from_str(element.get());
    let Object(request): Object<EventRequest> = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| Error::invalid(path_and_reason(&error, "event")))?;
    request.try_into()
}

fn first_broken_rule(report: &garde::Report) -> Error {
    match report.iter().min_by_key(|(path, _)| rules::position(&path.to_string())) {
        Some((path, error)) => Error::invalid(format!("{}: {error}", camel_case(&path.to_string()))),
        None => Error::internal(),
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]
fn valid_uuid(text: &str, _: &()) -> garde::Result {
    if rules::is_uuid(text) { Ok(()) } else { Err(garde::Error::new("must be a UUID")) }
}

/// An empty text counts as absent.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]
fn valid_timestamp(value: &Timestamp, _: &()) -> garde::Result {
    let is_valid = match value {
        Timestamp::Text(text) => text.is_empty() || rules::is_timestamp(text),
        Timestamp::EpochMilliseconds(value) => rules::is_epoch_milliseconds(*value),
    };
    if is_valid { Ok(()) } else { Err(garde::Error::new("must be an RFC 3339 timestamp or epoch milliseconds")) }
}
