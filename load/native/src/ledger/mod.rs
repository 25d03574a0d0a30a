//! The ledger: a compact file of every operation that was sent and has an effect, acknowledged or not.
//!
//! `BKLEDGER`, version (u16), two reserved bytes, seed (u64), run (8 bytes); then blocks. A block is a kind (u8),
//! the length of its payload (u32), its number of records (u32), the CRC-32 of the payload (u32), and the payload.
//! The last block holds the number of records, so that a truncated ledger is detected.
//! Numbers are little-endian; inside records they are of variable length.

mod format;
mod reader;
mod record;
mod writer;

pub use reader::{Ledger, LedgerError, ledger_files};
pub use record::{Outcome, Record};
pub use writer::{LedgerFile, LedgerSink};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::{Entity, Event};
    use std::sync::Arc;

    fn entity(id: &str) -> Entity {
        Entity { captured: vec![("id".into(), id.into())], origin: None }
    }

    fn records() -> Vec<Record> {
        let event = |sequence, key_sequence, entity| {
            let is_shared = sequence % 3 == 0;
            Event { sequence, operation: 3, key_sequence, is_shared, entity, step: None }
        };
        let plain = |user, sequence: u32, outcome| Record {
            user,
            outcome,
            event: event(sequence, sequence.saturating_sub(7), None),
            own: None,
        };
        let mut records: Vec<Record> = (0..20_000).map(|n| plain(n % 7, n, Outcome::Acknowledged)).collect();
        records.push(plain(u32::MAX, u32::MAX, Outcome::Unknown));
        records.push(Record {
            user: 1,
            outcome: Outcome::Acknowledged,
            event: event(5, 5, Some(Arc::new(entity("needed")))),
            own: Some(Arc::new(entity("own"))),
        });
        records
    }

    fn written() -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger");
        let file = LedgerFile::create(&path, 42, b"0badcafe").expect("created");
        let mut sink = file.sink();
        records().iter().for_each(|r| sink.record(r.user, &r.event, r.outcome, r.own.as_deref()));
        sink.flush();
        drop(sink);
        file.finish().expect("finished");
        (folder, path)
    }

    #[test]
    fn records_come_back() {
        let (_folder, path) = written();
        let ledger = Ledger::open(&path).expect("opens");
        assert_eq!((ledger.seed, ledger.run.as_slice()), (42, b"0badcafe".as_slice()));
        let mut found = Vec::new();
        let complete = ledger.read(|record| found.push(record)).expect("reads");
        assert!(complete);
        assert_eq!(found, records());
    }

    #[test]
    fn a_flipped_bit_is_found() {
        let (_folder, path) = written();
        let mut bytes = std::fs::read(&path).expect("bytes");
        let middle = bytes.len() / 2;
        bytes[middle] ^= 4;
        std::fs::write(&path, bytes).expect("written");
        let result = Ledger::open(&path).expect("opens").read(|_| {});
        assert!(matches!(result, Err(LedgerError::Damaged { .. })), "{result:?}");
    }

    #[test]
    fn a_truncated_ledger_is_read_and_reported() {
        let (_folder, path) = written();
        let bytes = std::fs::read(&path).expect("bytes");
        std::fs::write(&path, &bytes[..bytes.len() - 30]).expect("written");
        let mut count = 0;
        assert!(!Ledger::open(&path).expect("opens").read(|_| count += 1).expect("reads"));
        assert!(count > 0 && count < records().len(), "{count}");
    }

    #[test]
    fn a_folder_holds_the_ledgers_of_several_engines() {
        let (folder, path) = written();
        let second = folder.path().join("another");
        std::fs::copy(&path, &second).expect("copied");
        assert_eq!(ledger_files(folder.path()).expect("listed"), [second, path.clone()]);
        assert_eq!(ledger_files(&path).expect("itself"), [path]);
        let empty = tempfile::tempdir().expect("a folder");
        assert!(matches!(ledger_files(empty.path()), Err(LedgerError::NoLedger { .. })));
    }

    #[test]
    fn another_file_is_no_ledger() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("ledger");
        for bytes in [&b""[..], b"BKLEDGER", b"something else that is long enough to be one"] {
            std::fs::write(&path, bytes).expect("written");
            assert!(matches!(Ledger::open(&path), Err(LedgerError::NoLedger { .. })));
        }
    }
}
