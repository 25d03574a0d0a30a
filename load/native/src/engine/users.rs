//! The virtual users of a worker: the requests that each has in flight, and their outcomes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::composer::Composer;
use super::tally::Tally;
use super::verified_reads::VerifiedReads;
use crate::failure::Failure;
use crate::ledger::{LedgerSink, Outcome};
use crate::reply::{Accepted, ReplyRules};
use crate::wire::{Code, Reply, Request, Wire};
use crate::workload::{EffectKind, Entity, Event, Operation, UserState, Wanted, Workload, has_next_step};

/// A request of a user.
#[derive(Debug)]
struct Call {
    /// When service began; zero until then.
    started_ns: u64,
    /// When the request was due.
    scheduled_ns: u64,
    deadline_ns: u64,
    wanted: Wanted,
    /// It was sent before, and the target did not process it.
    is_resent: bool,
    /// The message sent; none while the request waits for its connection.
    sent: Option<Sent>,
}

#[derive(Debug)]
struct Sent {
    rules: usize,
    /// The operation that the request counts as: an index into the tally.
    counted_as: usize,
    event: Event,
    /// The other events of a batch.
    more: Vec<Event>,
}

/// One virtual user.
#[derive(Debug)]
struct User {
    number: u32,
    sequence: u32,
    state: UserState,
    /// In the order of sending; unsent ones come last.
    calls: VecDeque<Call>,
}

/// The reason why a request waits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Awaited {
    Connection,
    /// Capacity on a shared connection.
    Room,
    Reply,
}

/// The next action of users after a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Rest {
    /// Closed model: the next request is due after the think time.
    Think(u64),
    /// Open model: the user waits for an arrival.
    Idle,
}

/// All virtual users of one worker.
#[derive(Debug)]
pub struct Users {
    users: Vec<User>,
    composer: Composer,
    rules: Vec<ReplyRules>,
    ledger: Option<LedgerSink>,
    reads: Option<VerifiedReads>,
    timeout_ns: u64,
    /// This worker has every `stride`-th user, from `first` on.
    first: u32,
    stride: u32,
    /// A user as all of them begin.
    newcomer: UserState,
    pub tally: Tally,
    pub rest: Rest,
    /// The planned end of the phase: what is acknowledged later is late.
    pub until_ns: u64,
    /// Requests sent and not yet answered or failed.
    pub in_flight: usize,
    /// Requests begun that wait for their connection.
    pub waiting: usize,
    /// Users whose next request is due now.
    pub ready: Vec<u32>,
    /// Users whose next request is due later, in order.
    pub due: VecDeque<(u64, u32)>,
    /// Users whose request is to be sent again.
    pub again: Vec<u32>,
    /// Users that wait for an arrival, and since when.
    pub idle: VecDeque<(u64, u32)>,
    /// When the last reply came.
    pub last_reply_ns: u64,
    /// When the last request failed without a reply.
    pub last_failure_ns: u64,
    /// Buffers of finished batches, for reuse.
    spare: Vec<Vec<Event>>,
}

impl Users {
    pub fn new(
        composer: Composer,
        rules: Vec<ReplyRules>,
        ledger: Option<LedgerSink>,
        reads: Option<VerifiedReads>,
        timeout_ns: u64,
        (first, stride): (u32, u32),
        newcomer: UserState,
    ) -> Self {
        Self {
            users: Vec::new(),
            composer,
            rules,
            ledger,
            reads,
            timeout_ns,
            first,
            stride,
            newcomer,
            tally: Tally::new(0, false),
            rest: Rest::Think(0),
            until_ns: u64::MAX,
            in_flight: 0,
            waiting: 0,
            ready: Vec::new(),
            due: VecDeque::new(),
            again: Vec::new(),
            idle: VecDeque::new(),
            last_reply_ns: 0,
            last_failure_ns: 0,
            spare: Vec::new(),
        }
    }

    /// Raises the number of users to `count`; users keep their state from phase to phase.
    pub fn grow_to(&mut self, count: u32) {
        while (self.users.len() as u32) < count {
            self.users.push(User {
                number: self.first + self.users.len() as u32 * self.stride,
                sequence: 0,
                state: self.newcomer.clone(),
                calls: VecDeque::with_capacity(1),
            });
        }
    }

    /// Returns the tally so far and begins a new one; `is_scheduled` where requests have an instant at which they are due.
    pub fn take_tally(&mut self, is_scheduled: bool) -> Tally {
        std::mem::replace(&mut self.tally, Tally::new(self.composer.operations(), is_scheduled))
    }

    /// Begins a request; it is sent as soon as its connection has room.
    /// `started_ns` is when service begins, where that is before the request is written.
    #[inline]
    pub fn begin(&mut self, tag: u32, wanted: Wanted, scheduled_ns: u64, started_ns: u64, now: u64) {
        let deadline_ns = now.saturating_add(self.timeout_ns);
        let call = Call { started_ns, scheduled_ns, deadline_ns, wanted, is_resent: false, sent: None };
        self.users[tag as usize].calls.push_back(call);
        self.waiting += 1;
    }

    /// Renders a user's waiting request into `out`. False when it no longer waits.
    /// `ready_ns` is when it was due and both its user and its connection were free: time that a request waits
    /// because of the target is not the engine's lag. None where that instant is unknown.
    #[inline]
    pub fn transmit<W: Wire>(
        &mut self,
        tag: u32,
        wire: &mut W,
        out: &mut Vec<u8>,
        ready_ns: Option<u64>,
        now: impl Fn() -> u64,
    ) -> bool {
        let user = &mut self.users[tag as usize];
        let Some(call) = user.calls.iter_mut().find(|call| call.sent.is_none()) else {
            return false;
        };
        let mut more =
            if self.composer.events_per_request() > 1 { self.spare.pop().unwrap_or_default() } else { Vec::new() };
        let (rules, event) = self.composer.compose(user.number, &user.state, user.sequence, call.wanted, &mut more);
        user.sequence = user.sequence.wrapping_add(self.composer.events_per_request());
        wire.send(
            &Request {
                tag,
                call: rules,
                path: &self.composer.path,
                headers: &self.composer.headers,
                body: &self.composer.body,
            },
            out,
        );
        let now = now();
        if call.started_ns == 0 {
            call.started_ns = now;
        }
        let counted_as = self.composer.counted_as(rules, &event);
        call.sent = Some(Sent { rules, counted_as, event, more });
        if !call.is_resent {
            self.tally.count_sent(counted_as, ready_ns.map(|ready_ns| now.saturating_sub(ready_ns)));
        }
        self.in_flight += 1;
        self.waiting -= 1;
        true
    }

    /// Takes a reply to a user's oldest request.
    #[inline]
    pub fn complete(&mut self, reply: &Reply<'_>, now: u64) {
        let Some((call, sent)) = self.take_sent(reply.tag) else {
            return;
        };
        // The wire also reports streams here that ended without a reply.
        if reply.outcome.err().is_some_and(Failure::is_unprocessed) && !call.is_resent && now < self.until_ns {
            return self.send_again(reply.tag, call, sent);
        }
        let think_ns = self.think_ns(&sent);
        let was_answered = reply.outcome.err().is_none_or(Failure::has_time);
        *(if was_answered { &mut self.last_reply_ns } else { &mut self.last_failure_ns }) = now;
        match reply.outcome.and_then(|code| self.inspect(reply, code, &sent)) {
            Ok(accepted) => {
                self.users[reply.tag as usize].state.cookies.take(reply.head);
                self.tally.count_ok(sent.counted_as, 1 + sent.more.len() as u64, now > self.until_ns);
                self.record_times(sent.counted_as, &call, now);
                let number = self.users[reply.tag as usize].number;
                match accepted.with(self.composer.sent_values(number, &sent.event)) {
                    Accepted::Expected(captured) => self.acknowledge(reply.tag, sent, captured),
                    Accepted::Listed(listed) => self.take_list(reply.tag, sent, listed),
                    Accepted::Other => self.record_unknown(reply.tag, sent),
                }
            }
            Err(failure) => {
                self.count_failed(sent.counted_as, failure, &call, now);
                self.record_unknown(reply.tag, sent);
            }
        }
        self.end_turn(reply.tag, now, think_ns);
    }

    /// The target has not processed a request: the same event waits to be sent again, and its time goes on.
    fn send_again(&mut self, tag: u32, call: Call, sent: Sent) {
        let user = &mut self.users[tag as usize];
        if user.sequence == sent.event.sequence.wrapping_add(self.composer.events_per_request()) {
            user.sequence = sent.event.sequence;
        }
        user.calls.push_back(Call { is_resent: true, sent: None, ..call });
        self.waiting += 1;
        self.tally.resent += 1;
        self.again.push(tag);
        self.reuse(sent.more);
    }

    /// A user's oldest request has failed without a reply.
    pub fn fail(&mut self, tag: u32, failure: Failure, now: u64) {
        let Some((call, sent)) = self.take_sent(tag) else { return };
        let think_ns = self.think_ns(&sent);
        self.count_failed(sent.counted_as, failure, &call, now);
        self.record_unknown(tag, sent);
        self.last_failure_ns = now;
        self.end_turn(tag, now, think_ns);
    }

    /// A request that waits for its connection has failed: it was begun, and nothing was sent.
    pub fn fail_unsent(&mut self, tag: u32, failure: Failure, now: u64) {
        if let Some(call) = self.take_unsent(tag) {
            let user = &self.users[tag as usize];
            let counted_as = self.composer.next_counted_as(user.number, &user.state, user.sequence, call.wanted);
            self.tally.calls[counted_as].sent += u64::from(!call.is_resent);
            self.count_failed(counted_as, failure, &call, now);
            self.last_failure_ns = now;
            self.end_turn(tag, now, None);
        }
    }

    /// Drops a request that waits for its connection; false where it had been sent before, and so has failed.
    pub fn drop_unsent(&mut self, tag: u32) -> bool {
        let Some(call) = self.take_unsent(tag) else { return false };
        if call.is_resent {
            let user = &self.users[tag as usize];
            let counted_as = self.composer.next_counted_as(user.number, &user.state, user.sequence, call.wanted);
            self.tally.calls[counted_as].count_failed(Failure::GoAway);
        }
        !call.is_resent
    }

    /// Users whose oldest request has passed its deadline, and what it waits for.
    pub fn overdue(&self, now: u64) -> Vec<(u32, Awaited)> {
        let overdue = |(tag, user): (usize, &User)| {
            let call = user.calls.front().filter(|call| call.deadline_ns <= now)?;
            let awaited = match &call.sent {
                Some(_) => Awaited::Reply,
                None if call.started_ns > 0 => Awaited::Room,
                None => Awaited::Connection,
            };
            Some((tag as u32, awaited))
        };
        self.users.iter().enumerate().filter_map(overdue).collect()
    }

    /// Writes the ledger's last block.
    pub fn flush_ledger(&mut self) {
        if let Some(ledger) = &mut self.ledger {
            ledger.flush();
        }
    }

    fn take_sent(&mut self, tag: u32) -> Option<(Call, Sent)> {
        let calls = &mut self.users.get_mut(tag as usize)?.calls;
        let sent = calls.front_mut()?.sent.take()?;
        self.in_flight -= 1;
        calls.pop_front().map(|call| (call, sent))
    }

    fn take_unsent(&mut self, tag: u32) -> Option<Call> {
        let calls = &mut self.users[tag as usize].calls;
        let index = calls.iter().position(|call| call.sent.is_none())?;
        self.waiting -= 1;
        calls.remove(index)
    }

    #[inline]
    fn inspect(&mut self, reply: &Reply<'_>, code: Code, sent: &Sent) -> Result<Accepted, Failure> {
        let user = &self.users[reply.tag as usize];
        let (number, state) = (user.number, &user.state);
        let user = number;
        let (rules, composer) = (&mut self.rules[sent.rules], &mut self.composer);
        let earlier = sent.event.entity.as_deref();
        let texts = |out: &mut Vec<u8>| composer.reply_texts(user, &sent.event, out);
        let mut inspection = rules.inspect(code, reply, texts, earlier, state);
        if let (true, Some(reads)) = (inspection.outcome.is_ok() && sent.more.is_empty(), &mut self.reads)
            && let Some(verified) = reads.check(user, &sent.event, code, || rules.content(reply))
        {
            inspection.is_checked = true;
            if let Err(wrong) = verified.map_err(|wrong| wrong.without(rules.secrets(state))) {
                (inspection.outcome, inspection.mismatch) = (Err(wrong.failure), Some(wrong.mismatch));
            }
        }
        let counts = &mut self.tally.calls[sent.counted_as];
        counts.count_status(code);
        if inspection.outcome.is_err() && counts.failed_reply.is_none() {
            counts.failed_reply = Some(Box::new(rules.failed_reply(code, reply, state)));
        }
        if inspection.is_checked {
            counts.checked += 1;
            counts.checks_failed += u64::from(inspection.outcome.is_err());
            counts.failed_check = counts.failed_check.take().or(inspection.mismatch);
        }
        inspection.outcome
    }

    fn count_failed(&mut self, counted_as: usize, failure: Failure, call: &Call, now: u64) {
        self.tally.calls[counted_as].count_failed(failure);
        if failure.has_time() {
            self.record_times(counted_as, call, now);
        }
    }

    #[inline]
    fn record_times(&mut self, counted_as: usize, call: &Call, now: u64) {
        // A request that never had a connection has no service time.
        let service_ns = (call.started_ns > 0).then(|| now.saturating_sub(call.started_ns));
        self.tally.record_times(counted_as, service_ns, now.saturating_sub(call.scheduled_ns));
    }

    fn acknowledge(&mut self, tag: u32, sent: Sent, captured: Option<Entity>) {
        let user = &mut self.users[tag as usize];
        let workload = self.composer.workload();
        for event in std::iter::once(&sent.event).chain(&sent.more) {
            let operation = &workload.operations[usize::from(event.operation)];
            if let (Some(ledger), true) = (&mut self.ledger, operation.effect.is_some()) {
                ledger.record(user.number, event, Outcome::Acknowledged, captured.as_ref());
            }
            if let Some(reads) = &mut self.reads {
                reads.record(user.number, event, captured.as_ref(), false);
            }
            let created = user.state.acknowledge(operation, &workload.sessions, event, captured.clone());
            share(workload, operation, event, created);
        }
        self.reuse(sent.more);
    }

    /// A reply shows a list: what it captures is known to the user from now on.
    fn take_list(&mut self, tag: u32, sent: Sent, listed: Vec<Entity>) {
        let created = self.composer.workload().operations[usize::from(sent.event.operation)].creates;
        self.acknowledge(tag, sent, None);
        if let Some(kind) = created {
            self.users[tag as usize].state.list(kind, listed);
        }
    }

    /// A request that was sent and not acknowledged may have been applied nevertheless.
    fn record_unknown(&mut self, tag: u32, sent: Sent) {
        let user = &mut self.users[tag as usize];
        user.state.give_up(&sent.event);
        let operations = &self.composer.workload().operations;
        if let Some(reads) = &mut self.reads {
            std::iter::once(&sent.event)
                .chain(&sent.more)
                .for_each(|event| reads.record(user.number, event, None, true));
        }
        if let Some(ledger) = &mut self.ledger {
            for event in std::iter::once(&sent.event).chain(&sent.more) {
                if operations[usize::from(event.operation)].effect.is_some() {
                    ledger.record(user.number, event, Outcome::Unknown, None);
                }
            }
        }
        self.reuse(sent.more);
    }

    fn reuse(&mut self, mut more: Vec<Event>) {
        if more.capacity() > 0 {
            more.clear();
            self.spare.push(more);
        }
    }

    #[inline]
    fn end_turn(&mut self, tag: u32, now: u64, own_think_ns: Option<u64>) {
        match self.rest {
            Rest::Think(of_all) => match own_think_ns.unwrap_or(of_all) {
                0 => self.ready.push(tag),
                think_ns => self.push_due(now.saturating_add(think_ns), tag),
            },
            Rest::Idle => self.idle.push_back((now, tag)),
        }
    }

    /// A user's next request is due at an instant; pauses of different lengths are kept in order.
    #[inline]
    pub fn push_due(&mut self, at_ns: u64, tag: u32) {
        if self.due.back().is_none_or(|(last, _)| *last <= at_ns) {
            self.due.push_back((at_ns, tag));
        } else {
            let place = self.due.partition_point(|(known, _)| *known <= at_ns);
            self.due.insert(place, (at_ns, tag));
        }
    }

    /// The pause after a request, where its operation or its session has one of its own.
    #[inline]
    fn think_ns(&self, sent: &Sent) -> Option<u64> {
        let workload = self.composer.workload();
        let of_session = || {
            let step = sent.event.step.filter(|_| has_next_step(&sent.event, &workload.sessions))?;
            workload.sessions[usize::from(step.session)].think_ns
        };
        workload.operations[usize::from(sent.event.operation)].think_ns.or_else(of_session)
    }
}

/// Shares what an event created with all users, where an operation uses theirs, and what it deleted no longer.
fn share(workload: &Workload, operation: &Operation, event: &Event, created: Option<Arc<Entity>>) {
    let pool = |kind: Option<usize>| kind.and_then(|kind| workload.pools[kind].as_ref());
    if let (Some(pool), Some(created)) = (pool(operation.creates), created) {
        pool.add(&created);
    }
    let deletes = operation.effect.as_ref().is_some_and(|effect| effect.kind == EffectKind::Delete);
    if let (true, Some(pool), Some(gone)) = (deletes, pool(operation.needs), &event.entity) {
        pool.remove(gone.source());
    }
}
