//! A JSON template parsed to a tree whose strings and scalars may hold slots.

use crate::plan::PlanError;
use crate::template::{Part, Template};

/// A piece of a string or a scalar; literal text is already unescaped.
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    Literal(String),
    Slot(usize),
    Pad,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Object(Vec<(Vec<Piece>, Node)>),
    Array(Vec<Node>),
    String(Vec<Piece>),
    /// A number, true, false or null, or a slot that renders one.
    Scalar(Vec<Piece>),
}

impl Node {
    /// The value as JSON, when no slot is in it.
    pub fn as_json(&self) -> Option<serde_json::Value> {
        use serde_json::Value;
        match self {
            Self::Object(members) => members
                .iter()
                .map(|(name, value)| Some((literal(name)?, value.as_json()?)))
                .collect::<Option<serde_json::Map<_, _>>>()
                .map(Value::Object),
            Self::Array(items) => items.iter().map(Self::as_json).collect::<Option<Vec<_>>>().map(Value::Array),
            Self::String(pieces) => literal(pieces).map(Value::String),
            Self::Scalar(pieces) => serde_json::from_str(&literal(pieces)?).ok(),
        }
    }
}

/// The text of pieces that hold no slot.
pub fn literal(pieces: &[Piece]) -> Option<String> {
    pieces
        .iter()
        .map(|piece| match piece {
            Piece::Literal(text) => Some(text.as_str()),
            _ => None,
        })
        .collect()
}

/// Parses a template as JSON.
///
/// # Errors
/// It is not JSON once its slots have values.
pub fn parse(template: &Template) -> Result<Node, PlanError> {
    let mut parser = Parser { items: items(template), at: 0 };
    let node = parser.value(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(node),
        Some(_) => Err(parser.error("unexpected text after the message")),
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Item {
    Byte(u8),
    Slot(usize),
    Pad,
}

fn items(template: &Template) -> Vec<Item> {
    let mut items = Vec::new();
    for part in template.parts() {
        match part {
            Part::Literal(range) => items.extend(template.bytes(range).iter().map(|byte| Item::Byte(*byte))),
            Part::Slot(slot) => items.push(Item::Slot(*slot)),
            Part::Pad(_) => items.push(Item::Pad),
        }
    }
    items
}

const DEEPEST: usize = 128;

struct Parser {
    items: Vec<Item>,
    at: usize,
}

impl Parser {
    fn value(&mut self, depth: usize) -> Result<Node, PlanError> {
        if depth > DEEPEST {
            return Err(self.error("nested too deeply"));
        }
        self.skip_space();
        match self.peek() {
            Some(Item::Byte(b'{')) => self.object(depth),
            Some(Item::Byte(b'[')) => self.array(depth),
            Some(Item::Byte(b'"')) => Ok(Node::String(self.string()?)),
            Some(_) => self.scalar(),
            None => Err(self.error("a value is missing")),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Node, PlanError> {
        let mut members = Vec::new();
        self.at += 1;
        if self.take(b'}') {
            return Ok(Node::Object(members));
        }
        loop {
            self.skip_space();
            if self.peek() != Some(Item::Byte(b'"')) {
                return Err(self.error("a member's name is missing"));
            }
            let name = self.string()?;
            if !self.take(b':') {
                return Err(self.error("a colon is missing"));
            }
            members.push((name, self.value(depth + 1)?));
            if self.take(b'}') {
                return Ok(Node::Object(members));
            }
            if !self.take(b',') {
                return Err(self.error("a comma or } is missing"));
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Node, PlanError> {
        let mut values = Vec::new();
        self.at += 1;
        if self.take(b']') {
            return Ok(Node::Array(values));
        }
        loop {
            values.push(self.value(depth + 1)?);
            if self.take(b']') {
                return Ok(Node::Array(values));
            }
            if !self.take(b',') {
                return Err(self.error("a comma or ] is missing"));
            }
        }
    }

    /// Splits the raw text at slots and unescapes what lies between them.
    fn string(&mut self) -> Result<Vec<Piece>, PlanError> {
        self.at += 1;
        let mut pieces = Vec::new();
        let mut raw = Vec::new();
        loop {
            let item = self.peek().ok_or_else(|| self.error("a string is not closed"))?;
            self.at += 1;
            match item {
                Item::Byte(b'"') => break,
                Item::Byte(b'\\') => {
                    raw.push(b'\\');
                    if let Some(Item::Byte(escaped)) = self.peek() {
                        raw.push(escaped);
                        self.at += 1;
                    }
                }
                Item::Byte(byte) => raw.push(byte),
                Item::Slot(slot) => self.split(&mut pieces, &mut raw, Piece::Slot(slot))?,
                Item::Pad => self.split(&mut pieces, &mut raw, Piece::Pad)?,
            }
        }
        if !raw.is_empty() {
            pieces.push(Piece::Literal(self.unescape(&raw)?));
        }
        Ok(pieces)
    }

    fn split(&self, pieces: &mut Vec<Piece>, raw: &mut Vec<u8>, slot: Piece) -> Result<(), PlanError> {
        if !raw.is_empty() {
            pieces.push(Piece::Literal(self.unescape(raw)?));
            raw.clear();
        }
        pieces.push(slot);
        Ok(())
    }

    fn unescape(&self, raw: &[u8]) -> Result<String, PlanError> {
        unescape(raw).ok_or_else(|| self.error("a string is not valid JSON"))
    }

    fn scalar(&mut self) -> Result<Node, PlanError> {
        let mut pieces = Vec::new();
        let mut raw = Vec::new();
        while let Some(item) = self.peek() {
            match item {
                Item::Byte(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') => break,
                Item::Byte(byte) => raw.push(byte),
                Item::Slot(slot) => self.split(&mut pieces, &mut raw, Piece::Slot(slot))?,
                Item::Pad => return Err(self.error("the padding must be inside a string")),
            }
            self.at += 1;
        }
        if !raw.is_empty() {
            pieces.push(Piece::Literal(String::from_utf8_lossy(&raw).into_owned()));
        }
        let node = Node::Scalar(pieces);
        let is_json = node.as_json().is_some_and(|value| !value.is_object() && !value.is_array());
        let has_slot = matches!(&node, Node::Scalar(pieces) if literal(pieces).is_none());
        if is_json || has_slot { Ok(node) } else { Err(self.error("a value is not valid JSON")) }
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(Item::Byte(b' ' | b'\n' | b'\r' | b'\t'))) {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<Item> {
        self.items.get(self.at).copied()
    }

    fn take(&mut self, byte: u8) -> bool {
        self.skip_space();
        let found = self.peek() == Some(Item::Byte(byte));
        self.at += usize::from(found);
        found
    }

    fn error(&self, reason: &str) -> PlanError {
        PlanError::rule(format!("message: {reason} (at byte {})", self.at))
    }
}

/// The text inside a JSON string's quotes; none when it is invalid.
pub fn unescape(raw: &[u8]) -> Option<String> {
    let mut quoted = Vec::with_capacity(raw.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(raw);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).ok()
}
