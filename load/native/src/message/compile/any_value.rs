//! `google.protobuf.Value`, `Struct` and `ListValue`: JSON inside protobuf.

use serde_json::Value;

use super::{Compiled, Compiler, Emission};
use crate::message::encoder::{NumberKind, Varying};
use crate::message::tree::{Node, Piece, literal};
use crate::plan::PlanError;
use crate::template::Slot;

impl Compiler<'_> {
    /// The fields of a `google.protobuf.Value`.
    pub(super) fn value(&mut self, node: &Node) -> Compiled {
        match node {
            Node::Object(members) => {
                self.literal(&[0x2a]);
                self.nested(|inner| inner.struct_fields(members))
            }
            Node::Array(items) => {
                self.literal(&[0x32]);
                self.nested(|inner| inner.list_items(items))
            }
            Node::String(pieces) => {
                self.literal(&[0x1a]);
                self.text(pieces)
            }
            Node::Scalar(pieces) => self.scalar_value(pieces),
        }
    }

    fn scalar_value(&mut self, pieces: &[Piece]) -> Compiled {
        if let Some(text) = literal(pieces) {
            let bytes = scalar_value_bytes(text.as_bytes())?;
            self.literal(&bytes);
            return Ok(());
        }
        let slot = match pieces {
            [Piece::Slot(slot)] => *slot,
            _ => {
                return Err(PlanError::rule("message: with gRPC a number is one literal or one slot"));
            }
        };
        if let Slot::Choice(choices) = &self.slots[slot] {
            let encoded = choices.iter().map(|choice| Ok(scalar_value_bytes(choice)?.into()));
            let encoded = encoded.collect::<Result<Vec<_>, PlanError>>()?;
            self.fields.push(Emission::Vary(Varying::Choice(slot, encoded)));
            return Ok(());
        }
        let source = self
            .number_source(slot)
            .ok_or_else(|| PlanError::rule("message: a slot outside quotes is not a number"))?;
        self.literal(&[0x11]);
        self.fields.push(Emission::Vary(Varying::Number(source, NumberKind::Double)));
        Ok(())
    }

    /// `map<string, Value> fields = 1` of a `google.protobuf.Struct`.
    pub(super) fn struct_fields(&mut self, members: &[(Vec<Piece>, Node)]) -> Compiled {
        members.iter().try_for_each(|(name, value)| {
            self.literal(&[0x0a]);
            self.nested(|entry| {
                entry.literal(&[0x0a]);
                entry.text(name)?;
                entry.literal(&[0x12]);
                entry.nested(|inner| inner.value(value))
            })
        })
    }

    /// `repeated Value values = 1` of a `google.protobuf.ListValue`.
    pub(super) fn list_items(&mut self, items: &[Node]) -> Compiled {
        items.iter().try_for_each(|item| {
            self.literal(&[0x0a]);
            self.nested(|inner| inner.value(item))
        })
    }
}

fn scalar_value_bytes(text: &[u8]) -> Result<Vec<u8>, PlanError> {
    Ok(match serde_json::from_slice(text).map_err(|_| PlanError::rule("message: a value is not valid JSON"))? {
        Value::Null => vec![0x08, 0],
        Value::Bool(value) => vec![0x20, u8::from(value)],
        Value::Number(number) => {
            let number = number.as_f64().ok_or_else(|| PlanError::rule("message: a number is out of range"))?;
            [&[0x11], number.to_le_bytes().as_slice()].concat()
        }
        _ => return Err(PlanError::rule("message: a scalar is expected here")),
    })
}
