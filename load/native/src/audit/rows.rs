//! Rows of stored state: a key of several parts, and a document.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::ControlFlow;
use std::path::Path;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::workload::END_OF_PART;

/// One stored entity.
#[derive(Debug)]
pub struct Row<'a> {
    /// The parts of the key, each ended by `END_OF_PART`.
    pub key: &'a [u8],
    /// JSON text.
    pub document: &'a [u8],
}

/// The parts of a key as text.
pub(crate) fn parts(key: &[u8]) -> Vec<String> {
    let ended = key.strip_suffix(&[END_OF_PART]).unwrap_or(key);
    ended.split(|byte| *byte == END_OF_PART).map(|part| String::from_utf8_lossy(part).into_owned()).collect()
}

/// Why rows cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum RowError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {line}: {source}")]
    Syntax { line: usize, source: serde_json::Error },
}

#[derive(Deserialize)]
struct Line<'a> {
    key: Vec<String>,
    #[serde(borrow)]
    document: &'a RawValue,
}

/// Reads JSON lines `{"key":[…],"document":…}`, until `take` stops.
fn read_json_lines(mut lines: impl BufRead, mut take: impl FnMut(Row<'_>) -> ControlFlow<()>) -> Result<(), RowError> {
    let mut text = String::new();
    let mut key = Vec::new();
    for line in 1.. {
        text.clear();
        if lines.read_line(&mut text)? == 0 {
            break;
        }
        if text.trim().is_empty() {
            continue;
        }
        let row: Line<'_> = serde_json::from_str(&text).map_err(|source| RowError::Syntax { line, source })?;
        key.clear();
        for part in &row.key {
            key.extend_from_slice(part.as_bytes());
            key.push(END_OF_PART);
        }
        if take(Row { key: &key, document: row.document.get().as_bytes() }).is_break() {
            break;
        }
    }
    Ok(())
}

/// Reads JSON lines from a file; `-` is standard input.
pub(crate) fn read_file(path: &Path, take: impl FnMut(Row<'_>) -> ControlFlow<()>) -> Result<(), RowError> {
    if path == Path::new("-") {
        return read_json_lines(io::stdin().lock(), take);
    }
    read_json_lines(BufReader::with_capacity(1 << 20, File::open(path)?), take)
}
