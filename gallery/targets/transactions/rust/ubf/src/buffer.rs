use crate::error::UbfError;
use crate::field::{Field, FieldId, Kind};
use crate::scalar::Scalar;
use crate::view::{Entry, View, header};
use crate::{HEADER, MAX_BYTES};

/// A buffer that is written: always valid, always with its header.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Buffer {
    bytes: Vec<u8>,
    /// The highest field, behind which a higher one is appended without a search.
    last: FieldId,
}

impl Default for Buffer {
    fn default() -> Self {
        Self::new()
    }
}

impl Buffer {
    /// Without any field.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(256)
    }

    /// With room for this many bytes.
    #[must_use]
    pub fn with_capacity(bytes: usize) -> Self {
        let mut buffer = Vec::with_capacity(bytes.max(HEADER));
        buffer.extend_from_slice(&header(0));
        Self { bytes: buffer, last: FieldId(0) }
    }

    /// A copy of checked bytes, to be changed.
    #[must_use]
    pub fn of(view: View<'_>) -> Self {
        Self { bytes: view.to_bytes(), last: view.iter().last().map_or(FieldId(0), |entry| entry.field) }
    }

    /// Reads what was written.
    #[must_use]
    pub fn view(&self) -> View<'_> {
        View::of_entries(&self.bytes[HEADER..])
    }

    /// The bytes, header included.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, header included.
    #[must_use]
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    /// Adds an occurrence behind those that the field has.
    pub fn add<'v, K: Kind, T: Scalar<'v, K>>(&mut self, field: Field<K>, value: &T) -> Result<(), UbfError> {
        if field.id() >= self.last {
            let before = self.bytes.len();
            let written = self.append(field, value);
            if written.is_err() {
                self.bytes.truncate(before);
            }
            return written;
        }
        let at = self.end_of(field.id());
        let entry = entry_of(field, value)?;
        self.replace(at..at, &entry)
    }

    /// Replaces an occurrence, counted from 0.
    pub fn change<'v, K: Kind, T: Scalar<'v, K>>(
        &mut self,
        field: Field<K>,
        occurrence: usize,
        value: &T,
    ) -> Result<(), UbfError> {
        let entry = entry_of(field, value)?;
        let range = self.range_of(field.id(), occurrence)?;
        self.replace(range, &entry)
    }

    /// Removes an occurrence, counted from 0; those behind it move up.
    pub fn remove<K: Kind>(&mut self, field: Field<K>, occurrence: usize) -> Result<(), UbfError> {
        let range = self.range_of(field.id(), occurrence)?;
        self.replace(range, &[])?;
        self.last = self.view().iter().last().map_or(FieldId(0), |entry| entry.field);
        Ok(())
    }

    fn append<'v, K: Kind, T: Scalar<'v, K>>(&mut self, field: Field<K>, value: &T) -> Result<(), UbfError> {
        self.bytes.extend_from_slice(&field.id().as_u32().to_le_bytes());
        value.write(field, &mut self.bytes)?;
        self.finish()?;
        self.last = field.id();
        Ok(())
    }

    fn replace(&mut self, range: std::ops::Range<usize>, entry: &[u8]) -> Result<(), UbfError> {
        if self.bytes.len() - range.len() + entry.len() > MAX_BYTES {
            return Err(UbfError::Size);
        }
        self.bytes.splice(range, entry.iter().copied());
        self.finish()
    }

    /// Writes the length into the header.
    fn finish(&mut self) -> Result<(), UbfError> {
        if self.bytes.len() > MAX_BYTES {
            return Err(UbfError::Size);
        }
        let length = u32::try_from(self.bytes.len() - HEADER).map_err(|_| UbfError::Size)?;
        self.bytes[..HEADER].copy_from_slice(&header(length));
        Ok(())
    }

    /// The offset behind the last occurrence of a field, or where its first would stand.
    fn end_of(&self, field: FieldId) -> usize {
        self.offsets().find(|(_, entry)| entry.field > field).map_or(self.bytes.len(), |(at, _)| at)
    }

    fn range_of(&self, field: FieldId, occurrence: usize) -> Result<std::ops::Range<usize>, UbfError> {
        let mut found = self.offsets().skip_while(|(_, entry)| entry.field < field).skip(occurrence);
        match found.next() {
            Some((start, entry)) if entry.field == field => {
                Ok(start..found.next().map_or(self.bytes.len(), |(end, _)| end))
            }
            _ => Err(UbfError::Occurrence { field, occurrence }),
        }
    }

    /// Every entry with the offset at which it starts.
    fn offsets(&self) -> impl Iterator<Item = (usize, Entry<'_>)> {
        let mut entries = self.view().iter();
        std::iter::from_fn(move || {
            let at = self.bytes.len() - entries.remaining();
            entries.next().map(|entry| (at, entry))
        })
    }
}

fn entry_of<'v, K: Kind, T: Scalar<'v, K>>(field: Field<K>, value: &T) -> Result<Vec<u8>, UbfError> {
    let mut bytes = field.id().as_u32().to_le_bytes().to_vec();
    value.write(field, &mut bytes)?;
    Ok(bytes)
}
