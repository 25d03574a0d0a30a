//! Checks a plan without sending anything, and renders a sample of each operation.

use std::sync::Arc;

use serde::Serialize;

use super::calls;
use super::composer::Composer;
use crate::plan::{Plan, PlanError, Protocol};
use crate::template::Slot;
use crate::workload::{Entity, Event, Renderer, Workload, encode};

/// Stands for what a reply would have given.
const CAPTURED: &str = "1";

/// The outcome of a check: faults, or a sample of each operation.
#[derive(Debug, Default, Serialize)]
pub struct Checked {
    pub faults: Vec<Fault>,
    pub samples: Vec<Sample>,
}

/// Why the plan cannot be executed.
#[derive(Debug, PartialEq, Serialize)]
pub struct Fault {
    /// None where the plan as a whole is at fault.
    pub operation: Option<String>,
    pub message: String,
}

/// A request as the load would send it, with 1 in place of captured values.
#[derive(Debug, Serialize)]
pub struct Sample {
    pub operation: String,
    /// The HTTP method and path, or the gRPC method.
    pub method: String,
    pub path: String,
    /// Headers with slots, as lines; HTTP only.
    pub headers: String,
    /// The message before it is encoded.
    pub message: String,
    /// Bytes of the body, or of the encoded message.
    pub bytes: usize,
}

/// Checks a plan as `run` would.
#[must_use]
pub fn check(plan: &[u8]) -> Checked {
    let plan = match Plan::parse(plan) {
        Ok(plan) => plan,
        Err(error) => return Checked { faults: vec![fault(None, &error)], ..Checked::default() },
    };
    let faults = Workload::faults(&plan);
    if !faults.is_empty() {
        let faults = faults.iter().map(|(operation, error)| fault(operation.as_deref(), error)).collect();
        return Checked { faults, ..Checked::default() };
    }
    match samples(&plan) {
        Ok(samples) => Checked { samples, ..Checked::default() },
        Err(error) => Checked { faults: vec![fault(None, &error)], ..Checked::default() },
    }
}

fn fault(operation: Option<&str>, error: &impl std::fmt::Display) -> Fault {
    Fault { operation: operation.map(str::to_owned), message: error.to_string() }
}

fn samples(plan: &Plan) -> Result<Vec<Sample>, PlanError> {
    let workload = Arc::new(Workload::compile(plan)?);
    calls::rules(plan, &workload)?;
    calls::read_rules(plan)?;
    Composer::new(plan, Arc::clone(&workload))?;
    if plan.transport.protocol == Protocol::Grpc {
        calls::grpc_calls(plan, &workload)?;
    }
    let mut renderer = Renderer::new(Arc::clone(&workload));
    Ok((0..workload.operations.len()).map(|index| sample(plan, &workload, &mut renderer, index)).collect())
}

fn sample(plan: &Plan, workload: &Workload, renderer: &mut Renderer, index: usize) -> Sample {
    let operation = &workload.operations[index];
    let slots = || operation.variants.iter().flat_map(|variant| variant.slots.slots());
    let captured = entity(slots().filter_map(|slot| match slot {
        Slot::Captured(name) | Slot::QueryPart { name, .. } => Some(name),
        _ => None,
    }));
    let login = entity(slots().filter_map(|slot| match slot {
        Slot::Login(name) => Some(name),
        _ => None,
    }));
    let event = Event {
        sequence: 0,
        operation: index as u16,
        key_sequence: 0,
        is_shared: false,
        entity: Some(Arc::new(captured)),
        step: None,
    };
    renderer.recall_logged_in(0, &event, Some(&login));
    let (mut path, mut headers, mut message, mut body) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    renderer.path(&mut path);
    renderer.json(&mut message);
    let is_grpc = plan.transport.protocol == Protocol::Grpc;
    if is_grpc {
        renderer.protobuf(&mut body);
    } else {
        renderer.headers(&mut headers);
        if operation.body.is_none_or(|encoding| encode(encoding, &message, &mut body).is_none()) {
            body.clone_from(&message);
        }
    }
    let call = &plan.operations[index];
    let http = call.http.as_ref().map(|call| &call.method);
    let grpc = call.grpc.as_ref().map(|call| &call.method);
    let method = if is_grpc { grpc } else { http };
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    Sample {
        operation: operation.name.clone(),
        method: method.cloned().unwrap_or_default(),
        path: text(path),
        headers: text(headers),
        message: text(message),
        bytes: body.len(),
    }
}

fn entity<'a>(names: impl Iterator<Item = &'a Box<str>>) -> Entity {
    Entity { captured: names.map(|name| (name.clone(), CAPTURED.into())).collect(), origin: None }
}

impl Checked {
    /// Whether the plan can be executed.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.faults.is_empty()
    }
}
