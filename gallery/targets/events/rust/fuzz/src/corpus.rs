//! Packed corpora: one file per check, one input per line.
//!
//! A line is a JSON string with one character (U+0000 to U+00FF) per byte, so that text inputs stay readable.

#![allow(clippy::missing_errors_doc, reason = "all errors are those of files")]

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The packed inputs of a check.
pub fn read(check: &str) -> io::Result<Vec<Vec<u8>>> {
    fs::read_to_string(packed(check))?.lines().map(decode).collect()
}

/// Writes each packed input of a check to its own file, as libFuzzer expects them.
pub fn unpack(check: &str) -> io::Result<()> {
    let folder = folder(check);
    fs::create_dir_all(&folder)?;
    for (number, input) in read(check)?.iter().enumerate() {
        fs::write(folder.join(format!("{number:05}")), input)?;
    }
    Ok(())
}

/// Replaces the packed inputs of a check by the files of its folder, shortest first.
pub fn pack(check: &str) -> io::Result<()> {
    let files: Result<Vec<_>, _> = fs::read_dir(folder(check))?.map(|entry| fs::read(entry?.path())).collect();
    let mut inputs = files?;
    inputs.sort_by(|a, b| (a.len(), a).cmp(&(b.len(), b)));
    inputs.dedup();
    let lines: String = inputs.iter().map(|input| encode(input) + "\n").collect();
    fs::write(packed(check), lines)
}

fn folder(check: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(check)
}

fn packed(check: &str) -> PathBuf {
    folder(check).with_extension("jsonl")
}

fn encode(input: &[u8]) -> String {
    serde_json::Value::String(input.iter().copied().map(char::from).collect()).to_string()
}

fn decode(line: &str) -> io::Result<Vec<u8>> {
    let text: String = serde_json::from_str(line)?;
    text.chars().map(|character| u8::try_from(character).map_err(io::Error::other)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_survives_packing_in_one_line() {
        let bytes: Vec<u8> = (0..=u8::MAX).collect();
        let line = encode(&bytes);
        assert_eq!(line.lines().count(), 1);
        assert_eq!(decode(&line).expect("a packed input"), bytes);
    }

    #[test]
    fn a_character_that_is_not_a_byte_is_refused() {
        assert!(decode(r#""ab\u0100""#).is_err());
        assert!(decode("ab").is_err());
    }
}
