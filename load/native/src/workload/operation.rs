//! An operation, compiled: its templates, its place in the protocol and its effect.

use crate::message::{Descriptors, Encoder, compile};
use crate::plan::{self, PlanError, Protocol, Segment};
use crate::template::{Slot, SlotTable, Template};

/// One operation of the workload.
#[derive(Debug)]
pub struct Operation {
    pub name: String,
    pub key: Option<usize>,
    pub creates: Option<usize>,
    pub needs: Option<usize>,
    pub variants: Vec<Variant>,
    pub effect: Option<Effect>,
}

/// One template of an operation's message, and the path that it goes to.
#[derive(Debug)]
pub struct Variant {
    pub slots: SlotTable,
    pub json: Template,
    /// For gRPC.
    pub encoder: Option<Encoder>,
    /// For HTTP.
    pub path: Template,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    Merge,
    Put,
    Delete,
}

/// What an acknowledged operation does to the stored state.
#[derive(Debug)]
pub struct Effect {
    pub kind: EffectKind,
    /// JSON pointer into the message.
    pub document: String,
    pub key: Vec<Template>,
    pub slots: SlotTable,
}

impl Operation {
    pub(super) fn compile(
        operation: &plan::Operation,
        protocol: Option<Protocol>,
        kinds: &[String],
        descriptors: Option<&Descriptors>,
    ) -> Result<Self, PlanError> {
        let path = request_path(operation, protocol)?;
        let message = match (descriptors, &operation.grpc) {
            (Some(descriptors), Some(call)) => Some(descriptors.method(&call.method)?.input()),
            _ => None,
        };
        let variants = operation.variants.iter().map(|segments| {
            let mut slots = SlotTable::default();
            let json = Template::compile(segments, &mut slots)?;
            let encoder = message.as_ref().map(|message| compile(&json, &slots, message)).transpose()?;
            let path = Template::compile(path, &mut slots)?;
            Ok(Variant { slots, json, encoder, path })
        });
        let kind_index = |name: &Option<String>| kinds.iter().position(|kind| Some(kind) == name.as_ref());
        Ok(Self {
            name: operation.name.clone(),
            key: operation.key,
            creates: kind_index(&operation.creates),
            needs: kind_index(&operation.needs),
            variants: variants.collect::<Result<_, PlanError>>().map_err(|error| named(operation, &error))?,
            effect: operation.effect.as_ref().map(Effect::compile).transpose()?,
        })
    }
}

fn named(operation: &plan::Operation, error: &PlanError) -> PlanError {
    PlanError::rule(format!("operation {}: {error}", operation.name))
}

/// The path's slots draw after the message's; without a protocol nothing is sent, and there is no path.
fn request_path(operation: &plan::Operation, protocol: Option<Protocol>) -> Result<&[Segment], PlanError> {
    match (protocol, &operation.http, &operation.grpc) {
        (None, _, _) | (Some(Protocol::Grpc), _, Some(_)) => Ok(&[]),
        (Some(Protocol::Http), Some(call), _) => Ok(&call.path),
        (Some(protocol), _, _) => {
            Err(PlanError::rule(format!("operation {}: not offered over {}", operation.name, protocol.name())))
        }
    }
}

impl Effect {
    fn compile(effect: &plan::Effect) -> Result<Self, PlanError> {
        let (kind, document, key) = match effect {
            plan::Effect::Merge { document, key } => (EffectKind::Merge, document.clone(), key),
            plan::Effect::Put { document, key } => (EffectKind::Put, document.clone(), key),
            plan::Effect::Delete { key } => (EffectKind::Delete, String::new(), key),
        };
        let mut slots = SlotTable::default();
        let key = key.iter().map(|part| Template::compile(part, &mut slots)).collect::<Result<_, _>>()?;
        refuse_draws(&slots, "effect: a key")?;
        Ok(Self { kind, document, key, slots })
    }
}

/// Keys are derived, never drawn: an audit must find them again.
pub(super) fn refuse_draws(slots: &SlotTable, what: &str) -> Result<(), PlanError> {
    let draws = |slot: &Slot| {
        !matches!(slot, Slot::Timestamp | Slot::User | Slot::Sequence | Slot::Run | Slot::Key | Slot::Captured(_))
    };
    if slots.slots().iter().any(draws) {
        return Err(PlanError::rule(format!("{what} takes key, user, sequence, run and captured alone")));
    }
    Ok(())
}
