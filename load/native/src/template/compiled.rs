//! A template compiled to byte segments and slots.

use std::ops::Range;

use super::slots::SlotTable;
use super::values::Values;
use crate::plan::{PlanError, Segment, SlotSegment};

/// One piece of a compiled template; ranges point into its bytes.
#[derive(Debug, Clone, PartialEq)]
pub enum Part {
    Literal(Range<usize>),
    Slot(usize),
    /// As much of the text as makes the message as long as it must be.
    Pad(Range<usize>),
}

/// A template that renders by copying.
#[derive(Debug, Clone, Default)]
pub struct Template {
    bytes: Vec<u8>,
    parts: Vec<Part>,
    literal_length: usize,
}

impl Template {
    /// Compiles a template; its slots join the table of the message that it belongs to.
    ///
    /// # Errors
    /// A slot makes no sense, or there is more than one pad.
    pub fn compile(segments: &[Segment], slots: &mut SlotTable) -> Result<Self, PlanError> {
        let mut template = Self::default();
        for segment in segments {
            let part = match segment {
                Segment::Literal(text) => {
                    template.literal_length += text.len();
                    Part::Literal(template.keep(text))
                }
                Segment::Slot(SlotSegment::Pad { text }) => {
                    if !text.is_ascii() || template.pad().is_some() {
                        return Err(PlanError::rule("slot pad: ASCII, and once in a message"));
                    }
                    Part::Pad(template.keep(text))
                }
                Segment::Slot(slot) => Part::Slot(slots.add(slot)?),
            };
            template.parts.push(part);
        }
        Ok(template)
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.bytes.len();
        self.bytes.extend_from_slice(text.as_bytes());
        start..self.bytes.len()
    }

    #[must_use]
    pub fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Whether it renders nothing.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The literal bytes of a part.
    #[must_use]
    pub fn bytes(&self, range: &Range<usize>) -> &[u8] {
        &self.bytes[range.clone()]
    }

    /// The text that a pad takes its bytes from.
    #[must_use]
    pub fn pad(&self) -> Option<&[u8]> {
        self.parts.iter().find_map(|part| match part {
            Part::Pad(range) => Some(self.bytes(range)),
            _ => None,
        })
    }

    /// Bytes of the pad that bring the message to `size`.
    #[must_use]
    pub fn pad_length(&self, values: &Values, size: Option<usize>) -> usize {
        let (Some(text), Some(size)) = (self.pad(), size) else {
            return 0;
        };
        let rest: usize = self
            .parts
            .iter()
            .map(|part| match part {
                Part::Slot(slot) => values.length(*slot),
                _ => 0,
            })
            .sum();
        size.saturating_sub(self.literal_length + rest).min(text.len())
    }

    /// Appends the rendered text.
    #[inline]
    pub fn render(&self, values: &Values, size: Option<usize>, out: &mut Vec<u8>) {
        for part in &self.parts {
            match part {
                Part::Literal(range) => out.extend_from_slice(&self.bytes[range.clone()]),
                Part::Slot(slot) => out.extend_from_slice(values.text(*slot)),
                Part::Pad(range) => {
                    let length = self.pad_length(values, size);
                    out.extend_from_slice(&self.bytes[range.start..range.start + length]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draws;
    use crate::template::{Context, parse_template};

    #[test]
    fn the_pad_brings_a_message_to_its_size() {
        let mut segments = parse_template(r#"{"a":"${alphanumeric 5}","n":""#).expect("template");
        segments.push(Segment::Slot(SlotSegment::Pad { text: "x".repeat(100) }));
        segments.extend(parse_template(r#"","k":"${key}"}"#).expect("template"));
        let mut slots = SlotTable::default();
        let template = Template::compile(&segments, &mut slots).expect("compiles");
        let context = Context {
            user: 0,
            sequence: 0,
            base_time_ms: 0,
            run: b"",
            key: b"some-key",
            captured: &[],
            login: &[],
            values: &[],
        };
        let mut values = Values::default();
        values.fill(slots.slots(), &context, &mut Draws::of_event(1, 0, 0));
        for (size, length) in [(None, 35), (Some(80), 80), (Some(10), 35), (Some(1_000), 135)] {
            let mut out = Vec::new();
            template.render(&values, size, &mut out);
            assert_eq!(out.len(), length, "{size:?}: {}", String::from_utf8_lossy(&out));
        }
    }

    #[test]
    fn two_pads_are_refused() {
        let pad = Segment::Slot(SlotSegment::Pad { text: String::new() });
        assert!(Template::compile(&[pad.clone(), pad], &mut SlotTable::default()).is_err());
    }
}
