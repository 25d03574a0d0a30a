//! Headers of the file and of its blocks.

pub(super) const MAGIC: &[u8; 8] = b"BKLEDGER";
pub(super) const VERSION: u16 = 1;
pub(super) const HEADER_BYTES: usize = 28;
pub(super) const BLOCK_HEADER_BYTES: usize = 13;
pub(super) const BLOCK_RECORDS: u8 = 1;
pub(super) const BLOCK_END: u8 = 2;
/// A block is written once it holds this much.
pub(super) const BLOCK_BYTES: usize = 64 * 1024;

pub(super) fn header(seed: u64, run: &[u8]) -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(MAGIC);
    bytes[8..10].copy_from_slice(&VERSION.to_le_bytes());
    bytes[12..20].copy_from_slice(&seed.to_le_bytes());
    let length = run.len().min(8);
    bytes[20..20 + length].copy_from_slice(&run[..length]);
    bytes
}

pub(super) fn block_header(kind: u8, payload: &[u8], records: u32) -> [u8; BLOCK_HEADER_BYTES] {
    let mut bytes = [kind; BLOCK_HEADER_BYTES];
    bytes[1..5].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes[5..9].copy_from_slice(&records.to_le_bytes());
    bytes[9..13].copy_from_slice(&crc32fast::hash(payload).to_le_bytes());
    bytes
}
