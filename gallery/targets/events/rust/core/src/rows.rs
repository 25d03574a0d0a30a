//! The rows of one statement: the updates of a batch of events, merged and sorted.

use std::borrow::Cow;

use crate::model::{Entity, Event};

/// Columns of rows, sorted by (type, id), each pair once, as `upsert.sql` requires.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Rows<'a> {
    /// First halves of the keys.
    pub types: Vec<&'a str>,
    /// Second halves of the keys.
    pub ids: Vec<&'a str>,
    /// Members to merge, each the JSON text of an object.
    pub data: Vec<Cow<'a, str>>,
}

impl<'a> Rows<'a> {
    /// The rows of `events`, given in the order of arrival.
    pub fn merge(events: impl IntoIterator<Item = &'a Event>) -> Self {
        let mut updates: Vec<&Entity> = events.into_iter().flat_map(Event::entities).collect();
        // A stable sort keeps updates of one entity in the order of arrival.
        updates.sort_by(|a, b| a.key().cmp(&b.key()));
        let mut rows = Self::with_capacity(updates.len());
        for same_entity in updates.chunk_by(|a, b| a.key() == b.key()) {
            rows.types.push(same_entity[0].entity_type());
            rows.ids.push(same_entity[0].entity_id());
            rows.data.push(merge_objects(same_entity));
        }
        rows
    }

    /// Number of rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ids.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ids.is_empty()
    }

    fn with_capacity(rows: usize) -> Self {
        Self { types: Vec::with_capacity(rows), ids: Vec::with_capacity(rows), data: Vec::with_capacity(rows) }
    }
}

/// One object with the members of all. PostgreSQL keeps the last of members with the same name,
/// so concatenating them equals merging the objects one after another.
fn merge_objects<'a>(updates: &[&'a Entity]) -> Cow<'a, str> {
    if let [only] = updates {
        return Cow::Borrowed(only.attributes());
    }
    let mut object = String::with_capacity(updates.iter().map(|update| update.attributes().len()).sum());
    object.push('{');
    for members in updates.iter().map(|update| members(update.attributes())).filter(|members| !members.is_empty()) {
        if object.len() > 1 {
            object.push(',');
        }
        object.push_str(members);
    }
    object.push('}');
    Cow::Owned(object)
}

/// The text between the braces.
fn members(object: &str) -> &str {
    let inside = object.strip_prefix('{').and_then(|rest| rest.strip_suffix('}'));
    debug_assert!(inside.is_some(), "attributes are an object without white space around it");
    inside.unwrap_or_default().trim_ascii()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(entities: &[(&str, &str, &str)]) -> Event {
        Event::new(entities.iter().map(|(kind, id, data)| Entity::new(kind, id, data)).collect())
    }

    fn rows(events: &[Event]) -> Vec<(String, String, String)> {
        let rows = Rows::merge(events);
        assert_eq!((rows.types.len(), rows.data.len()), (rows.len(), rows.len()));
        (0..rows.len())
            .map(|row| (rows.types[row].to_owned(), rows.ids[row].to_owned(), rows.data[row].to_string()))
            .collect()
    }

    fn row(kind: &str, id: &str, data: &str) -> (String, String, String) {
        (kind.to_owned(), id.to_owned(), data.to_owned())
    }

    #[test]
    fn rows_are_sorted_by_type_then_id() {
        let events = [
            event(&[("b", "1", "{}"), ("a", "2", "{}")]),
            event(&[("a", "10", "{}")]),
            event(&[("a", "1b", "{}"), ("", "ab", "{}")]),
        ];
        let expected =
            [("", "ab"), ("a", "10"), ("a", "1b"), ("a", "2"), ("b", "1")].map(|(kind, id)| row(kind, id, "{}"));
        assert_eq!(rows(&events), expected);
    }

    #[test]
    fn a_key_is_a_pair_not_a_text() {
        let events = [event(&[("ab", "c", r#"{"x":1}"#)]), event(&[("a", "bc", r#"{"x":2}"#)])];
        assert_eq!(rows(&events), [row("a", "bc", r#"{"x":2}"#), row("ab", "c", r#"{"x":1}"#)]);
    }

    #[test]
    fn updates_of_an_entity_are_merged_in_the_order_of_arrival() {
        let events = [
            event(&[("k", "1", r#"{"a":1}"#), ("k", "2", "{}"), ("k", "1", r#"{"b":2}"#)]),
            event(&[("k", "0", r#"{"z":0}"#)]),
            event(&[("k", "1", "{ }")]),
            event(&[("k", "1", r#"{ "a" : 3 }"#), ("k", "2", r#"{"c":4}"#)]),
            event(&[("k", "3", "{}"), ("k", "3", "{\n}")]),
        ];
        assert_eq!(
            rows(&events),
            [
                row("k", "0", r#"{"z":0}"#),
                row("k", "1", r#"{"a":1,"b":2,"a" : 3}"#),
                row("k", "2", r#"{"c":4}"#),
                row("k", "3", "{}"),
            ]
        );
    }
}
