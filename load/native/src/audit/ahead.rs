//! Reads rows on a separate thread, while the ledger is read and earlier rows are checked.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread::JoinHandle;

use super::database;
use super::error::AuditError;
use super::rows::{self, Row};

/// Where the stored state is read from.
#[derive(Debug)]
pub enum Source {
    Database {
        url: String,
        sql: PathBuf,
    },
    /// JSON lines; `-` is standard input.
    Rows(PathBuf),
}

const BATCH_BYTES: usize = 256 * 1024;
/// Batches that may wait to be checked: 64 MiB. Beyond them the database waits, which bounds memory.
const WAITING_BATCHES: usize = 256;

/// Rows in one block of memory.
#[derive(Debug, Default)]
pub(super) struct Batch {
    bytes: Vec<u8>,
    /// Where the key and where the document of each row end.
    ends: Vec<(usize, usize)>,
}

impl Batch {
    fn add(&mut self, row: &Row<'_>) {
        self.bytes.extend_from_slice(row.key);
        let end_of_key = self.bytes.len();
        self.bytes.extend_from_slice(row.document);
        self.ends.push((end_of_key, self.bytes.len()));
    }

    pub(super) fn rows(&self) -> impl Iterator<Item = Row<'_>> {
        let mut start = 0;
        self.ends.iter().map(move |&(end_of_key, end)| {
            let row = Row { key: &self.bytes[start..end_of_key], document: &self.bytes[end_of_key..end] };
            start = end;
            row
        })
    }
}

/// Rows on their way from their source to the threads that check them. Dropping it ends the reading.
#[derive(Debug)]
pub(super) struct RowsAhead {
    batches: Mutex<Receiver<Batch>>,
    reader: JoinHandle<Result<(), AuditError>>,
}

impl RowsAhead {
    /// Starts reading.
    pub(super) fn of(source: Source) -> Self {
        let (batches, waiting) = sync_channel(WAITING_BATCHES);
        Self { batches: Mutex::new(waiting), reader: std::thread::spawn(move || read(source, &batches)) }
    }

    /// The next rows; none after the last.
    pub(super) fn next(&self) -> Option<Batch> {
        self.batches.lock().unwrap_or_else(PoisonError::into_inner).recv().ok()
    }

    /// Waits for the reading thread; returns the source's error, if any.
    pub(super) fn end(self) -> Result<(), AuditError> {
        drop(self.batches);
        self.reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    }
}

fn read(source: Source, batches: &SyncSender<Batch>) -> Result<(), AuditError> {
    let mut batch = Batch::default();
    let take = |row: Row<'_>| {
        batch.add(&row);
        if batch.bytes.len() < BATCH_BYTES {
            return ControlFlow::Continue(());
        }
        // The receiver is dropped when the audit has failed for another reason.
        batches.send(std::mem::take(&mut batch)).map_or(ControlFlow::Break(()), ControlFlow::Continue)
    };
    match source {
        Source::Database { url, sql } => database::read(&url, &sql, take)?,
        Source::Rows(path) => rows::read_file(&path, take)?,
    }
    let _ = batches.send(batch);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::audit::rows::parts;

    const ROWS: usize = 10_000;

    /// Rows of some batches, and after them this.
    fn source(end: &str) -> (tempfile::TempDir, Source) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("rows");
        let row = |number| format!("{{\"key\":[\"{number}\"],\"document\":\"{}\"}}\n", "x".repeat(number % 100));
        std::fs::write(&path, (0..ROWS).map(row).collect::<String>() + end).expect("written");
        (folder, Source::Rows(path))
    }

    #[test]
    fn every_row_comes_in_its_order() {
        let (_folder, source) = source("");
        let rows = RowsAhead::of(source);
        let mut next = 0;
        while let Some(batch) = rows.next() {
            for row in batch.rows() {
                assert_eq!((parts(row.key), row.document.len()), (vec![next.to_string()], next % 100 + 2));
                next += 1;
            }
        }
        rows.end().expect("reads");
        assert_eq!(next, ROWS);
    }

    #[test]
    fn an_error_of_the_source_is_reported_at_the_end() {
        let (_folder, source) = source("{}");
        let rows = RowsAhead::of(source);
        let batches = std::iter::from_fn(|| rows.next()).count();
        let read = rows.end();
        assert!(matches!(read, Err(AuditError::Rows(_))), "{read:?}");
        assert!(batches > 0);
    }

    #[test]
    fn reading_ends_when_the_receiver_is_dropped() {
        let (_folder, source) = source("{}");
        let (batches, waiting) = sync_channel(WAITING_BATCHES);
        drop(waiting);
        assert!(read(source, &batches).is_ok(), "it never came to the line that is wrong");
    }
}
