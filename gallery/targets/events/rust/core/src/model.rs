//! A valid event: the part of it that is stored.

/// The effect of an event: entities to merge into the table, all or none, in their order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    entities: Vec<Entity>,
}

impl Event {
    /// An event that updates `entities`, of which there is at least one.
    #[must_use]
    pub fn new(entities: Vec<Entity>) -> Self {
        debug_assert!(!entities.is_empty());
        Self { entities }
    }

    /// The updates, in the order of the event.
    #[must_use]
    pub fn entities(&self) -> &[Entity] {
        &self.entities
    }

    /// Bytes of its text: its cost in memory and in messages to the database.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.entities.iter().map(|entity| entity.text.len()).sum()
    }
}

/// One update of one entity.
///
/// Type, id and attributes share one string, so that an event costs two allocations instead of four:
/// with 100,000 events in flight they dominate the queue's memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entity {
    text: Box<str>,
    type_end: usize,
    id_end: usize,
}

impl Entity {
    /// `attributes` is the JSON text of an object.
    #[must_use]
    pub fn new(entity_type: &str, entity_id: &str, attributes: &str) -> Self {
        let mut text = String::with_capacity(entity_type.len() + entity_id.len() + attributes.len());
        text.push_str(entity_type);
        text.push_str(entity_id);
        text.push_str(attributes);
        let type_end = entity_type.len();
        Self { text: text.into_boxed_str(), type_end, id_end: type_end + entity_id.len() }
    }

    /// First half of the key.
    #[must_use]
    pub fn entity_type(&self) -> &str {
        &self.text[..self.type_end]
    }

    /// Second half of the key.
    #[must_use]
    pub fn entity_id(&self) -> &str {
        &self.text[self.type_end..self.id_end]
    }

    /// The identity of the row: type and id.
    #[must_use]
    pub fn key(&self) -> (&str, &str) {
        (self.entity_type(), self.entity_id())
    }

    /// JSON text of an object.
    #[must_use]
    pub fn attributes(&self) -> &str {
        &self.text[self.id_end..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entity_returns_its_parts() {
        for (kind, id, attributes) in [("Car", "car-1", r#"{"a":1}"#), ("ä", "", "{}"), ("日本", "語", "{ }")] {
            let entity = Entity::new(kind, id, attributes);
            assert_eq!((entity.entity_type(), entity.entity_id(), entity.attributes()), (kind, id, attributes));
            assert_eq!(Event::new(vec![entity]).bytes(), kind.len() + id.len() + attributes.len());
        }
    }
}
