//! Encoding: each field is written out once and is one byte from then on.

use super::integer::{write_integer, write_string};
use super::table::{DEFAULT_TABLE_SIZE, ENTRY_OVERHEAD, STATIC_NAMES};

/// A field of requests: its name, or where the static table has it, and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestField {
    static_name: usize,
    name: Box<str>,
    value: Vec<u8>,
}

impl RequestField {
    #[must_use]
    pub fn new(name: &str, value: &[u8]) -> Self {
        let static_name = STATIC_NAMES.iter().position(|known| *known == name).map_or(0, |at| at + 1);
        Self { static_name, name: name.into(), value: value.to_vec() }
    }

    fn size(&self) -> usize {
        self.name.len() + self.value.len() + ENTRY_OVERHEAD
    }
}

/// The fields of all requests: what they share, and the path of each method.
#[derive(Debug)]
pub struct RequestFields {
    pub paths: Vec<RequestField>,
    pub others: Vec<RequestField>,
    pub is_https: bool,
}

/// Encodes the header blocks of one connection. Each field is written out once and is one byte from then on,
/// as other clients do it: servers would pay more for literals.
#[derive(Debug)]
pub struct Encoder {
    /// When each field was inserted: the paths, then the others.
    inserted_as: Vec<Option<usize>>,
    inserted: usize,
    indexes: bool,
    /// A table size to announce.
    announce: Option<usize>,
}

const METHOD_POST: u8 = 0x83;
const SCHEME_HTTP: u8 = 0x86;
const SCHEME_HTTPS: u8 = 0x87;

impl Encoder {
    #[must_use]
    pub fn new(fields: &RequestFields) -> Self {
        let count = fields.paths.len() + fields.others.len();
        let mut encoder = Self { inserted_as: vec![None; count], inserted: 0, indexes: true, announce: None };
        encoder.fit(fields, DEFAULT_TABLE_SIZE);
        encoder
    }

    /// The server keeps a table of this size. To be called before the first block.
    pub fn limit_table(&mut self, fields: &RequestFields, size: usize) {
        if size < DEFAULT_TABLE_SIZE {
            self.announce = Some(size);
            self.fit(fields, size);
        }
    }

    /// Indexes only where nothing would ever be evicted.
    fn fit(&mut self, fields: &RequestFields, size: usize) {
        let needed: usize = fields.paths.iter().chain(&fields.others).map(RequestField::size).sum();
        self.indexes = needed <= size;
    }

    /// Appends the block of a request for one of the methods.
    pub fn write(&mut self, fields: &RequestFields, method: usize, out: &mut Vec<u8>) {
        self.announce(out);
        out.extend_from_slice(&[METHOD_POST, if fields.is_https { SCHEME_HTTPS } else { SCHEME_HTTP }]);
        self.write_field(method, &fields.paths[method], out);
        for (at, field) in fields.others.iter().enumerate() {
            self.write_field(fields.paths.len() + at, field, out);
        }
    }

    /// Appends some of the constant fields, and the scheme before them.
    pub fn write_some(&mut self, fields: &RequestFields, chosen: &[usize], out: &mut Vec<u8>) {
        out.push(if fields.is_https { SCHEME_HTTPS } else { SCHEME_HTTP });
        for at in chosen {
            self.write_field(fields.paths.len() + at, &fields.others[*at], out);
        }
    }

    /// Appends the size of the table, where it is to be announced: before everything else of a block.
    pub fn announce(&mut self, out: &mut Vec<u8>) {
        if let Some(size) = self.announce.take() {
            write_integer(size, 5, 0x20, out);
        }
    }

    fn write_field(&mut self, at: usize, field: &RequestField, out: &mut Vec<u8>) {
        if let Some(ordinal) = self.inserted_as[at] {
            write_integer(STATIC_NAMES.len() + self.inserted - ordinal, 7, 0x80, out);
            return;
        }
        let (prefix, pattern) = if self.indexes { (6, 0x40) } else { (4, 0) };
        write_integer(field.static_name, prefix, pattern, out);
        if field.static_name == 0 {
            write_string(field.name.as_bytes(), out);
        }
        write_string(&field.value, out);
        if self.indexes {
            self.inserted_as[at] = Some(self.inserted);
            self.inserted += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields() -> RequestFields {
        RequestFields {
            paths: ["/p.S/One", "/p.S/Two"].iter().map(|path| RequestField::new(":path", path.as_bytes())).collect(),
            others: vec![RequestField::new(":authority", b"h:1"), RequestField::new("te", b"trailers")],
            is_https: false,
        }
    }

    #[test]
    fn fields_are_written_out_once() {
        let (fields, mut out) = (fields(), Vec::new());
        let mut encoder = Encoder::new(&fields);
        let mut block = |method| {
            out.clear();
            encoder.write(&fields, method, &mut out);
            out.clone()
        };
        assert_eq!(block(0), b"\x83\x86\x44\x08/p.S/One\x41\x03h:1\x40\x02te\x08trailers");
        assert_eq!(block(0), b"\x83\x86\xc0\xbf\xbe");
        assert_eq!(block(1), b"\x83\x86\x44\x08/p.S/Two\xc0\xbf");
        assert_eq!(block(0), b"\x83\x86\xc1\xc0\xbf");
        assert_eq!(block(1), b"\x83\x86\xbe\xc0\xbf");
    }

    #[test]
    fn a_server_without_a_table_gets_literals() {
        let (fields, mut out) = (fields(), Vec::new());
        let mut encoder = Encoder::new(&fields);
        encoder.limit_table(&fields, 0);
        encoder.write(&fields, 0, &mut out);
        let literals = b"\x83\x86\x04\x08/p.S/One\x01\x03h:1\x00\x02te\x08trailers";
        assert_eq!(out, [b"\x20".as_slice(), literals].concat());
        out.clear();
        encoder.write(&fields, 0, &mut out);
        assert_eq!(out, literals);
    }
}
