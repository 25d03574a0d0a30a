//! Bodies of HTTP requests that are not the message itself: forms, parts and bytes.

use base64::Engine as _;

use crate::audit::json::{items, members};
use crate::message::unescape;
use crate::plan::{BodyEncoding, PlanError};
use crate::template::{Part, Slot, SlotTable, Template};

/// Ends each part; the workload's content-type names it. No message has it in it but on purpose.
const BOUNDARY: &str = "bakeoff-0b7f3c5e9d1a2468";
/// The content type of a multipart body.
pub const MULTIPART_TYPE: &str = "multipart/form-data; boundary=bakeoff-0b7f3c5e9d1a2468";

/// Appends the body that a message stands for; none where it cannot be one.
#[must_use]
pub fn encode(encoding: BodyEncoding, message: &[u8], out: &mut Vec<u8>) -> Option<()> {
    match encoding {
        BodyEncoding::Form => form(message, out),
        BodyEncoding::Multipart => multipart(message, out),
        BodyEncoding::Binary => {
            out.extend_from_slice(&base64::engine::general_purpose::STANDARD.decode(message.trim_ascii()).ok()?);
            Some(())
        }
    }
}

/// Refuses a message that cannot be such a body, whatever its slots render.
///
/// # Errors
/// The expected value.
pub fn check(encoding: BodyEncoding, template: &Template, slots: &SlotTable) -> Result<(), PlanError> {
    let mut sample = Vec::new();
    for part in template.parts() {
        match part {
            Part::Literal(range) => sample.extend_from_slice(template.bytes(range)),
            Part::Slot(slot) => match (&slots.slots()[*slot], encoding) {
                // Whether base64 is complete depends on the remainder alone.
                (Slot::Alphanumeric(length), _) => sample.resize(sample.len() + (4 + length % 4) as usize, b'0'),
                (_, BodyEncoding::Binary) => {
                    return Err(PlanError::rule("body: base64 takes texts and ${alphanumeric N} alone"));
                }
                // A number can stand inside quotes and outside.
                _ => sample.push(b'0'),
            },
            Part::Pad(_) => {}
        }
    }
    let needed = match encoding {
        BodyEncoding::Form => "a form is a JSON object of texts, numbers, true and false, and lists of these",
        BodyEncoding::Multipart => "parts are a JSON object of values and files, or lists of these",
        BodyEncoding::Binary => "a binary body is written in base64",
    };
    encode(encoding, &sample, &mut Vec::new()).ok_or_else(|| PlanError::rule(format!("body: {needed}")))
}

/// `name=value&name=value`, as browsers write it.
fn form(message: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let start = out.len();
    each_value(message, |name, value| {
        if out.len() > start {
            out.push(b'&');
        }
        percent_encode(name, out);
        out.push(b'=');
        percent_encode(&scalar(value)?, out);
        Some(())
    })
}

fn multipart(message: &[u8], out: &mut Vec<u8>) -> Option<()> {
    each_value(message, |name, value| {
        out.extend_from_slice(format!("--{BOUNDARY}\r\nContent-Disposition: form-data; name=\"").as_bytes());
        write_quoted(name, out);
        if value.starts_with(b"{") {
            file(value, out)?;
        } else {
            out.extend_from_slice(b"\"\r\n\r\n");
            out.extend_from_slice(scalar(value)?.as_bytes());
        }
        out.extend_from_slice(b"\r\n");
        Some(())
    })?;
    out.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    Some(())
}

/// `{"filename": …, "content_type": …, "text": …}`, or `"base64"` in place of `"text"`. Without a name it is
/// no file but a part with a type.
fn file(object: &[u8], out: &mut Vec<u8>) -> Option<()> {
    let members = members(object)?;
    let text = |name: &[u8]| members.iter().find(|(known, _)| *known == name).map(|(_, value)| string(value));
    let known: [&[u8]; 4] = [b"filename", b"content_type", b"text", b"base64"];
    if !members.iter().all(|(name, _)| known.contains(name)) {
        return None;
    }
    out.push(b'"');
    let filename = text(b"filename");
    let usual_type = filename.is_some().then(|| "application/octet-stream".to_owned());
    if let Some(filename) = filename {
        out.extend_from_slice(b"; filename=\"");
        write_quoted(&filename?, out);
        out.push(b'"');
    }
    let content_type = text(b"content_type").unwrap_or(usual_type)?;
    let is_line = !content_type.is_empty() && content_type.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    out.extend_from_slice(format!("\r\nContent-Type: {}\r\n\r\n", is_line.then_some(content_type)?).as_bytes());
    match (text(b"text"), text(b"base64")) {
        (Some(text), None) => out.extend_from_slice(text?.as_bytes()),
        (None, Some(base64)) => {
            out.extend_from_slice(&base64::engine::general_purpose::STANDARD.decode(base64?).ok()?);
        }
        _ => return None,
    }
    Some(())
}

/// The members of an object; a list stands for several values of one name, null for none.
fn each_value(message: &[u8], mut take: impl FnMut(&str, &[u8]) -> Option<()>) -> Option<()> {
    for (name, value) in members(message)? {
        let name = unescape(name)?;
        let values = if value.starts_with(b"[") { items(value)? } else { vec![value] };
        values.into_iter().filter(|value| *value != b"null").try_for_each(|value| take(&name, value))?;
    }
    Some(())
}

/// A string without its quotes and escapes; a number, true or false as it is written.
fn scalar(value: &[u8]) -> Option<String> {
    match value.first()? {
        b'"' => string(value),
        b'{' | b'[' => None,
        _ => String::from_utf8(value.to_vec())
            .ok()
            .filter(|text| serde_json::from_str::<serde_json::Value>(text).is_ok()),
    }
}

fn string(value: &[u8]) -> Option<String> {
    unescape(value.strip_prefix(b"\"")?.strip_suffix(b"\"")?)
}

fn percent_encode(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'*' | b'-' | b'.' | b'_' => out.push(byte),
            b' ' => out.push(b'+'),
            _ => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
        }
    }
}

/// A name inside quotes, as browsers write it.
fn write_quoted(text: &str, out: &mut Vec<u8>) {
    for byte in text.bytes() {
        match byte {
            b'"' | b'\r' | b'\n' => out.extend_from_slice(format!("%{byte:02X}").as_bytes()),
            _ => out.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::template::parse_template;

    fn body(encoding: BodyEncoding, message: &str) -> Option<String> {
        let mut out = Vec::new();
        encode(encoding, message.as_bytes(), &mut out)?;
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    #[test]
    fn what_is_no_form_is_no_body() {
        use BodyEncoding::{Binary, Form, Multipart};
        for (encoding, message, is_body) in [
            (Form, r#"{"a":"b"}"#, true),
            (Form, "{}", true),
            (Form, r#"{"a":{"b":1}}"#, false),
            (Form, r#"["a"]"#, false),
            (Form, r#"{"a":[[1]]}"#, false),
            (Form, r#"{"a":b}"#, false),
            (Multipart, r#"{"a":{"filename":"f","text":""}}"#, true),
            (Multipart, r#"{"a":[{"filename":"f","base64":"AAAA"},1]}"#, true),
            (Multipart, r#"{"a":{"filename":"f"}}"#, false),
            (Multipart, r#"{"a":{"text":"f"}}"#, false),
            (Multipart, r#"{"a":{"content_type":"application/json","text":"{}"}}"#, true),
            (Multipart, r#"{"a":{"content_type":"","text":"f"}}"#, false),
            (Multipart, r#"{"a":{"filename":"f","text":"","base64":""}}"#, false),
            (Multipart, r#"{"a":{"filename":"f","base64":"A"}}"#, false),
            (Multipart, r#"{"a":{"filename":"f","content_type":"a\r\nb","text":""}}"#, false),
            (Multipart, r#"{"a":{"filename":"f","text":"","more":1}}"#, false),
            (Binary, "AAAA", true),
            (Binary, "AAA", false),
        ] {
            assert_eq!(body(encoding, message).is_some(), is_body, "{encoding:?} {message}");
        }
    }

    #[test]
    fn templates_are_checked_whatever_they_render() {
        let check = |encoding, text: &str| {
            let mut slots = SlotTable::default();
            let template = Template::compile(&parse_template(text).expect("a template"), &mut slots).expect("compiles");
            check(encoding, &template, &slots).map_err(|error| error.to_string())
        };
        assert_eq!(check(BodyEncoding::Form, r#"{"a":"${uuid}","n":${integer 1 9}}"#), Ok(()));
        assert_eq!(check(BodyEncoding::Binary, "${alphanumeric 8}"), Ok(()));
        assert!(check(BodyEncoding::Binary, "${alphanumeric 7}").is_err_and(|words| words.contains("base64")));
        assert!(check(BodyEncoding::Binary, "${uuid}").is_err_and(|words| words.contains("alphanumeric")));
        assert!(check(BodyEncoding::Form, "a=b").is_err_and(|words| words.contains("a JSON object")));
    }
}
