//! Writes a ledger on its own thread, so that the load never waits for the disk.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use super::format::{BLOCK_BYTES, BLOCK_END, BLOCK_RECORDS, block_header, header};
use super::record::{self, Outcome};
use crate::workload::{Entity, Event};

/// Blocks that may be queued for the disk; beyond them the load waits, which bounds memory.
const WAITING_BLOCKS: usize = 64;

struct Block {
    payload: Vec<u8>,
    records: u32,
}

/// A ledger that is being written.
#[derive(Debug)]
pub struct LedgerFile {
    blocks: SyncSender<Block>,
    writer: JoinHandle<io::Result<()>>,
}

impl std::fmt::Debug for Block {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Block of {} records", self.records)
    }
}

impl LedgerFile {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn create(path: &Path, seed: u64, run: &[u8]) -> io::Result<Self> {
        let mut file = File::create(path)?;
        file.write_all(&header(seed, run))?;
        let (blocks, waiting) = sync_channel(WAITING_BLOCKS);
        let writer =
            std::thread::Builder::new().name("ledger".to_owned()).spawn(move || write_blocks(file, &waiting))?;
        Ok(Self { blocks, writer })
    }

    /// A sink for one worker.
    #[must_use]
    pub fn sink(&self) -> LedgerSink {
        LedgerSink { blocks: self.blocks.clone(), payload: Vec::with_capacity(BLOCK_BYTES + 1024), records: 0 }
    }

    /// Waits until everything is written; all sinks must have been dropped.
    ///
    /// # Errors
    /// A write failed since the ledger was created.
    pub fn finish(self) -> io::Result<()> {
        drop(self.blocks);
        self.writer.join().unwrap_or_else(|_| Err(io::Error::other("the ledger's thread ended early")))
    }
}

fn write_blocks(mut file: File, blocks: &Receiver<Block>) -> io::Result<()> {
    let mut total = 0_u64;
    for block in blocks {
        total += u64::from(block.records);
        file.write_all(&block_header(BLOCK_RECORDS, &block.payload, block.records))?;
        file.write_all(&block.payload)?;
    }
    let total = total.to_le_bytes();
    file.write_all(&[block_header(BLOCK_END, &total, 0).as_slice(), &total].concat())?;
    file.sync_all()
}

/// Gathers records and passes them to the writer block by block.
#[derive(Debug)]
pub struct LedgerSink {
    blocks: SyncSender<Block>,
    payload: Vec<u8>,
    records: u32,
}

impl LedgerSink {
    /// Records an operation.
    #[inline]
    pub fn record(&mut self, user: u32, event: &Event, outcome: Outcome, own: Option<&Entity>) {
        record::write(user, event, outcome, own, &mut self.payload);
        self.records += 1;
        if self.payload.len() >= BLOCK_BYTES {
            self.flush();
        }
    }

    /// Passes the gathered records to the writer.
    pub fn flush(&mut self) {
        if self.records == 0 {
            return;
        }
        let payload = std::mem::replace(&mut self.payload, Vec::with_capacity(BLOCK_BYTES + 1024));
        let block = Block { payload, records: std::mem::take(&mut self.records) };
        // The writer ends early only after a disk error, which `finish` reports.
        let _ = self.blocks.send(block);
    }
}
