//! Reads a ledger, block by block.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use super::format::{BLOCK_END, BLOCK_HEADER_BYTES, BLOCK_RECORDS, HEADER_BYTES, MAGIC, VERSION, block_header};
use super::record::{self, Record};

/// Why a ledger cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum LedgerError {
    #[error("cannot read the ledger {path}: {source}")]
    Unreadable { path: PathBuf, source: io::Error },
    #[error("{path} is not a ledger of version {VERSION}")]
    NoLedger { path: PathBuf },
    #[error("the ledger {path} is damaged in block {block}")]
    Damaged { path: PathBuf, block: usize },
}

/// A ledger that is open for reading.
#[derive(Debug)]
pub struct Ledger {
    pub seed: u64,
    pub run: Vec<u8>,
    path: PathBuf,
    file: BufReader<File>,
}

/// The longest valid block: a larger length is damage, and must not allocate memory.
const LONGEST_BLOCK: usize = 64 * 1024 * 1024;

impl Ledger {
    /// Opens a ledger and reads its header.
    ///
    /// # Errors
    /// The file cannot be read or is not a ledger.
    pub fn open(path: &Path) -> Result<Self, LedgerError> {
        let unreadable = |source| LedgerError::Unreadable { path: path.to_owned(), source };
        let mut file = BufReader::with_capacity(256 * 1024, File::open(path).map_err(unreadable)?);
        let mut header = [0; HEADER_BYTES];
        let read = read_full(&mut file, &mut header).map_err(unreadable)?;
        let version = u16::from_le_bytes([header[8], header[9]]);
        if read < HEADER_BYTES || &header[..8] != MAGIC || version != VERSION {
            return Err(LedgerError::NoLedger { path: path.to_owned() });
        }
        let seed = header[12..20].iter().rev().fold(0, |seed, byte| seed << 8 | u64::from(*byte));
        Ok(Self { seed, run: header[20..].to_vec(), path: path.to_owned(), file })
    }

    /// Passes each record to `take`; returns whether the ledger is complete.
    ///
    /// # Errors
    /// The file cannot be read, or a block is damaged.
    pub fn read(self, mut take: impl FnMut(Record)) -> Result<bool, LedgerError> {
        let Self { path, mut file, .. } = self;
        let mut fill = |buffer: &mut [u8]| {
            read_full(&mut file, buffer).map_err(|source| LedgerError::Unreadable { path: path.clone(), source })
        };
        let mut total = 0_u64;
        for block in 0.. {
            let damaged = || LedgerError::Damaged { path: path.clone(), block };
            let mut head = [0; BLOCK_HEADER_BYTES];
            if fill(&mut head)? < BLOCK_HEADER_BYTES {
                return Ok(false);
            }
            let [length, records] =
                [1, 5].map(|at| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]));
            let length = length as usize;
            if length > LONGEST_BLOCK {
                return Err(damaged());
            }
            let mut payload = vec![0; length];
            if fill(&mut payload)? < length {
                return Ok(false);
            }
            if block_header(head[0], &payload, records) != head {
                return Err(damaged());
            }
            match head[0] {
                BLOCK_RECORDS => {
                    let mut rest = payload.as_slice();
                    for _ in 0..records {
                        take(record::read(&mut rest).ok_or_else(damaged)?);
                    }
                    total += u64::from(records);
                }
                BLOCK_END if payload == total.to_le_bytes() => return Ok(true),
                _ => return Err(damaged()),
            }
        }
        Ok(false)
    }
}

/// The ledger itself, or those in a folder, in the order of their names.
///
/// # Errors
/// The folder cannot be read, or is empty.
pub fn ledger_files(path: &Path) -> Result<Vec<PathBuf>, LedgerError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let unreadable = |source| LedgerError::Unreadable { path: path.to_owned(), source };
    let mut files = path
        .read_dir()
        .map_err(unreadable)?
        .map(|entry| entry.map(|entry| entry.path()).map_err(unreadable))
        .collect::<Result<Vec<_>, _>>()?;
    files.sort();
    if files.is_empty() { Err(LedgerError::NoLedger { path: path.to_owned() }) } else { Ok(files) }
}

/// Fills the buffer as far as the file goes.
fn read_full(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match file.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(count) => filled += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}
