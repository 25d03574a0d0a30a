//! Rules of single fields, checked with the usual libraries.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

/// Most digits of epoch milliseconds.
const EPOCH_DIGITS: u32 = 15;

/// 8-4-4-4-12 hexadecimal digits: the only form of a UUID with 36 characters.
#[must_use]
pub fn is_uuid(text: &str) -> bool {
    text.len() == 36 && Uuid::try_parse(text).is_ok()
}

/// RFC 3339, or epoch milliseconds.
#[must_use]
pub fn is_timestamp(text: &str) -> bool {
    is_rfc3339(text) || has_epoch_digits(text) && text.parse().is_ok_and(is_epoch_milliseconds)
}

/// 1 to 15 digits, with an optional minus sign.
#[must_use]
pub fn is_epoch_milliseconds(value: i64) -> bool {
    value.unsigned_abs() < 10_u64.pow(EPOCH_DIGITS)
}

/// The path of a field as the contract writes it: `event_body.entities[0].entity_id` → `eventBody.entities[0].entityId`.
#[must_use]
pub fn camel_case(path: &str) -> String {
    let mut words = path.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |path, word| {
        let (initial, rest) = word.split_at(word.len().min(1));
        path + &initial.to_ascii_uppercase() + rest
    })
}

/// The order in which broken rules are reported, except for those of entities, which come last.
const ORDER: [&str; 8] = [
    "event_header",
    "event_body",
    "event_header.uuid",
    "event_header.event_name",
    "event_header.created_date",
    "event_header.saved_date",
    "event_header.event_type",
    "event_body.entities",
];
const ENTITY_ORDER: [&str; 3] = ["entity_type", "entity_id", "updated_attributes"];

/// The position of a path in the order in which broken rules are reported.
#[must_use]
pub fn position(path: &str) -> (usize, usize) {
    let place = |order: &[&str], name: &str| order.iter().position(|other| *other == name).unwrap_or(order.len());
    match path.strip_prefix("event_body.entities[").and_then(|rest| rest.split_once("].")) {
        Some((index, field)) => (ORDER.len() + index.parse().unwrap_or(0), place(&ENTITY_ORDER, field)),
        None => (place(&ORDER, path), 0),
    }
}

/// `parse` also accepts a plus sign and leading zeros.
fn has_epoch_digits(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (1..=EPOCH_DIGITS as usize).contains(&digits.len()) && !digits.starts_with('+')
}

/// The library also accepts any separator of date and time, and leap seconds, which the contract does not.
fn is_rfc3339(text: &str) -> bool {
    let has_t = matches!(text.as_bytes().get(10), Some(b'T' | b't'));
    has_t && text.get(17..19) != Some("60") && OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_has_one_form() {
        assert!(is_uuid("7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f"));
        assert!(is_uuid("7B0F1C9E-3A54-4B7E-9D5C-0A1B2C3D4E5F"));
        for text in [
            "",
            "7b0f1c9e3a544b7e9d5c0a1b2c3d4e5f",
            "{7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5f}",
            "7b0f1c9e-3a54-4b7e-9d5c-0a1b2c3d4e5g",
        ] {
            assert!(!is_uuid(text), "{text}");
        }
    }

    #[test]
    fn rules_are_reported_in_the_order_of_the_contract() {
        let paths = [
            "event_header",
            "event_body",
            "event_header.uuid",
            "event_header.event_type",
            "event_body.entities",
            "event_body.entities[2].entity_id",
            "event_body.entities[10].entity_type",
            "event_body.entities[10].updated_attributes",
        ];
        assert!(paths.is_sorted_by_key(|path| position(path)));
    }

    #[test]
    fn paths_are_camel_case() {
        assert_eq!(
            camel_case("event_body.entities[10].updated_attributes"),
            "eventBody.entities[10].updatedAttributes"
        );
        assert_eq!(camel_case("event_header.uuid"), "eventHeader.uuid");
    }

    #[test]
    fn timestamps() {
        for text in [
            "2024-01-15T10:30:00Z",
            "2024-01-15t10:30:00.123456789012z",
            "2024-02-29T23:59:59+23:59",
            "0",
            "-1",
            "000000000000001",
            "999999999999999",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
        for text in [
            "",
            "-",
            "+1",
            "-+1",
            "1.5",
            "1e3",
            "1000000000000000",
            "2024-01-15 10:30:00Z",
            "2023-02-29T10:30:00Z",
            "2024-01-15T10:30:60Z",
            "2016-12-31T23:59:60Z",
            "2024-01-15T10:30:00",
            "yesterday",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
