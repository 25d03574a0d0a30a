//! Whether two JSON values are one to `jsonb`.

use serde_json::Value;

/// Numbers are compared as doubles: `1`, `1.0` and `1e0` are one.
pub fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

/// The value of accepted attributes, which must be an object.
pub fn object(attributes: &str) -> Value {
    let value: Value = serde_json::from_str(attributes).expect("accepted attributes are JSON");
    assert!(value.is_object(), "accepted attributes are an object: {attributes}");
    value
}
