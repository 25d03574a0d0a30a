//! Rules of fields, for garde.

#![expect(clippy::trivially_copy_pass_by_ref, reason = "garde passes the context by reference")]

use events_core::rules;

pub fn uuid(text: &str, _: &()) -> garde::Result {
    match text {
        "" => Err(garde::Error::new("required")),
        text if rules::is_uuid(text) => Ok(()),
        _ => Err(garde::Error::new("must be a UUID")),
    }
}

/// An empty text counts as absent.
pub fn timestamp(text: &str, _: &()) -> garde::Result {
    if text.is_empty() || rules::is_timestamp(text) {
        return Ok(());
    }
    Err(garde::Error::new("must be an RFC 3339 timestamp or epoch milliseconds"))
}

/// PostgreSQL cannot store U+0000.
pub fn storable(text: &str, _: &()) -> garde::Result {
    if text.contains('\0') { Err(garde::Error::new("contains \\u0000, which cannot be stored")) } else { Ok(()) }
}
