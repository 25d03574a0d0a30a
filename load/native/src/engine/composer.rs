//! Composes requests from events: one event, a batch, or a message on a stream.

use std::sync::Arc;

use crate::message::BatchField;
use crate::plan::{Plan, PlanError, Protocol};
use crate::wire::h2::messages;
use crate::workload::{Entity, Event, Renderer, Texts, UserState, Wanted, Workload, encode};

/// How events become the body of a request.
#[derive(Debug, Clone)]
enum Framing {
    /// One event each, to its operation's own path.
    Single,
    /// One event each, to the call that comes after the operations'.
    Stream,
    JsonBatch {
        path: Vec<u8>,
        open: Vec<u8>,
        separator: Vec<u8>,
        close: Vec<u8>,
    },
    ProtobufBatch {
        tag: u64,
    },
    /// Messages one after the other, each with its length.
    MessageStream {
        gzip: bool,
    },
}

/// Composes requests, reusing its buffers.
#[derive(Debug)]
pub struct Composer {
    renderer: Renderer,
    framing: Framing,
    is_protobuf: bool,
    events_per_request: u32,
    /// A message that becomes a body of another form.
    message: Vec<u8>,
    pub path: Vec<u8>,
    pub headers: Vec<u8>,
    pub body: Vec<u8>,
}

impl Composer {
    /// # Errors
    /// The plan's batch does not fit its protocol.
    pub fn new(plan: &Plan, workload: Arc<Workload>) -> Result<Self, PlanError> {
        Ok(Self {
            framing: framing(plan, &workload)?,
            renderer: Renderer::new(workload),
            is_protobuf: plan.transport.protocol == Protocol::Grpc,
            events_per_request: plan.transport.batch,
            message: Vec::new(),
            path: Vec::new(),
            headers: Vec::new(),
            body: Vec::new(),
        })
    }

    #[must_use]
    pub fn workload(&self) -> &Arc<Workload> {
        self.renderer.workload()
    }

    /// Events in one request.
    #[must_use]
    pub fn events_per_request(&self) -> u32 {
        self.events_per_request
    }

    /// How many operations requests count as: the plan's, and the batch where there is one.
    #[must_use]
    pub fn operations(&self) -> usize {
        self.renderer.workload().operations.len() + usize::from(self.events_per_request > 1)
    }

    /// The operation that a request counts as: its event's, or the batch, which comes after all operations.
    #[inline]
    #[must_use]
    pub fn counted_as(&self, call: usize, event: &Event) -> usize {
        if matches!(self.framing, Framing::Stream) { usize::from(event.operation) } else { call }
    }

    /// The operation that a user's next request will count as.
    #[must_use]
    pub fn next_counted_as(&self, user: u32, state: &UserState, sequence: u32, wanted: Wanted) -> usize {
        if self.events_per_request > 1 {
            return self.renderer.workload().operations.len();
        }
        usize::from(self.renderer.workload().next_event(user, state, sequence, wanted).operation)
    }

    /// Renders path and body of a user's next request. Returns the index of its call and its first event;
    /// the others of a batch go to `more`.
    pub fn compose(
        &mut self,
        user: u32,
        state: &UserState,
        sequence: u32,
        wanted: Wanted,
        more: &mut Vec<Event>,
    ) -> (usize, Event) {
        self.path.clear();
        self.headers.clear();
        self.body.clear();
        let shared_call = self.renderer.workload().operations.len();
        match &self.framing {
            Framing::Single => {
                let event = self.renderer.next_wanted(user, state, sequence, wanted);
                self.renderer.path(&mut self.path);
                self.renderer.headers(&mut self.headers);
                self.headers.extend_from_slice(state.cookies.line());
                self.write_event(&event);
                (usize::from(event.operation), event)
            }
            Framing::Stream => {
                let event = self.renderer.next(user, state, sequence);
                self.write_event(&event);
                (shared_call, event)
            }
            Framing::JsonBatch { path, open, separator, close } => {
                self.path.extend_from_slice(path);
                self.body.extend_from_slice(open);
                let first = self.renderer.next(user, state, sequence);
                self.renderer.json(&mut self.body);
                for next in 1..self.events_per_request {
                    self.body.extend_from_slice(separator);
                    more.push(self.renderer.next(user, state, sequence.wrapping_add(next)));
                    self.renderer.json(&mut self.body);
                }
                self.body.extend_from_slice(close);
                (shared_call, first)
            }
            Framing::ProtobufBatch { tag } => {
                let first = self.renderer.next(user, state, sequence);
                self.renderer.protobuf_element(*tag, &mut self.body);
                for next in 1..self.events_per_request {
                    more.push(self.renderer.next(user, state, sequence.wrapping_add(next)));
                    self.renderer.protobuf_element(*tag, &mut self.body);
                }
                (shared_call, first)
            }
            Framing::MessageStream { gzip } => {
                let gzip = *gzip;
                let first = self.renderer.next(user, state, sequence);
                self.write_framed(gzip);
                for next in 1..self.events_per_request {
                    more.push(self.renderer.next(user, state, sequence.wrapping_add(next)));
                    self.write_framed(gzip);
                }
                (shared_call, first)
            }
        }
    }

    /// Renders path, headers and body of an event that is known already, by itself, with the values of a login.
    pub fn recompose(&mut self, user: u32, event: &Event, login: Option<&Entity>) {
        self.path.clear();
        self.headers.clear();
        self.body.clear();
        self.renderer.recall_logged_in(user, event, login);
        self.renderer.path(&mut self.path);
        self.renderer.headers(&mut self.headers);
        self.write_event(event);
    }

    /// Appends derived texts of an event, each ended by `END_OF_PART`.
    pub fn texts(&mut self, user: u32, event: &Event, texts: &Texts, out: &mut Vec<u8>) {
        self.renderer.texts(user, event, None, texts, out);
    }

    /// Appends the texts that the reply to an event must hold, each ended by `END_OF_PART`.
    pub fn reply_texts(&mut self, user: u32, event: &Event, out: &mut Vec<u8>) {
        let workload = Arc::clone(self.renderer.workload());
        self.renderer.texts(user, event, None, &workload.operations[usize::from(event.operation)].reply_texts, out);
    }

    /// The captured values of an event that are texts of what it sent.
    pub fn sent_values(&mut self, user: u32, event: &Event) -> Vec<(Box<str>, Box<str>)> {
        self.renderer.sent_values(user, event)
    }

    fn write_framed(&mut self, gzip: bool) {
        let mut message = Vec::new();
        self.renderer.protobuf(&mut message);
        if gzip {
            message = messages::compressed(&message);
        }
        let mut prefix = messages::prefix(message.len());
        prefix[0] = u8::from(gzip);
        self.body.extend_from_slice(&prefix);
        self.body.extend_from_slice(&message);
    }

    fn write_event(&mut self, event: &Event) {
        if self.is_protobuf {
            return self.renderer.protobuf(&mut self.body);
        }
        let Some(encoding) = self.renderer.workload().operations[usize::from(event.operation)].body else {
            return self.renderer.json(&mut self.body);
        };
        self.message.clear();
        self.renderer.json(&mut self.message);
        if encode(encoding, &self.message, &mut self.body).is_none() {
            // The template was checked: only a captured value can have broken it, and the target is to see it.
            self.body.clear();
            self.body.extend_from_slice(&self.message);
        }
    }
}

fn framing(plan: &Plan, workload: &Workload) -> Result<Framing, PlanError> {
    if plan.transport.stream {
        return Ok(Framing::Stream);
    }
    let Some(batch) = plan.batch.as_ref().filter(|_| plan.transport.batch > 1) else {
        return Ok(Framing::Single);
    };
    let text = |part: &Option<String>| part.clone().unwrap_or_default().into_bytes();
    match (&workload.descriptors, &batch.path, &batch.field) {
        (Some(descriptors), _, None) => {
            if !descriptors.method(&batch.method)?.is_client_streaming() {
                return Err(PlanError::rule("batch: without a field its method must take a stream of messages"));
            }
            Ok(Framing::MessageStream { gzip: plan.transport.gzip })
        }
        (Some(descriptors), _, Some(field)) => {
            let BatchField { tag, .. } = descriptors.batch_field(&batch.method, field)?;
            Ok(Framing::ProtobufBatch { tag })
        }
        (None, Some(path), _) => Ok(Framing::JsonBatch {
            path: path.clone().into_bytes(),
            open: text(&batch.open),
            separator: text(&batch.separator),
            close: text(&batch.close),
        }),
        _ => Err(PlanError::rule("batch: path for http, field for grpc")),
    }
}
