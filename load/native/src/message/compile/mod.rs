//! Compiles a JSON template and a message descriptor to a protobuf encoder.

mod any_value;

use prost::Message as _;
use prost_reflect::{DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};
use serde_json::{Map, Value};

use crate::message::encoder::{Encoder, Measure, NumberKind, NumberSource, Step, Varying};
use crate::message::tree::{Node, Piece, literal, parse, unescape};
use crate::message::varint::write_varint;
use crate::plan::PlanError;
use crate::template::{Slot, SlotTable, Template};

/// Compiles a message template for a message type. An empty template is an empty message.
///
/// # Errors
/// The template is not JSON, does not match the type, or has a slot where none is allowed.
pub fn compile(template: &Template, slots: &SlotTable, message: &MessageDescriptor) -> Result<Encoder, PlanError> {
    let mut compiler = Compiler { slots: slots.slots(), fields: Vec::new() };
    if !template.is_empty() {
        let tree = parse(template)?;
        compiler.message(&tree, message)?;
    }
    let mut encoder = Encoder { pad: template.pad().unwrap_or_default().to_vec(), ..Encoder::default() };
    let measure = flatten(&compiler.fields, &mut encoder);
    encoder.measures.push(measure);
    Ok(encoder)
}

const VARINT: u64 = 0;
const SIXTY_FOUR_BIT: u64 = 1;
pub(super) const LENGTH_DELIMITED: u64 = 2;
const GROUP_START: u64 = 3;
const GROUP_END: u64 = 4;
const THIRTY_TWO_BIT: u64 = 5;

/// Messages that JSON writes as the value in them.
const WRAPPERS: [&str; 9] = ["Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes"];

/// An encoding before its lengths are known.
#[derive(Debug)]
enum Emission {
    Literal(Vec<u8>),
    Vary(Varying),
    Nested(Vec<Emission>),
}

struct Compiler<'a> {
    slots: &'a [Slot],
    fields: Vec<Emission>,
}

type Compiled = Result<(), PlanError>;

impl Compiler<'_> {
    fn literal(&mut self, bytes: &[u8]) {
        match self.fields.last_mut() {
            Some(Emission::Literal(known)) => known.extend_from_slice(bytes),
            _ => self.fields.push(Emission::Literal(bytes.to_vec())),
        }
    }

    fn tag(&mut self, tag: u64) {
        let mut bytes = Vec::new();
        write_varint(tag, &mut bytes);
        self.literal(&bytes);
    }

    /// The output of `build`, with its length before it.
    fn nested(&mut self, build: impl FnOnce(&mut Self) -> Compiled) -> Compiled {
        let outer = std::mem::take(&mut self.fields);
        let built = build(self);
        let inner = std::mem::replace(&mut self.fields, outer);
        built?;
        match inner.as_slice() {
            [] => self.literal(&[0]),
            [Emission::Literal(bytes)] => {
                let mut framed = Vec::new();
                write_varint(bytes.len() as u64, &mut framed);
                framed.extend_from_slice(bytes);
                self.literal(&framed);
            }
            _ => self.fields.push(Emission::Nested(inner)),
        }
        Ok(())
    }

    fn message(&mut self, node: &Node, message: &MessageDescriptor) -> Compiled {
        match (message.full_name(), node) {
            ("google.protobuf.Value", node) => self.value(node),
            ("google.protobuf.Struct", Node::Object(members)) => self.struct_fields(members),
            ("google.protobuf.ListValue", Node::Array(items)) => self.list_items(items),
            ("google.protobuf.Timestamp", Node::String(pieces)) => self.instant(pieces),
            (name, Node::String(_) | Node::Scalar(_)) if is_wrapper(name) => match message.get_field(1) {
                Some(value) => self.single(node, &value),
                None => Err(PlanError::rule(format!("message: {name} has no value"))),
            },
            (_, Node::Object(members)) => members.iter().try_for_each(|(name, value)| {
                let name = literal(name).ok_or_else(|| PlanError::rule("message: a field's name cannot be a slot"))?;
                let field = field_named(message, &name)
                    .ok_or_else(|| PlanError::rule(format!("message: {} has no field {name}", message.full_name())))?;
                self.field(value, &field)
            }),
            (name, _) => Err(PlanError::rule(format!("message: {name} must be an object without slots in its place"))),
        }
    }

    fn field(&mut self, node: &Node, field: &FieldDescriptor) -> Compiled {
        if let Some(value) = node.as_json() {
            let bytes = encode_static(field, value)?;
            self.literal(&bytes);
            return Ok(());
        }
        match (node, field.kind()) {
            (Node::Object(members), Kind::Message(entry)) if field.is_map() => {
                members.iter().try_for_each(|(name, value)| self.map_entry(field, &entry, name, value))
            }
            (Node::Array(items), _) if field.is_list() => items.iter().try_for_each(|item| self.single(item, field)),
            (_, _) if field.is_list() || field.is_map() => Err(mismatch(field)),
            _ => self.single(node, field),
        }
    }

    fn map_entry(
        &mut self,
        field: &FieldDescriptor,
        entry: &MessageDescriptor,
        name: &[Piece],
        value: &Node,
    ) -> Compiled {
        let key = entry.map_entry_key_field();
        self.tag(tag(field, LENGTH_DELIMITED));
        self.nested(|entry_fields| {
            if key.kind() == Kind::String {
                entry_fields.tag(tag(&key, LENGTH_DELIMITED));
                entry_fields.text(name)?;
            } else {
                let known = literal(name).and_then(|name| serde_json::from_str(&name).ok());
                entry_fields.literal(&encode_static(&key, known.ok_or_else(|| mismatch(field))?)?);
            }
            entry_fields.single(value, &entry.map_entry_value_field())
        })
    }

    /// One value of a field, or one element of a repeated field.
    fn single(&mut self, node: &Node, field: &FieldDescriptor) -> Compiled {
        if let (Some(value), false) = (node.as_json(), is_any_value(field)) {
            let bytes = encode_one(field, value)?;
            self.literal(&bytes);
            return Ok(());
        }
        match (node, field.kind()) {
            // JSON has a text for some messages, such as a duration.
            (Node::String(pieces), Kind::Message(_)) if !is_any_value(field) && self.is_choice(pieces) => {
                self.scalar(pieces, node, field)
            }
            (_, Kind::Message(message)) if field.is_group() => {
                self.tag(tag(field, GROUP_START));
                self.message(node, &message)?;
                self.tag(tag(field, GROUP_END));
                Ok(())
            }
            (_, Kind::Message(message)) => {
                self.tag(tag(field, LENGTH_DELIMITED));
                self.nested(|inner| inner.message(node, &message))
            }
            (Node::String(pieces), Kind::String) => {
                self.tag(tag(field, LENGTH_DELIMITED));
                self.text(pieces)
            }
            (Node::Scalar(pieces) | Node::String(pieces), _) => self.scalar(pieces, node, field),
            _ => Err(mismatch(field)),
        }
    }

    fn scalar(&mut self, pieces: &[Piece], node: &Node, field: &FieldDescriptor) -> Compiled {
        let [Piece::Slot(slot)] = pieces else {
            return Err(mismatch(field));
        };
        if let Slot::Choice(choices) = &self.slots[*slot] {
            let encoded = choices
                .iter()
                .map(|choice| Ok(encode_one(field, choice_value(choice, node)?)?.into()))
                .collect::<Result<Vec<_>, PlanError>>()?;
            self.fields.push(Emission::Vary(Varying::Choice(*slot, encoded)));
            return Ok(());
        }
        if let (Slot::Captured(_), Kind::Bytes) = (&self.slots[*slot], field.kind()) {
            self.tag(tag(field, LENGTH_DELIMITED));
            return self.nested(|inner| {
                inner.fields.push(Emission::Vary(Varying::Bytes(*slot)));
                Ok(())
            });
        }
        let (kind, wire_type) = number_kind(&field.kind()).ok_or_else(|| mismatch(field))?;
        let source = self.number_source(*slot).ok_or_else(|| mismatch(field))?;
        let whole = !matches!(kind, NumberKind::Double | NumberKind::Float);
        if whole && matches!(source, NumberSource::Scaled(_, scale) if scale > 0) {
            return Err(PlanError::rule(format!("message: {} takes whole numbers", field.full_name())));
        }
        self.tag(tag(field, wire_type));
        self.fields.push(Emission::Vary(Varying::Number(source, kind)));
        Ok(())
    }

    fn is_choice(&self, pieces: &[Piece]) -> bool {
        matches!(pieces, [Piece::Slot(slot)] if matches!(self.slots[*slot], Slot::Choice(_)))
    }

    fn number_source(&self, slot: usize) -> Option<NumberSource> {
        match &self.slots[slot] {
            Slot::Integer { .. } | Slot::User | Slot::Sequence(_) => Some(NumberSource::Scaled(slot, 0)),
            Slot::Decimal { scale, .. } => Some(NumberSource::Scaled(slot, *scale)),
            Slot::Captured(_) => Some(NumberSource::Parsed(slot)),
            _ => None,
        }
    }

    /// A string of pieces, with its length before it.
    fn text(&mut self, pieces: &[Piece]) -> Compiled {
        self.nested(|inner| {
            for piece in pieces {
                match piece {
                    Piece::Literal(text) => inner.literal(text.as_bytes()),
                    Piece::Pad => inner.fields.push(Emission::Vary(Varying::Pad)),
                    Piece::Slot(slot) => inner.text_slot(*slot)?,
                }
            }
            Ok(())
        })
    }

    fn text_slot(&mut self, slot: usize) -> Compiled {
        let varying = match &self.slots[slot] {
            // Choices are written as JSON text; protobuf carries their values.
            Slot::Choice(choices) if choices.iter().any(|choice| choice.contains(&b'\\')) => {
                let texts = choices.iter().map(|choice| Some(unescape(choice)?.into_bytes().into()));
                let texts = texts.collect::<Option<Vec<_>>>();
                Varying::Choice(slot, texts.ok_or_else(|| PlanError::rule("slot choice: not valid JSON text"))?)
            }
            _ => Varying::Text(slot),
        };
        self.fields.push(Emission::Vary(varying));
        Ok(())
    }

    fn instant(&mut self, pieces: &[Piece]) -> Compiled {
        match pieces {
            [Piece::Slot(slot)] if self.slots[*slot] == Slot::Timestamp => {
                self.fields.push(Emission::Vary(Varying::Instant(*slot)));
                Ok(())
            }
            _ => Err(PlanError::rule("message: a Timestamp field takes the slot ${timestamp} only")),
        }
    }
}

/// Moves emissions into the encoder; returns the parts of their length.
fn flatten(emissions: &[Emission], encoder: &mut Encoder) -> Measure {
    let mut measure = Measure::default();
    for emission in emissions {
        match emission {
            Emission::Literal(bytes) => {
                measure.fixed += bytes.len();
                let start = encoder.bytes.len();
                encoder.bytes.extend_from_slice(bytes);
                encoder.steps.push(Step::Literal(start..encoder.bytes.len()));
            }
            Emission::Vary(varying) => {
                measure.varying.push(varying.clone());
                encoder.steps.push(Step::Vary(varying.clone()));
            }
            Emission::Nested(inner) => {
                // The length precedes its content but is numbered after it: parts come before the whole.
                let place = encoder.steps.len();
                encoder.steps.push(Step::Length(0));
                let inner = flatten(inner, encoder);
                encoder.measures.push(inner);
                let index = encoder.measures.len() - 1;
                encoder.steps[place] = Step::Length(index);
                measure.nested.push(index);
            }
        }
    }
    measure
}

pub(super) fn field_named(message: &MessageDescriptor, name: &str) -> Option<FieldDescriptor> {
    message.get_field_by_json_name(name).or_else(|| message.get_field_by_name(name))
}

pub(super) fn tag(field: &FieldDescriptor, wire_type: u64) -> u64 {
    u64::from(field.number()) << 3 | wire_type
}

fn is_any_value(field: &FieldDescriptor) -> bool {
    matches!(field.kind(), Kind::Message(message) if message.full_name() == "google.protobuf.Value")
}

fn is_wrapper(message: &str) -> bool {
    let kind = message.strip_prefix("google.protobuf.").and_then(|name| name.strip_suffix("Value"));
    kind.is_some_and(|kind| WRAPPERS.contains(&kind))
}

fn mismatch(field: &FieldDescriptor) -> PlanError {
    PlanError::rule(format!("message: the value of {} does not fit the field's type", field.full_name()))
}

/// A field without slots, encoded once by reflection.
fn encode_static(field: &FieldDescriptor, value: Value) -> Result<Vec<u8>, PlanError> {
    let parent = field.parent_message();
    // The JSON of a wrapper is its value alone.
    let is_alone = is_wrapper(parent.full_name());
    let name = field.json_name().to_owned();
    let json = if is_alone { value } else { Value::Object(Map::from_iter([(name, value)])) };
    DynamicMessage::deserialize(parent.clone(), json)
        .map(|message| message.encode_to_vec())
        .map_err(|error| PlanError::rule(format!("message: {}: {error}", field.full_name())))
}

/// One value of a field, or one element of a repeated field.
fn encode_one(field: &FieldDescriptor, value: Value) -> Result<Vec<u8>, PlanError> {
    encode_static(field, if field.is_list() { Value::Array(vec![value]) } else { value })
}

/// The value of a choice as a scalar, or inside quotes.
fn choice_value(choice: &[u8], node: &Node) -> Result<Value, PlanError> {
    let value = match node {
        Node::String(_) => unescape(choice).map(Value::String),
        _ => serde_json::from_slice(choice).ok(),
    };
    value.ok_or_else(|| PlanError::rule("slot choice: not valid JSON"))
}

fn number_kind(kind: &Kind) -> Option<(NumberKind, u64)> {
    Some(match kind {
        Kind::Double => (NumberKind::Double, SIXTY_FOUR_BIT),
        Kind::Float => (NumberKind::Float, THIRTY_TWO_BIT),
        Kind::Int32 | Kind::Int64 | Kind::Uint32 | Kind::Uint64 => (NumberKind::Varint, VARINT),
        Kind::Sint32 | Kind::Sint64 => (NumberKind::ZigZag, VARINT),
        Kind::Fixed32 | Kind::Sfixed32 => (NumberKind::Fixed32, THIRTY_TWO_BIT),
        Kind::Fixed64 | Kind::Sfixed64 => (NumberKind::Fixed64, SIXTY_FOUR_BIT),
        _ => return None,
    })
}
