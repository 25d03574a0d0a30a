//! Checks request headers that are added to the engine's own.

use std::collections::BTreeMap;

use super::error::PlanError;
use super::operation::OneOrMore;
use super::segment::Segment;
use super::transport::Protocol;

/// An HTTP/2 frame holds 16 KiB, and a header block must fit into one.
const LONGEST: usize = 8 * 1024;
/// Written by the engine with every request, whatever its protocol.
const OF_EVERY_REQUEST: [&str; 6] = ["connection", "content-length", "content-type", "host", "te", "transfer-encoding"];
/// They define where a body ends: a second value could contradict the engine's own.
const FRAMING: [&str; 2] = ["content-length", "transfer-encoding"];

/// Refuses a header that would break the protocol, or contradict what the engine writes.
///
/// # Errors
/// Checks a header; the error gives the reason and advice.
pub fn check_header(protocol: Protocol, name: &str, value: &str) -> Result<(), PlanError> {
    if name.is_empty() || !name.bytes().all(is_token) {
        return Err(PlanError::rule("the name may contain only letters, digits and !#$%&'*+-.^_`|~"));
    }
    if value.trim() != value || !value.bytes().all(|byte| (b' '..=b'~').contains(&byte)) {
        return Err(PlanError::rule("the value must be printable ASCII on one line, without spaces around it"));
    }
    let is_one_of = |names: &[&str]| names.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_written = match protocol {
        Protocol::Http => is_one_of(&FRAMING),
        Protocol::Grpc => is_one_of(&OF_EVERY_REQUEST) || starts_with(name, "grpc-"),
    };
    if is_written {
        return Err(PlanError::rule("the engine writes this header itself: remove it"));
    }
    Ok(())
}

/// Refuses headers of an operation over HTTP.
pub(super) fn check_own(operation: &str, headers: &BTreeMap<String, OneOrMore<String>>) -> Result<(), PlanError> {
    let all = || headers.iter().flat_map(|(name, values)| values.as_slice().iter().map(move |value| (name, value)));
    for (name, value) in all() {
        check_header(Protocol::Http, name, value)
            .map_err(|error| PlanError::rule(format!("operation {operation}: http.headers: {name:?}: {error}")))?;
    }
    if all().filter(|(name, _)| name.eq_ignore_ascii_case("host")).count() > 1 {
        return Err(PlanError::rule(format!("operation {operation}: http.headers: only one Host is allowed")));
    }
    Ok(())
}

/// Checks headers with slots: their literal text like constant ones.
pub(super) fn check_templates(
    operation: &str,
    protocol: Protocol,
    templates: &BTreeMap<String, Vec<Segment>>,
) -> Result<(), PlanError> {
    for (name, segments) in templates {
        let wrong =
            |error: &dyn std::fmt::Display| PlanError::rule(format!("operation {operation}: {name:?}: {error}"));
        check_header(protocol, name, "").map_err(|error| wrong(&error))?;
        if protocol == Protocol::Grpc && name.bytes().any(|byte| byte.is_ascii_uppercase()) {
            return Err(wrong(&"the name must be lower-case"));
        }
        let is_printable = |segment: &Segment| match segment {
            Segment::Literal(text) => text.bytes().all(|byte| (b' '..=b'~').contains(&byte)),
            Segment::Slot(_) => true,
        };
        if !segments.iter().all(is_printable) {
            return Err(wrong(&"the value must be printable ASCII on one line"));
        }
    }
    Ok(())
}

/// Checks headers of all requests: they serve both protocols, and are lower-case as HTTP/2 requires.
pub(super) fn check_of_all(headers: &BTreeMap<String, String>) -> Result<(), PlanError> {
    for (name, value) in headers {
        let is_lower = !name.bytes().any(|byte| byte.is_ascii_uppercase());
        let checked = if is_lower {
            check_header(Protocol::Grpc, name, value)
        } else {
            Err(PlanError::rule("the name must be lower-case"))
        };
        checked.map_err(|error| PlanError::rule(format!("transport.headers: {name:?}: {error}")))?;
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > LONGEST {
        return Err(PlanError::rule(format!("transport.headers: more than {LONGEST} bytes")));
    }
    Ok(())
}

fn starts_with(name: &str, prefix: &str) -> bool {
    name.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

/// Whether a header's name may hold this byte (RFC 9110).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: &str, value: &str) -> BTreeMap<String, String> {
        BTreeMap::from([(name.to_owned(), value.to_owned())])
    }

    fn own_headers(name: &str, value: &str) -> BTreeMap<String, OneOrMore<String>> {
        BTreeMap::from([(name.to_owned(), OneOrMore::One(value.to_owned()))])
    }

    /// Each with whether all requests may carry it, and whether an operation over HTTP may.
    #[test]
    fn headers_that_would_break_the_protocol_are_refused() {
        let long = "x".repeat(LONGEST);
        for (name, value, of_all, own) in [
            ("authorization", "Bearer a.b-c", true, true),
            ("x_1", "", true, true),
            ("X-Upper", "a", false, true),
            ("host", "a", false, true),
            ("Connection", "close", false, true),
            ("content-type", "text/plain", false, true),
            ("grpc-timeout", "1S", false, true),
            ("", "a", false, false),
            ("a b", "a", false, false),
            ("a\r\nb", "a", false, false),
            (":path", "/", false, false),
            ("content-length", "3", false, false),
            ("Content-Length", "3", false, false),
            ("Transfer-Encoding", "chunked", false, false),
            ("a", "b\r\nc: d", false, false),
            ("a", " b", false, false),
            ("a", "ü", false, false),
            ("a", &long, false, true),
        ] {
            let headers = headers(name, value);
            assert_eq!(check_of_all(&headers).is_ok(), of_all, "all: {name:?}: {value:?}");
            assert_eq!(check_own("create", &own_headers(name, value)).is_ok(), own, "own: {name:?}: {value:?}");
        }
    }

    #[test]
    fn a_refusal_names_the_header_and_the_remedy() {
        let message = |refused: Result<(), PlanError>| refused.expect_err("refused").to_string();
        assert_eq!(
            message(check_own("create", &own_headers("Content-Length", "3"))),
            "operation create: http.headers: \"Content-Length\": the engine writes this header itself: remove it"
        );
        assert_eq!(
            message(check_of_all(&headers("X-Upper", "a"))),
            "transport.headers: \"X-Upper\": the name must be lower-case"
        );
        let twice = ["Host", "host"].map(|name| (name.to_owned(), OneOrMore::One("a".to_owned())));
        assert!(message(check_own("create", &BTreeMap::from(twice))).ends_with("only one Host is allowed"));
    }
}
