//! The requests of REST APIs over HTTP/2, prepared for all connections.

use super::hpack::{RequestField, write_literal};

/// One kind of request: what its header block holds beside the path.
#[derive(Debug)]
pub struct RestCall {
    method: Vec<u8>,
    /// Its constant headers, as indices into those of all calls.
    pub(super) fields: Vec<usize>,
    pub(super) has_body: bool,
}

/// Written by HTTP/1 alone.
const OF_HTTP1: [&str; 5] = ["connection", "host", "keep-alive", "transfer-encoding", "upgrade"];
const METHODS: [(&str, u8); 2] = [("GET", 0x82), ("POST", 0x83)];
const METHOD_NAME: u8 = 0x02;
const PATH_NAME: u8 = 0x04;

impl RestCall {
    /// Prepares requests of one method with these headers; their fields join those of all calls.
    pub fn new<'a>(
        method: &str,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
        has_body: bool,
        all: &mut Vec<RequestField>,
    ) -> Self {
        let mut wanted: Vec<(String, String)> =
            headers.into_iter().map(|(name, value)| (name.to_ascii_lowercase(), value.to_owned())).collect();
        let host = wanted.iter().find(|(name, _)| name == "host").map(|(_, value)| value.clone());
        wanted.retain(|(name, _)| !OF_HTTP1.contains(&name.as_str()));
        if has_body && !wanted.iter().any(|(name, _)| name == "content-type") {
            wanted.push(("content-type".to_owned(), "application/json".to_owned()));
        }
        let mut place_of = |name: &str, value: &str| {
            let field = RequestField::new(name, value.as_bytes());
            all.iter().position(|known| *known == field).unwrap_or_else(|| {
                all.push(field);
                all.len() - 1
            })
        };
        // The first of all is the authority.
        let mut fields = vec![host.map_or(0, |host| place_of(":authority", &host))];
        fields.extend(wanted.iter().map(|(name, value)| place_of(name, value)));
        let known = METHODS.iter().find(|(name, _)| *name == method);
        let written = known.map_or_else(
            || [&[METHOD_NAME, method.len() as u8], method.as_bytes()].concat(),
            |(_, index)| vec![*index],
        );
        Self { method: written, fields, has_body }
    }

    pub(super) fn write_method(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.method);
    }
}

/// Appends the path; no table takes it up, since it differs from request to request.
pub(super) fn write_path(path: &[u8], out: &mut Vec<u8>) {
    out.push(PATH_NAME);
    super::hpack::write_string(path, out);
}

/// Appends header lines, as HTTP/1 writes them, as fields.
pub(super) fn write_lines(lines: &[u8], out: &mut Vec<u8>) {
    for line in lines.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()) {
        let Some(colon) = line.iter().position(|byte| *byte == b':') else { continue };
        let name = String::from_utf8_lossy(&line[..colon]).to_ascii_lowercase();
        write_literal(&name, line[colon + 1..].trim_ascii(), out);
    }
}
