//! Multipart forms, written as curl's `-F` writes them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::variants::words;
use crate::plan::BodyEncoding;
use crate::workload::encode;

const EXAMPLE: &str = "write NAME=VALUE, NAME=@FILE or NAME=@FILE;type=TYPE;filename=NAME";
/// By a file's ending, as curl has them.
const TYPES: [(&str, &str); 10] = [
    ("gif", "image/gif"),
    ("jpg", "image/jpeg"),
    ("jpeg", "image/jpeg"),
    ("png", "image/png"),
    ("svg", "image/svg+xml"),
    ("txt", "text/plain"),
    ("htm", "text/html"),
    ("html", "text/html"),
    ("pdf", "application/pdf"),
    ("xml", "application/xml"),
];

/// The body of a form; none without parts. The error names the part that cannot be sent.
pub fn body(parts: &[String]) -> Result<Option<Vec<u8>>, String> {
    if parts.is_empty() {
        return Ok(None);
    }
    let mut values: Vec<(&str, Vec<Value>)> = Vec::new();
    for text in parts {
        let (name, value) = text.split_once('=').ok_or_else(|| format!("-F {text}: {EXAMPLE}."))?;
        let value = part(text, value)?;
        match values.iter_mut().find(|(known, _)| *known == name) {
            Some((_, values)) => values.push(value),
            None => values.push((name, vec![value])),
        }
    }
    let members = values.iter().map(|(name, values)| format!("{}:{}", json!(name), json!(values)));
    let message = format!("{{{}}}", members.collect::<Vec<_>>().join(","));
    let mut body = Vec::new();
    encode(BodyEncoding::Multipart, message.as_bytes(), &mut body)
        .ok_or_else(|| format!("-F: a type has letters, digits and signs alone; {EXAMPLE}."))?;
    Ok(Some(body))
}

/// What stands for a part in the message of a multipart body.
fn part(text: &str, value: &str) -> Result<Value, String> {
    let Some(file) = value.strip_prefix(['@', '<']) else {
        return Ok(match value.split_once(";type=") {
            Some((value, content_type)) => json!({"content_type": content_type, "text": value}),
            None => json!(value),
        });
    };
    let mut settings = file.split(';');
    let path = settings.next().unwrap_or_default();
    let (mut filename, mut content_type) = (None, None);
    for each in settings {
        match each.trim().split_once('=') {
            Some(("type", value)) => content_type = Some(value),
            Some(("filename", value)) => filename = Some(value),
            _ => return Err(format!("-F {text}: \"{each}\" is no setting of a file: {EXAMPLE}.")),
        }
    }
    let content =
        std::fs::read(path).map_err(|error| format!("-F {text}: {path} cannot be read: {}.", words(&error)))?;
    if value.starts_with('<') {
        let content = String::from_utf8(content).map_err(|_| format!("-F {text}: {path} is no UTF-8 text: use @."))?;
        return Ok(content_type.map_or_else(|| json!(content), |kind| json!({"content_type": kind, "text": content})));
    }
    let filename = filename.unwrap_or_else(|| path.rsplit('/').next().unwrap_or(path));
    Ok(json!({
        "filename": filename,
        "content_type": content_type.unwrap_or_else(|| type_of(filename)),
        "base64": STANDARD.encode(content),
    }))
}

fn type_of(filename: &str) -> &'static str {
    let ending = filename.rsplit('.').next().unwrap_or_default();
    let known = TYPES.iter().find(|(known, _)| known.eq_ignore_ascii_case(ending));
    known.map_or("application/octet-stream", |(_, content_type)| content_type)
}
