//! Logins that are sent one by one: those of an audit, and the one that serves all users where they would send the same.

use std::collections::HashMap;
use std::sync::Arc;

use super::calls;
use super::client::{Answer, Client};
use super::composer::Composer;
use crate::plan::{Plan, PlanError};
use crate::reply::{Accepted, ReplyRules};
use crate::wire::{Reply, Request, Wire};
use crate::workload::{Entity, Event, UserState, Workload};

/// The workload's login, and the values that it captured for each user.
pub(super) struct Logins {
    operation: u16,
    rules: ReplyRules,
    is_one: bool,
    users: HashMap<u32, Arc<Entity>>,
}

impl Logins {
    /// None where the workload has no login.
    pub fn of(plan: &Plan, workload: &Workload) -> Result<Option<Self>, PlanError> {
        let Some(operation) = workload.operations.iter().position(|operation| operation.is_login) else {
            return Ok(None);
        };
        // Cookies are each user's own.
        let is_one = !plan.cookies && workload.operations[operation].is_same_for_all();
        let rules = calls::rules(plan, workload)?.swap_remove(operation);
        Ok(Some(Self { operation: operation as u16, rules, is_one, users: HashMap::new() }))
    }

    /// Whether one login serves all users.
    pub fn is_one(&self) -> bool {
        self.is_one
    }

    /// The values that a user's login captures: it is sent once for each user, or once for all of them.
    pub fn values<W: Wire>(
        &mut self,
        client: &mut Client<W>,
        composer: &mut Composer,
        user: u32,
    ) -> Result<Arc<Entity>, String> {
        let user = if self.is_one { 0 } else { user };
        if let Some(known) = self.users.get(&user) {
            return Ok(Arc::clone(known));
        }
        let (sequence, operation) = (0, self.operation);
        let event = Event { sequence, operation, key_sequence: 0, is_shared: false, entity: None, step: None };
        let (path, Answer { code, head, body }) = ask(client, composer, user, &event, None)?;
        let reply = Reply { tag: 0, outcome: Ok(code), head: &head, body: &body };
        let outcome = self.rules.inspect(code, &reply, |_| (), None, &UserState::default()).outcome;
        match outcome.map(|accepted| accepted.with(composer.sent_values(user, &event))) {
            Ok(Accepted::Expected(captured)) => {
                let captured = Arc::new(captured.unwrap_or_default());
                self.users.insert(user, Arc::clone(&captured));
                Ok(captured)
            }
            _ => Err(format!("{path}: the login replied {}", code.name())),
        }
    }
}

/// Sends an event by itself, with the values of a login, and returns its path with the answer.
pub(super) fn ask<W: Wire>(
    client: &mut Client<W>,
    composer: &mut Composer,
    user: u32,
    event: &Event,
    login: Option<&Entity>,
) -> Result<(String, Answer), String> {
    composer.recompose(user, event, login);
    let call = usize::from(event.operation);
    let request = Request { tag: 0, call, path: &composer.path, headers: &composer.headers, body: &composer.body };
    let path = String::from_utf8_lossy(&composer.path).into_owned();
    let answer = client.ask(&request).map_err(|error| format!("{path}: {error}"))?;
    Ok((path, answer))
}
