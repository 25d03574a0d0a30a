//! A protobuf message as a flat program: literal bytes, slots and the lengths of what varies.

use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::varint::{varint_length, write_varint};
use crate::template::Values;

/// One step of an encoder; ranges and tables point into the encoder.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    Literal(Range<usize>),
    /// Length of a nested message or string, by its number.
    Length(usize),
    Vary(Varying),
}

/// A piece whose bytes differ from event to event.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Varying {
    Text(usize),
    /// The bytes of a slot's base64.
    Bytes(usize),
    /// One of several encodings, by the index that the slot chose.
    Choice(usize, Vec<Box<[u8]>>),
    Number(NumberSource, NumberKind),
    /// A `google.protobuf.Timestamp` of the slot's instant.
    Instant(usize),
    Pad,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberSource {
    /// A slot's number in units of its last place.
    Scaled(usize, u32),
    /// A slot's text, read as a number.
    Parsed(usize),
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum NumberKind {
    Double,
    Float,
    Varint,
    ZigZag,
    Fixed32,
    Fixed64,
}

/// The parts of a nested length; parts come before the whole.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Measure {
    pub fixed: usize,
    pub varying: Vec<Varying>,
    pub nested: Vec<usize>,
}

/// Buffers that rendering reuses.
#[derive(Debug, Default)]
pub struct Scratch {
    lengths: Vec<usize>,
}

/// A message template compiled for protobuf.
#[derive(Debug, Clone, Default)]
pub struct Encoder {
    pub(super) bytes: Vec<u8>,
    pub(super) steps: Vec<Step>,
    pub(super) measures: Vec<Measure>,
    /// The text that the padding is cut from.
    pub(super) pad: Vec<u8>,
}

impl Encoder {
    /// Appends the message and returns its length; `pad_length` bytes of padding are in it.
    pub fn render(&self, values: &Values, pad_length: usize, scratch: &mut Scratch, out: &mut Vec<u8>) {
        self.measure(values, pad_length, scratch);
        self.write(values, pad_length, scratch, out);
    }

    /// Appends the message as an element of a repeated field with this tag.
    pub fn render_nested(
        &self,
        tag: u64,
        values: &Values,
        pad_length: usize,
        scratch: &mut Scratch,
        out: &mut Vec<u8>,
    ) {
        let length = self.measure(values, pad_length, scratch);
        write_varint(tag, out);
        write_varint(length as u64, out);
        self.write(values, pad_length, scratch, out);
    }

    /// Lengths of all that is nested; the last is the whole message's.
    fn measure(&self, values: &Values, pad_length: usize, scratch: &mut Scratch) -> usize {
        scratch.lengths.clear();
        for measure in &self.measures {
            let varying: usize = measure.varying.iter().map(|piece| varying_length(piece, values, pad_length)).sum();
            let nested: usize = measure.nested.iter().map(|index| framed(scratch.lengths[*index])).sum();
            scratch.lengths.push(measure.fixed + varying + nested);
        }
        scratch.lengths.last().copied().unwrap_or(0)
    }

    fn write(&self, values: &Values, pad_length: usize, scratch: &Scratch, out: &mut Vec<u8>) {
        for step in &self.steps {
            match step {
                Step::Literal(range) => out.extend_from_slice(&self.bytes[range.clone()]),
                Step::Length(index) => write_varint(scratch.lengths[*index] as u64, out),
                Step::Vary(Varying::Text(slot)) => out.extend_from_slice(values.text(*slot)),
                Step::Vary(Varying::Bytes(slot)) => out.extend_from_slice(&bytes_of(values.text(*slot))),
                Step::Vary(Varying::Choice(slot, choices)) => {
                    out.extend_from_slice(&choices[values.number(*slot) as usize]);
                }
                Step::Vary(Varying::Number(source, kind)) => write_number(*source, *kind, values, out),
                Step::Vary(Varying::Instant(slot)) => write_instant(values.number(*slot), out),
                Step::Vary(Varying::Pad) => out.extend_from_slice(&self.pad[..pad_length.min(self.pad.len())]),
            }
        }
    }
}

/// None where the text is no base64: what a reply held was written by protobuf's JSON mapping.
fn bytes_of(base64: &[u8]) -> Vec<u8> {
    STANDARD.decode(base64).unwrap_or_default()
}

fn framed(length: usize) -> usize {
    length + varint_length(length as u64)
}

fn varying_length(piece: &Varying, values: &Values, pad_length: usize) -> usize {
    match piece {
        Varying::Text(slot) => values.length(*slot),
        Varying::Bytes(slot) => bytes_of(values.text(*slot)).len(),
        Varying::Choice(slot, choices) => choices[values.number(*slot) as usize].len(),
        Varying::Number(_, NumberKind::Double | NumberKind::Fixed64) => 8,
        Varying::Number(_, NumberKind::Float | NumberKind::Fixed32) => 4,
        Varying::Number(source, NumberKind::Varint) => varint_length(whole(*source, values) as u64),
        Varying::Number(source, NumberKind::ZigZag) => varint_length(zigzag(whole(*source, values))),
        Varying::Instant(slot) => {
            let (seconds, nanos) = seconds_and_nanos(values.number(*slot));
            2 + varint_length(seconds as u64) + varint_length(nanos)
        }
        Varying::Pad => pad_length,
    }
}

fn write_number(source: NumberSource, kind: NumberKind, values: &Values, out: &mut Vec<u8>) {
    match kind {
        NumberKind::Double => out.extend_from_slice(&real(source, values).to_le_bytes()),
        NumberKind::Float => out.extend_from_slice(&(real(source, values) as f32).to_le_bytes()),
        NumberKind::Varint => write_varint(whole(source, values) as u64, out),
        NumberKind::ZigZag => write_varint(zigzag(whole(source, values)), out),
        NumberKind::Fixed32 => out.extend_from_slice(&(whole(source, values) as u32).to_le_bytes()),
        NumberKind::Fixed64 => out.extend_from_slice(&whole(source, values).to_le_bytes()),
    }
}

/// Both operands are exact doubles, so that the quotient is the double nearest to the decimal.
fn real(source: NumberSource, values: &Values) -> f64 {
    match source {
        NumberSource::Scaled(slot, scale) => values.number(slot) as f64 / 10_f64.powi(scale as i32),
        NumberSource::Parsed(slot) => parsed(values.text(slot)).unwrap_or(f64::NAN),
    }
}

fn whole(source: NumberSource, values: &Values) -> i64 {
    match source {
        NumberSource::Scaled(slot, _) => values.number(slot),
        NumberSource::Parsed(slot) => parsed(values.text(slot)).unwrap_or_default(),
    }
}

fn parsed<T: std::str::FromStr>(text: &[u8]) -> Option<T> {
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn zigzag(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

fn seconds_and_nanos(epoch_ms: i64) -> (i64, u64) {
    (epoch_ms.div_euclid(1_000), epoch_ms.rem_euclid(1_000) as u64 * 1_000_000)
}

fn write_instant(epoch_ms: i64, out: &mut Vec<u8>) {
    let (seconds, nanos) = seconds_and_nanos(epoch_ms);
    out.push(0x08);
    write_varint(seconds as u64, out);
    out.push(0x10);
    write_varint(nanos, out);
}
