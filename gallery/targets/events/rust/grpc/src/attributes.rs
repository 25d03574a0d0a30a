//! `updated_attributes`: checked, then written as JSON.

use std::collections::{BTreeMap, HashMap};

use events_core::limits::ATTRIBUTE_DEPTH;
use prost_types::Value;
use prost_types::value::Kind;
use serde::{Serialize, Serializer};

use crate::rules;

/// Whole numbers up to this are written without fraction and exponent, as JSON clients write them.
const WHOLE_NUMBERS: f64 = 1e16;

/// PostgreSQL can store the attributes, which are the first level.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]
pub fn storable(attributes: &HashMap<String, Value>, context: &()) -> garde::Result {
    attributes.iter().try_for_each(|(name, value)| {
        rules::storable(name, context)?;
        check(value, 2)
    })
}

/// The JSON text of attributes that can be stored.
pub fn to_json(attributes: &HashMap<String, Value>) -> String {
    let members: BTreeMap<_, _> = attributes.iter().map(|(name, value)| (name, Json(value))).collect();
    serde_json::to_string(&members).expect("strings are the only names")
}

/// Checks a value whose objects and arrays are of level `depth`.
fn check(value: &Value, depth: usize) -> garde::Result {
    let reason = match &value.kind {
        None => "contains a value without a kind",
        Some(Kind::NumberValue(number)) if !number.is_finite() => "contains a number outside the double range",
        Some(Kind::StructValue(_) | Kind::ListValue(_)) if depth > ATTRIBUTE_DEPTH => "nested deeper than 32 levels",
        Some(Kind::StringValue(text)) => return rules::storable(text, &()),
        Some(Kind::StructValue(object)) => {
            return object.fields.iter().try_for_each(|(name, value)| {
                rules::storable(name, &())?;
                check(value, depth + 1)
            });
        }
        Some(Kind::ListValue(list)) => return list.values.iter().try_for_each(|value| check(value, depth + 1)),
        Some(Kind::NullValue(_) | Kind::BoolValue(_) | Kind::NumberValue(_)) => return Ok(()),
    };
    Err(garde::Error::new(reason))
}

struct Json<'a>(&'a Value);

impl Serialize for Json<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0.kind {
            None | Some(Kind::NullValue(_)) => serializer.serialize_unit(),
            Some(Kind::BoolValue(flag)) => serializer.serialize_bool(*flag),
            Some(Kind::StringValue(text)) => serializer.serialize_str(text),
            Some(Kind::NumberValue(number)) => serialize_number(*number, serializer),
            Some(Kind::ListValue(list)) => serializer.collect_seq(list.values.iter().map(Json)),
            Some(Kind::StructValue(object)) => {
                serializer.collect_map(object.fields.iter().map(|(name, value)| (name, Json(value))))
            }
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the number is whole and small enough")]
fn serialize_number<S: Serializer>(number: f64, serializer: S) -> Result<S::Ok, S::Error> {
    if number.fract() == 0.0 && number.abs() < WHOLE_NUMBERS {
        return serializer.serialize_i64(number as i64);
    }
    serializer.serialize_f64(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use prost_types::{ListValue, Struct};

    fn value(kind: Kind) -> Value {
        Value { kind: Some(kind) }
    }

    fn attributes(kind: Kind) -> HashMap<String, Value> {
        HashMap::from([("a".to_owned(), value(kind))])
    }

    fn object(name: &str, kind: Kind) -> Kind {
        Kind::StructValue(Struct { fields: BTreeMap::from([(name.to_owned(), value(kind))]) })
    }

    fn list(kind: Kind) -> Kind {
        Kind::ListValue(ListValue { values: vec![value(kind)] })
    }

    #[test]
    fn every_kind_is_written_as_json() {
        for (kind, json) in [
            (Kind::NullValue(0), "null"),
            (Kind::BoolValue(true), "true"),
            (Kind::StringValue("a\"\u{1}é".to_owned()), r#""a\"\u0001é""#),
            (Kind::NumberValue(1.0), "1"),
            (Kind::NumberValue(-0.0), "0"),
            (Kind::NumberValue(9_007_199_254_740_992.0), "9007199254740992"),
            (Kind::NumberValue(1e300), "1e+300"),
            (Kind::NumberValue(-12.5), "-12.5"),
            (Kind::NumberValue(5e-324), "5e-324"),
            (list(Kind::NumberValue(0.1)), "[0.1]"),
            (object("b", list(Kind::BoolValue(false))), r#"{"b":[false]}"#),
        ] {
            let attributes = attributes(kind);
            assert!(storable(&attributes, &()).is_ok(), "{json}");
            assert_eq!(to_json(&attributes), format!(r#"{{"a":{json}}}"#));
        }
        assert_eq!(to_json(&HashMap::new()), "{}");
    }

    #[test]
    fn what_cannot_be_stored_is_found_at_any_depth() {
        for (kind, reason) in [
            (list(Kind::StringValue("\0".to_owned())), "contains \\u0000, which cannot be stored"),
            (object("\0", Kind::BoolValue(true)), "contains \\u0000, which cannot be stored"),
            (Kind::NumberValue(f64::NAN), "contains a number outside the double range"),
            (list(list(Kind::NumberValue(f64::INFINITY))), "contains a number outside the double range"),
            (Kind::ListValue(ListValue { values: vec![Value::default()] }), "contains a value without a kind"),
        ] {
            let error = storable(&attributes(kind), &()).expect_err(reason);
            assert_eq!(error.to_string(), reason);
        }
    }

    #[test]
    fn the_attributes_themselves_are_the_first_level() {
        let nested = |levels| (1..levels).fold(Kind::BoolValue(true), |kind, _| list(kind));
        assert!(storable(&attributes(nested(32)), &()).is_ok());
        let error = storable(&attributes(nested(33)), &()).expect_err("too deep");
        assert_eq!(error.to_string(), "nested deeper than 32 levels");
    }
}
