//! Renders events, reusing its buffers from one to the next.

use std::sync::Arc;

use super::compiled::Workload;
use super::event::{Entity, Event, SHARED_USER, Wanted};
use super::operation::{Texts, Variant};
use super::user::UserState;
use crate::message::Scratch;
use crate::random::Draws;
use crate::template::{Context, Values};
use crate::wire::h2::hpack::write_literal;

/// Ends a part of a key; no UTF-8 text holds it.
pub const END_OF_PART: u8 = 0xff;

/// Renders one event at a time: `next` or `recall`, then its message and path.
#[derive(Debug)]
pub struct Renderer {
    workload: Arc<Workload>,
    values: Values,
    scratch: Scratch,
    key: Vec<u8>,
    operation: usize,
    variant: usize,
}

impl Renderer {
    #[must_use]
    pub fn new(workload: Arc<Workload>) -> Self {
        Self {
            workload,
            values: Values::default(),
            scratch: Scratch::default(),
            key: Vec::new(),
            operation: 0,
            variant: 0,
        }
    }

    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        &self.workload
    }

    /// Chooses and renders a user's event of this sequence.
    pub fn next(&mut self, user: u32, state: &UserState, sequence: u32) -> Event {
        self.next_wanted(user, state, sequence, Wanted::Drawn)
    }

    /// The same, of the operation that is wanted.
    pub fn next_wanted(&mut self, user: u32, state: &UserState, sequence: u32, wanted: Wanted) -> Event {
        let (event, variant, draws) = self.workload.choose(user, state, sequence, wanted);
        self.fill(user, &event, variant, draws, state.login());
        event
    }

    /// Renders an event that is known already.
    pub fn recall(&mut self, user: u32, event: &Event) {
        self.recall_logged_in(user, event, None);
    }

    /// The same, with the values of a login.
    pub fn recall_logged_in(&mut self, user: u32, event: &Event, login: Option<&Entity>) {
        let (variant, draws) = self.workload.recall(user, event);
        self.fill(user, event, variant, draws, login);
    }

    fn fill(&mut self, user: u32, event: &Event, variant: usize, mut draws: Draws, login: Option<&Entity>) {
        let workload = Arc::clone(&self.workload);
        self.operation = usize::from(event.operation);
        self.variant = variant;
        self.render_key(&workload, user, event);
        let captured = event.entity.as_ref().map_or(&[][..], |entity| &entity.captured);
        let login = login.map_or(&[][..], |login| &login.captured);
        let context = Context { login, ..context(&workload, user, event.sequence, &self.key, captured) };
        let slots = &workload.operations[self.operation].variants[variant].slots;
        self.values.fill(slots.slots(), &context, &mut draws);
    }

    fn render_key(&mut self, workload: &Workload, user: u32, event: &Event) {
        self.key.clear();
        let Some(kind) = workload.operations[self.operation].key else {
            return;
        };
        let kind = &workload.keys[kind];
        let user = if event.is_shared { SHARED_USER } else { user };
        let context = context(workload, user, event.key_sequence, &[], &[]);
        self.values.fill(kind.slots.slots(), &context, &mut Draws::of_event(0, 0, 0));
        kind.format.render(&self.values, None, &mut self.key);
    }

    fn variant(&self) -> &Variant {
        &self.workload.operations[self.operation].variants[self.variant]
    }

    /// Appends the message as JSON.
    pub fn json(&self, out: &mut Vec<u8>) {
        let variant = &self.workload.operations[self.operation].variants[self.variant];
        variant.json.render(&self.values, self.workload.size, out);
    }

    /// Appends the message as protobuf.
    pub fn protobuf(&mut self, out: &mut Vec<u8>) {
        let variant = &self.workload.operations[self.operation].variants[self.variant];
        let pad = variant.json.pad_length(&self.values, self.workload.size);
        if let Some(encoder) = &variant.encoder {
            encoder.render(&self.values, pad, &mut self.scratch, out);
        }
    }

    /// Appends the message as an element of a protobuf field with this tag.
    pub fn protobuf_element(&mut self, tag: u64, out: &mut Vec<u8>) {
        let variant = &self.workload.operations[self.operation].variants[self.variant];
        let pad = variant.json.pad_length(&self.values, self.workload.size);
        if let Some(encoder) = &variant.encoder {
            encoder.render_nested(tag, &self.values, pad, &mut self.scratch, out);
        }
    }

    /// Appends the path that the event goes to.
    pub fn path(&self, out: &mut Vec<u8>) {
        self.variant().path.render(&self.values, None, out);
    }

    /// Appends the headers with slots: lines for HTTP, header fields for gRPC.
    pub fn headers(&self, out: &mut Vec<u8>) {
        let variant = self.variant();
        variant.headers.render(&self.values, None, out);
        for (name, value) in &variant.metadata {
            let mut text = Vec::new();
            value.render(&self.values, None, &mut text);
            write_literal(name, &text, out);
        }
    }

    /// Appends the parts of the key of the operation's effect, each ended by `END_OF_PART`, whatever was rendered
    /// before; `own` is what the event's own reply captured. False without an effect.
    pub fn effect_key(&mut self, user: u32, event: &Event, own: Option<&Entity>, out: &mut Vec<u8>) -> bool {
        let workload = Arc::clone(&self.workload);
        let Some(effect) = &workload.operations[usize::from(event.operation)].effect else { return false };
        self.texts(user, event, own, &effect.key, out);
        true
    }

    /// Appends derived texts of an event, each ended by `END_OF_PART`, whatever was rendered before; `own` is what the
    /// event's own reply captured.
    pub fn texts(&mut self, user: u32, event: &Event, own: Option<&Entity>, texts: &Texts, out: &mut Vec<u8>) {
        let workload = Arc::clone(&self.workload);
        let values = if texts.take_values() { self.named_values(user, event) } else { Vec::new() };
        self.operation = usize::from(event.operation);
        self.render_key(&workload, user, event);
        let needed = event.entity.as_ref().map_or(&[][..], |entity| &entity.captured);
        let both: Vec<(Box<str>, Box<str>)>;
        let captured = match own {
            None => needed,
            Some(own) => {
                both = own.captured.iter().chain(needed).cloned().collect();
                &both
            }
        };
        let context = Context { values: &values, ..context(&workload, user, event.sequence, &self.key, captured) };
        self.values.fill(texts.slots.slots(), &context, &mut Draws::of_event(0, 0, 0));
        for text in &texts.templates {
            text.render(&self.values, None, out);
            out.push(END_OF_PART);
        }
    }
}

impl Renderer {
    /// The captured values of an event that are texts of what it sent, whatever was rendered before.
    pub fn sent_values(&mut self, user: u32, event: &Event) -> Vec<(Box<str>, Box<str>)> {
        let operation = usize::from(event.operation);
        if self.workload.operations[operation].sent.names.is_empty() {
            return Vec::new();
        }
        let workload = Arc::clone(&self.workload);
        let sent = &workload.operations[operation].sent;
        let mut rendered = Vec::new();
        self.texts(user, event, None, &sent.texts, &mut rendered);
        let texts = rendered.split(|byte| *byte == END_OF_PART).map(String::from_utf8_lossy);
        sent.names.iter().cloned().zip(texts.map(|text| text.into_owned().into_boxed_str())).collect()
    }

    /// The values of an event's named slots, drawn again.
    fn named_values(&mut self, user: u32, event: &Event) -> Vec<(Box<str>, Box<str>)> {
        self.recall(user, event);
        let text = |index: usize| String::from_utf8_lossy(self.values.text(index)).into_owned().into_boxed_str();
        self.variant().slots.names().iter().map(|(name, index)| (name.clone(), text(*index))).collect()
    }
}

fn context<'a>(
    workload: &'a Workload,
    user: u32,
    sequence: u32,
    key: &'a [u8],
    captured: &'a [(Box<str>, Box<str>)],
) -> Context<'a> {
    Context {
        user,
        sequence,
        base_time_ms: workload.base_time_ms,
        run: &workload.run,
        key,
        captured,
        login: &[],
        values: &[],
    }
}
