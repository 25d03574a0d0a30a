//! An operation, compiled: its templates, its place in the protocol and its effect.

use std::collections::BTreeMap;

use super::bodies;
use crate::audit::json::StoredPart;
use crate::message::{Descriptors, Encoder, compile};
use crate::plan::{self, BodyEncoding, EntityPick, PlanError, Protocol, Segment};
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
    /// Texts that a reply must hold, in the order of the plan's pointers.
    pub reply_texts: Texts,
    /// Captured values that are texts of what is sent.
    pub sent: SentTexts,
    /// The key of the stored document that a reply shows.
    pub reads: Option<Texts>,
    pub is_login: bool,
    /// Which of the needed entities it uses.
    pub pick: Option<EntityPick>,
    /// The pause after its reply, where it is not the plan's.
    pub think_ns: Option<u64>,
    /// Over HTTP: how its message becomes a body, where it is not the body itself.
    pub body: Option<BodyEncoding>,
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
    /// For HTTP: whole lines.
    pub headers: Template,
    /// For gRPC: names and values.
    pub metadata: Vec<(Box<str>, Template)>,
}

/// Texts that are derived, never drawn: they can be rendered again.
#[derive(Debug, Default)]
pub struct Texts {
    pub templates: Vec<Template>,
    pub slots: SlotTable,
}

/// Texts of what is sent, each with the name that it is captured as.
#[derive(Debug, Default)]
pub struct SentTexts {
    pub names: Vec<Box<str>>,
    pub texts: Texts,
}

impl SentTexts {
    fn compile(captures: &BTreeMap<String, Vec<Segment>>) -> Result<Self, PlanError> {
        let names = captures.keys().map(|name| name.as_str().into()).collect();
        Ok(Self { names, texts: Texts::compile(captures.values(), "capture: a value that was sent")? })
    }
}

impl Texts {
    pub(super) fn compile<'a>(
        texts: impl IntoIterator<Item = &'a Vec<Segment>>,
        what: &str,
    ) -> Result<Self, PlanError> {
        let mut slots = SlotTable::default();
        let compile = |text: &Vec<Segment>| Template::compile(text, &mut slots);
        let templates = texts.into_iter().map(compile).collect::<Result<_, _>>()?;
        refuse_draws(&slots, what)?;
        Ok(Self { templates, slots })
    }

    /// Whether values of the message's named slots are among them.
    #[must_use]
    pub fn take_values(&self) -> bool {
        self.slots.foreign_values().next().is_some()
    }

    /// Refuses a value that a variant does not have.
    fn check_values(&self, tables: &[&SlotTable], what: &str) -> Result<(), PlanError> {
        let is_unknown =
            |name: &&str| tables.iter().any(|table| !table.names().iter().any(|(known, _)| **known == **name));
        match self.slots.foreign_values().find(is_unknown) {
            Some(name) => Err(PlanError::rule(format!("{what}: no slot is named {name}"))),
            None => Ok(()),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EffectKind {
    Merge,
    Put,
    Delete,
}

/// The effect of an acknowledged operation on the stored state.
#[derive(Debug)]
pub struct Effect {
    pub kind: EffectKind,
    pub document: StoredPart,
    pub key: Texts,
}

impl Operation {
    /// Whether all users send the same before they have logged in.
    #[must_use]
    pub fn is_same_for_all(&self) -> bool {
        let is_same = |slot: &Slot| matches!(slot, Slot::Run | Slot::Login(_));
        matches!(&self.variants[..], [only] if only.slots.slots().iter().all(is_same))
    }

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
        // Where nothing is sent, headers are not needed either.
        let headers = if protocol == Some(Protocol::Http) { header_lines(operation) } else { Vec::new() };
        let body = operation.body.filter(|_| protocol == Some(Protocol::Http));
        let effect = operation.effect.as_ref().map(Effect::compile).transpose()?;
        let variants = operation.variants.iter().map(|segments| {
            let mut slots = SlotTable::default();
            let json = Template::compile(segments, &mut slots)?;
            let encoder = message.as_ref().map(|message| compile(&json, &slots, message)).transpose()?;
            if let Some(effect) = &effect {
                effect.key.check_values(&[&slots], "effect: a key")?;
            }
            if slots.slots().iter().any(|slot| matches!(slot, Slot::Login(_))) {
                return Err(PlanError::rule("login values are for headers and paths, not for messages"));
            }
            if let Some(encoding) = body {
                bodies::check(encoding, &json, &slots)?;
            }
            let path = Template::compile(path, &mut slots)?;
            let headers = Template::compile(&headers, &mut slots)?;
            let is_grpc = protocol == Some(Protocol::Grpc);
            let metadata = if is_grpc { metadata(operation, &mut slots)? } else { Vec::new() };
            if let Some(name) = slots.foreign_values().next() {
                return Err(PlanError::rule(format!("no slot before it is named {name}")));
            }
            Ok(Variant { slots, json, encoder, path, headers, metadata })
        });
        let reply_texts = match (protocol, &operation.http, &operation.grpc) {
            (Some(Protocol::Http), Some(call), _) => reply_texts(&call.reply_templates, call.list.as_ref())?,
            (Some(Protocol::Grpc), _, Some(call)) => reply_texts(&call.reply_templates, call.list.as_ref())?,
            _ => Texts::default(),
        };
        let sent = match (protocol, &operation.http, &operation.grpc) {
            (Some(Protocol::Http), Some(call), _) => SentTexts::compile(&call.capture_templates),
            (Some(Protocol::Grpc), _, Some(call)) => SentTexts::compile(&call.capture_templates),
            _ => Ok(SentTexts::default()),
        };
        let sent = sent.map_err(|error| named(operation, &error))?;
        let reads = operation.reads.as_ref().map(|reads| Texts::compile(&reads.key, "reads: a key"));
        let variants =
            variants.collect::<Result<Vec<Variant>, PlanError>>().map_err(|error| named(operation, &error))?;
        let reads = reads.transpose()?;
        if protocol.is_some() {
            let tables: Vec<_> = variants.iter().map(|variant| &variant.slots).collect();
            reply_texts.check_values(&tables, "reply").map_err(|error| named(operation, &error))?;
            sent.texts.check_values(&tables, "capture").map_err(|error| named(operation, &error))?;
            reads.iter().try_for_each(|key| key.check_values(&tables, "reads: a key"))?;
        }
        let kind_index = |name: &Option<String>| kinds.iter().position(|kind| Some(kind) == name.as_ref());
        Ok(Self {
            name: operation.name.clone(),
            key: operation.key,
            creates: kind_index(&operation.creates),
            needs: kind_index(&operation.needs),
            variants,
            effect,
            reply_texts,
            sent,
            reads,
            is_login: operation.login,
            pick: operation.pick,
            think_ns: operation.think_time_ms.map(|ms| (ms * 1e6) as u64),
            body,
        })
    }
}

/// Texts that a reply must hold, and after them the most items of its list.
fn reply_texts(values: &BTreeMap<String, Vec<Segment>>, list: Option<&plan::ListCheck>) -> Result<Texts, PlanError> {
    let most = list.and_then(|list| list.most.as_ref());
    Texts::compile(values.values().chain(most), "reply: a value")
}

fn named(operation: &plan::Operation, error: &PlanError) -> PlanError {
    PlanError::rule(format!("operation {}: {error}", operation.name))
}

/// The lines of headers with slots, over HTTP.
fn header_lines(operation: &plan::Operation) -> Vec<Segment> {
    let mut lines = Vec::new();
    for (name, value) in operation.http.iter().flat_map(|call| &call.header_templates) {
        lines.push(Segment::Literal(format!("{name}: ")));
        lines.extend(value.iter().cloned());
        lines.push(Segment::Literal("\r\n".to_owned()));
    }
    lines
}

fn metadata(operation: &plan::Operation, slots: &mut SlotTable) -> Result<Vec<(Box<str>, Template)>, PlanError> {
    let templates = operation.grpc.iter().flat_map(|call| &call.metadata_templates);
    templates.map(|(name, value)| Ok((name.as_str().into(), Template::compile(value, slots)?))).collect()
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
            plan::Effect::Merge(write) => (EffectKind::Merge, StoredPart::of(write), &write.key),
            plan::Effect::Put(write) => (EffectKind::Put, StoredPart::of(write), &write.key),
            plan::Effect::Delete { key } => (EffectKind::Delete, StoredPart::default(), key),
        };
        Ok(Self { kind, document, key: Texts::compile(key, "effect: a key")? })
    }
}

/// Keys are derived, never drawn: an audit must find them again.
pub(super) fn refuse_draws(slots: &SlotTable, what: &str) -> Result<(), PlanError> {
    let draws = |slot: &Slot| {
        let is_derived = matches!(slot, Slot::Timestamp | Slot::User | Slot::Sequence(_) | Slot::Run | Slot::Key);
        !is_derived && !matches!(slot, Slot::Captured(_) | Slot::Value(_))
    };
    if slots.slots().iter().any(draws) {
        return Err(PlanError::rule(format!("{what} takes key, user, sequence, run, captured and value alone")));
    }
    Ok(())
}
