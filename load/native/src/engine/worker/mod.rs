//! The event loop: users, connections and timers of one thread, for any protocol.

mod deadlines;
mod links;
mod phase;
mod readiness;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Arc;
use std::time::Duration;

use super::address::Address;
use super::clock::Clock;
use super::connection::{Connection, Link};
use super::poller::{Poller, Ready};
use super::stop::Stop;
use super::users::{Rest, Users};
use crate::failure::Failure;
use crate::plan::Transport;
use crate::wire::Wire;
use crate::workload::Wanted;

use phase::{Phase, Turn};
pub use phase::{PhaseObserver, PhaseOutcome, Share};

const SECOND_NS: u64 = 1_000_000_000;
/// No wait is longer, so that an interruption is noticed soon.
const LONGEST_WAIT_NS: u64 = 50_000_000;
const READ_BUFFER: usize = 256 * 1024;
/// Sockets that connect at the same time: a listener's queue is short.
const CONNECTING_AT_ONCE: usize = 64;
/// Requests begun before replies are read again.
const BEGUN_AT_ONCE: usize = 32;
/// One connection in so many notes when replies arrive, which shows how late the next requests are written.
const STAMPED_EVERY: usize = 16;
const LONGEST_CONNECT_NS: u64 = 5 * SECOND_NS;
/// How long to wait for replies after an interruption.
const INTERRUPT_TIMEOUT_NS: u64 = 5 * SECOND_NS;

/// One thread's share of the load.
pub struct Worker<W: Wire> {
    clock: Clock,
    address: Address,
    shared: Arc<W::Shared>,
    poller: Poller,
    connections: Vec<Connection<W>>,
    users: Users,
    window: u32,
    keeps_alive: bool,
    timeout_ns: u64,
    /// Connections to reopen, by time.
    retries: BinaryHeap<Reverse<(u64, usize)>>,
    connecting: usize,
    read_buffer: Vec<u8>,
    out: Vec<u8>,
    ready: Vec<Ready>,
    /// Users that continue after the replies just read.
    continuing: Vec<u32>,
    connections_opened: u64,
    /// When the replies just read had arrived, where their connection has that noted.
    arrived_ns: Option<u64>,
}

impl<W: Wire> Worker<W> {
    /// # Errors
    /// No file descriptor is free.
    pub fn new(
        clock: Clock,
        address: Address,
        shared: Arc<W::Shared>,
        users: Users,
        transport: &Transport,
        timeout_ns: u64,
    ) -> std::io::Result<Self> {
        Ok(Self {
            clock,
            address,
            shared,
            poller: Poller::new()?,
            connections: Vec::new(),
            users,
            window: transport.window,
            keeps_alive: transport.keep_alive,
            timeout_ns,
            retries: BinaryHeap::new(),
            connecting: 0,
            read_buffer: vec![0; READ_BUFFER],
            out: Vec::new(),
            ready: Vec::new(),
            continuing: Vec::new(),
            connections_opened: 0,
            arrived_ns: None,
        })
    }

    /// Opens the connections that a phase needs, and closes those that it does not.
    /// Connections that cannot be made now are tried again during the phase, where their failures count.
    pub fn prepare(&mut self, users: u32, connections: usize, stop: &Stop) -> std::io::Result<()> {
        self.users.grow_to(users);
        for index in connections..self.connections.len() {
            self.close_in_order(index);
        }
        self.connections.truncate(connections);
        while self.connections.len() < connections {
            self.connections.push(Connection::new(&self.shared));
        }
        let give_up_ns = self.clock.now() + self.timeout_ns.min(LONGEST_CONNECT_NS);
        let mut next = 0;
        loop {
            while next < connections && self.connecting < CONNECTING_AT_ONCE {
                if matches!(self.connections[next].link, Link::Down) {
                    self.connect(next);
                }
                next += 1;
            }
            let now = self.clock.now();
            let settled = |connection: &Connection<W>| match connection.link {
                Link::Down => true,
                Link::Connecting { .. } => false,
                Link::Up(_) => connection.wire.has_room(),
            };
            let done = next == connections && self.connections.iter().all(settled);
            if done || now >= give_up_ns || stop.is_interrupted() {
                return Ok(());
            }
            self.poll(LONGEST_WAIT_NS)?;
        }
    }

    /// Runs a phase until no further request may begin and none is in flight.
    pub fn run(&mut self, share: Share, observer: &mut impl PhaseObserver) -> std::io::Result<PhaseOutcome> {
        let mut phase = Phase::begin(share);
        self.users.take_tally(phase.share.is_scheduled);
        self.users.rest = phase.share.rest;
        self.users.until_ns = phase.share.stop.until_ns();
        self.users.last_reply_ns = phase.share.start_ns;
        self.users.last_failure_ns = phase.share.start_ns;
        self.reset_turns(&phase.share);
        let mut sweep_ns = self.sweep_interval();
        let mut next_sweep = self.clock.now() + sweep_ns;
        loop {
            let mut now = self.clock.now();
            if phase.share.stop.is_reached(now) {
                self.wind_down(&mut phase, now);
                if self.users.in_flight == 0 && self.users.waiting == 0 {
                    break;
                }
            } else {
                self.begin_due(&mut phase, now);
            }
            while now >= phase.next_second_ns() {
                self.end_second(&mut phase, observer);
            }
            if now >= next_sweep {
                self.sweep(&phase.share.stop, now);
                sweep_ns = self.sweep_interval();
                next_sweep = now + sweep_ns;
            }
            self.retry(now);
            now = self.clock.now();
            let wait = self.next_deadline(&phase).min(next_sweep).saturating_sub(now).min(LONGEST_WAIT_NS);
            self.poll_phase(wait, &mut phase)?;
        }
        self.users.flush_ledger();
        let unsent = phase.count_unsent(&mut self.users, u64::MAX);
        let last = self.users.take_tally(phase.share.is_scheduled);
        if !last.is_empty() {
            observer.second(phase.second, last);
        }
        Ok(PhaseOutcome {
            unsent,
            // A failure after the planned end changes the duration in no way.
            ended_ns: self.users.last_reply_ns.max(self.users.last_failure_ns.min(phase.share.stop.until_ns())),
            connections_opened: std::mem::take(&mut self.connections_opened),
        })
    }

    /// Closes all connections in order.
    pub fn finish(&mut self) {
        for index in 0..self.connections.len() {
            self.close_in_order(index);
        }
    }

    /// Every slot of every user is ready (closed model) or idle (open model).
    fn reset_turns(&mut self, share: &Share) {
        self.users.ready.clear();
        self.users.due.clear();
        self.users.idle.clear();
        for _ in 0..self.window {
            match share.rest {
                Rest::Think(_) => self.users.due.extend((0..share.users).map(|tag| (share.start_ns, tag))),
                Rest::Idle => self.users.idle.extend((0..share.users).map(|tag| (share.start_ns, tag))),
            }
        }
    }

    /// Stops beginning requests. After the end of the phase, requests that wait for a connection are dropped; after
    /// an interruption, replies are awaited for a limited time only.
    fn wind_down(&mut self, phase: &mut Phase, now: u64) {
        // A worker may learn late of an end that was brought forward: requests due in between do not count.
        let stopped_ns = *phase.stopped_ns.get_or_insert(now.min(phase.share.stop.until_ns()));
        self.users.ready.clear();
        self.users.due.clear();
        // Otherwise the loop would spin on an arrival that is past the end.
        self.users.idle.clear();
        if self.users.waiting > 0 && phase.share.stop.is_over(now) {
            for connection in &mut self.connections {
                for tag in connection.waiting.drain(..) {
                    phase.forgotten += u64::from(self.users.drop_unsent(tag));
                }
            }
        }
        if phase.share.stop.is_interrupted() && now >= stopped_ns + INTERRUPT_TIMEOUT_NS {
            self.interrupt(now);
        }
    }

    fn interrupt(&mut self, now: u64) {
        for index in 0..self.connections.len() {
            if !self.connections[index].wire.is_idle() {
                self.fail_connection(index, Failure::Interrupted, now);
            }
        }
    }

    /// Begins requests that are due: a limited number, so that replies are not delayed.
    fn begin_due(&mut self, phase: &mut Phase, now: u64) {
        for _ in 0..BEGUN_AT_ONCE {
            let Some(turn) = self.take_due(&mut phase.share, now) else {
                return;
            };
            let index = turn.tag as usize % self.connections.len();
            if self.start_call(index, turn, now) {
                self.flush(index, now);
            }
        }
    }

    /// Takes a request that is due. A request that may no longer begin stays queued, so that no arrival counts
    /// as sent that was not.
    fn take_due(&mut self, share: &mut Share, now: u64) -> Option<Turn> {
        match &mut share.arrivals {
            None => {
                let (due, tag) = *self.users.due.front().filter(|(due, _)| *due <= now && share.stop.admits(now))?;
                self.users.due.pop_front();
                Some(Turn {
                    tag,
                    wanted: Wanted::Drawn,
                    scheduled_ns: due,
                    ready_ns: share.is_scheduled.then_some(due),
                })
            }
            Some(arrivals) => {
                let due = share.start_ns + arrivals.peek()?;
                let (free_since, tag) = *self.users.idle.front()?;
                if due > now || !share.stop.admits(now) {
                    return None;
                }
                self.users.idle.pop_front();
                let wanted = arrivals.advance();
                Some(Turn { tag, wanted, scheduled_ns: due, ready_ns: Some(due.max(free_since)) })
            }
        }
    }

    /// Renders a request, or queues it for its connection. True when it was rendered.
    #[inline]
    fn start_call(&mut self, index: usize, turn: Turn, now: u64) -> bool {
        let connection = &mut self.connections[index];
        let waits_for_room = connection.is_up() && !connection.wire.has_room();
        // Where connections are shared, waiting for room is part of the service time; where each request has its own
        // connection, so is connecting.
        let is_service = waits_for_room || !self.keeps_alive;
        self.users.begin(turn.tag, turn.wanted, turn.scheduled_ns, if is_service { now } else { 0 }, now);
        if connection.has_room() {
            let clock = self.clock;
            return self.users.transmit(turn.tag, &mut connection.wire, &mut self.out, turn.ready_ns, || clock.now());
        }
        connection.waiting.push_back(turn.tag);
        if matches!(connection.link, Link::Down) {
            self.connect_when_due(index, now);
        }
        false
    }

    pub(super) fn flush(&mut self, index: usize, now: u64) {
        match self.connections[index].flush(&mut self.out) {
            Ok(written) => self.users.tally.bytes_sent += written as u64,
            Err(failure) => {
                self.out.clear();
                self.fail_connection(index, failure, now);
                self.defer_ready(now);
            }
        }
    }

    fn poll(&mut self, wait_ns: u64) -> std::io::Result<()> {
        let idle = Stop::new(Some(0), None, Arc::default());
        let mut phase = Phase::begin(Share {
            users: 0,
            rest: Rest::Think(0),
            arrivals: None,
            stop: idle,
            start_ns: 0,
            is_scheduled: false,
        });
        self.poll_phase(wait_ns, &mut phase)
    }

    fn poll_phase(&mut self, wait_ns: u64, phase: &mut Phase) -> std::io::Result<()> {
        let mut ready = std::mem::take(&mut self.ready);
        let waited = self.poller.wait(Duration::from_nanos(wait_ns), &mut ready);
        for event in &ready {
            self.handle_ready(event, phase);
        }
        self.ready = ready;
        waited
    }

    fn next_deadline(&self, phase: &Phase) -> u64 {
        let due = self.users.due.front().map(|(due, _)| *due);
        let retry = self.retries.peek().map(|Reverse((at, _))| *at);
        let arrival = phase.share.arrivals.as_ref().and_then(|arrivals| {
            let next = arrivals.peek().filter(|_| !self.users.idle.is_empty())?;
            Some(phase.share.start_ns + next)
        });
        let until = phase.share.stop.until_ns();
        // After its end a phase has no deadline.
        let until = (until > self.clock.now()).then_some(until);
        let deadlines = [due, retry, arrival, until, Some(phase.next_second_ns())];
        deadlines.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    fn end_second(&mut self, phase: &mut Phase, observer: &mut impl PhaseObserver) {
        let end_ns = phase.next_second_ns();
        phase.count_unsent(&mut self.users, end_ns);
        let tally = self.users.take_tally(phase.share.is_scheduled);
        observer.second(phase.second, tally);
        phase.second += 1;
    }
}
