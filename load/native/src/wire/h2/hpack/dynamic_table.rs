//! The dynamic table of a decoder.

use std::collections::VecDeque;

use super::integer::Invalid;
use super::table::{DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC_NAMES};

/// The kept fields, the newest first, each with its size.
#[derive(Debug)]
pub(super) struct DynamicTable<F> {
    entries: VecDeque<(F, usize)>,
    size: usize,
    limit: usize,
}

impl<F> Default for DynamicTable<F> {
    fn default() -> Self {
        Self::of_limit(DEFAULT_TABLE_SIZE)
    }
}

impl<F: Clone> DynamicTable<F> {
    /// The field of an index of the wire, which counts on behind the static table.
    pub(super) fn get(&self, index: usize) -> Result<F, Invalid> {
        let entry = index.checked_sub(STATIC_NAMES.len() + 1).and_then(|at| self.entries.get(at));
        entry.map(|(field, _)| field.clone()).ok_or(Invalid)
    }

    /// Adds a field of this many bytes of name and value. One that is larger than the table empties it.
    pub(super) fn insert(&mut self, field: F, bytes: usize) {
        let size = bytes + ENTRY_OVERHEAD;
        self.evict(self.limit.saturating_sub(size));
        if size <= self.limit {
            self.size += size;
            self.entries.push_front((field, size));
        }
    }

    /// Changes the room, as the other side asks.
    pub(super) fn resize(&mut self, limit: usize) -> Result<(), Invalid> {
        if limit > DEFAULT_TABLE_SIZE {
            return Err(Invalid);
        }
        self.limit = limit;
        self.evict(limit);
        Ok(())
    }

    fn evict(&mut self, room: usize) {
        while self.size > room {
            match self.entries.pop_back() {
                Some((_, size)) => self.size -= size,
                None => break,
            }
        }
    }
}

impl<F> DynamicTable<F> {
    /// Empty, with room for this many bytes.
    pub(super) fn of_limit(limit: usize) -> Self {
        Self { entries: VecDeque::new(), size: 0, limit }
    }

    /// Bytes that its entries take.
    #[cfg(test)]
    pub(super) fn size(&self) -> usize {
        self.size
    }
}
