//! Rows straight from PostgreSQL, streamed in COPY's binary format.

use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;
use std::path::Path;

use postgres::{Client, NoTls};

use super::error::AuditError;
use super::rows::{Row, RowError};
use crate::workload::END_OF_PART;

/// The signature of the binary format.
const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";

/// Streams the rows that the audit's query returns, until `take` stops.
pub(super) fn read(url: &str, sql: &Path, take: impl FnMut(Row<'_>) -> ControlFlow<()>) -> Result<(), AuditError> {
    let query = std::fs::read_to_string(sql)
        .map_err(|source| AuditError::Unreadable { path: sql.display().to_string(), source })?;
    let query = query.trim().trim_end_matches(';');
    let mut client = Client::connect(url, NoTls)?;
    // The newline ends a comment on the query's last line.
    let copy =
        format!("COPY (SELECT key::text[], document::text FROM ({query}\n) AS audited) TO STDOUT (FORMAT binary)");
    let rows = client.copy_out(copy.as_str())?;
    Ok(read_binary(BufReader::with_capacity(1 << 20, rows), take).map_err(RowError::Io)?)
}

fn read_binary(mut input: impl Read, mut take: impl FnMut(Row<'_>) -> ControlFlow<()>) -> io::Result<()> {
    let mut signature = [0; 11];
    input.read_exact(&mut signature)?;
    if &signature != SIGNATURE {
        return Err(invalid("not a binary COPY stream"));
    }
    let _flags = integer(&mut input)?;
    let extension = length(&mut input)?;
    io::copy(&mut input.by_ref().take(extension as u64), &mut io::sink())?;
    let mut key_bytes = Vec::new();
    let mut key = Vec::new();
    let mut document = Vec::new();
    loop {
        let mut fields = [0; 2];
        input.read_exact(&mut fields)?;
        match i16::from_be_bytes(fields) {
            -1 => return Ok(()),
            2 => {}
            _ => return Err(invalid("a row of key and document is expected")),
        }
        field(&mut input, &mut key_bytes)?;
        field(&mut input, &mut document)?;
        key.clear();
        read_key(&key_bytes, &mut key).ok_or_else(|| invalid("the key is not an array of text"))?;
        if take(Row { key: &key, document: &document }).is_break() {
            return Ok(());
        }
    }
}

fn invalid(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

fn integer(input: &mut impl Read) -> io::Result<i32> {
    let mut bytes = [0; 4];
    input.read_exact(&mut bytes)?;
    Ok(i32::from_be_bytes(bytes))
}

fn length(input: &mut impl Read) -> io::Result<usize> {
    usize::try_from(integer(input)?).map_err(|_| invalid("key and document must not be null"))
}

fn field(input: &mut impl Read, buffer: &mut Vec<u8>) -> io::Result<()> {
    let length = length(input)?;
    buffer.clear();
    buffer.resize(length, 0);
    input.read_exact(buffer)
}

/// Appends the parts of a one-dimensional array: dimensions, flags, element type, length, lower bound, and each
/// element with its length.
fn read_key(mut bytes: &[u8], key: &mut Vec<u8>) -> Option<()> {
    let dimensions = number(&mut bytes)?;
    let (_flags, _element_type) = (number(&mut bytes)?, number(&mut bytes)?);
    let (count, _lower_bound) = (number(&mut bytes)?, number(&mut bytes)?);
    if dimensions != 1 {
        return None;
    }
    for _ in 0..count {
        let length = number(&mut bytes)?;
        let (text, rest) = bytes.split_at_checked(length)?;
        bytes = rest;
        key.extend_from_slice(text);
        key.push(END_OF_PART);
    }
    Some(())
}

fn number(bytes: &mut &[u8]) -> Option<usize> {
    let (head, rest) = bytes.split_first_chunk::<4>()?;
    *bytes = rest;
    usize::try_from(i32::from_be_bytes(*head)).ok()
}

#[cfg(test)]
mod tests {
    use super::super::rows::parts;
    use super::*;

    fn copied(rows: &[(&[&str], &str)]) -> Vec<u8> {
        let mut out = [SIGNATURE.as_slice(), &[0; 8]].concat();
        for (key, document) in rows {
            out.extend_from_slice(&2_i16.to_be_bytes());
            let mut array = Vec::new();
            for number in [1, 0, 25, key.len() as i32, 1] {
                array.extend_from_slice(&number.to_be_bytes());
            }
            for part in *key {
                array.extend_from_slice(&(part.len() as i32).to_be_bytes());
                array.extend_from_slice(part.as_bytes());
            }
            for field in [array.as_slice(), document.as_bytes()] {
                out.extend_from_slice(&(field.len() as i32).to_be_bytes());
                out.extend_from_slice(field);
            }
        }
        out.extend_from_slice(&(-1_i16).to_be_bytes());
        out
    }

    #[test]
    fn rows_are_read_from_the_binary_format() {
        let bytes = copied(&[(&["Car", "a,b{}\"\\"], r#"{"a": 1}"#), (&["x"], "null")]);
        let mut rows = Vec::new();
        read_binary(bytes.as_slice(), |row| {
            rows.push((parts(row.key), row.document.to_vec()));
            ControlFlow::Continue(())
        })
        .expect("reads");
        let expected = [
            (vec!["Car".to_owned(), "a,b{}\"\\".to_owned()], br#"{"a": 1}"#.to_vec()),
            (vec!["x".to_owned()], b"null".to_vec()),
        ];
        assert_eq!(rows, expected);
    }

    #[test]
    fn a_truncated_stream_is_an_error() {
        let bytes = copied(&[(&["Car"], "{}")]);
        for length in 0..bytes.len() {
            assert!(read_binary(&bytes[..length], |_| ControlFlow::Continue(())).is_err(), "{length}");
        }
    }
}
