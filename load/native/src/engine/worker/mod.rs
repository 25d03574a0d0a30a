//! The event loop: users, connections and timers of one thread, for any protocol.

mod deadlines;
mod links;
mod phase;
mod readiness;

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::clock::Clock;
use super::connection::{Connection, Link};
use super::crew::{Crew, Rest};
use super::poller::{Poller, Ready};
use super::stop::Stop;
use super::tally::Tally;
use crate::failure::Failure;
use crate::wire::Wire;

use phase::{Phase, Turn};
pub use phase::{PhaseOutcome, Share, Witness};

const SECOND_NS: u64 = 1_000_000_000;
/// No wait is longer, so that an interruption is noticed soon.
const LONGEST_WAIT_NS: u64 = 50_000_000;
const READ_BUFFER: usize = 256 * 1024;
/// Connections in the making at once: a listener's queue is short.
const CONNECTING_AT_ONCE: usize = 64;
/// Requests begun in one go before replies are looked at.
const BEGUN_AT_ONCE: usize = 32;
const LONGEST_CONNECT_NS: u64 = 5 * SECOND_NS;
/// How long replies are waited for after an interruption.
const PATIENCE_NS: u64 = 5 * SECOND_NS;

/// One thread's share of the load.
pub struct Worker<W: Wire> {
    clock: Clock,
    address: SocketAddr,
    shared: Arc<W::Shared>,
    poller: Poller,
    connections: Vec<Connection<W>>,
    crew: Crew,
    window: u32,
    timeout_ns: u64,
    /// Connections to be tried again, by time.
    retries: BinaryHeap<Reverse<(u64, usize)>>,
    connecting: usize,
    read_buffer: Vec<u8>,
    out: Vec<u8>,
    ready: Vec<Ready>,
    /// Users that go on after the replies just read.
    going_on: Vec<u32>,
    connections_opened: u64,
}

impl<W: Wire> Worker<W> {
    /// # Errors
    /// The system has no descriptor left.
    pub fn new(
        clock: Clock,
        address: SocketAddr,
        shared: Arc<W::Shared>,
        crew: Crew,
        window: u32,
        timeout_ns: u64,
    ) -> std::io::Result<Self> {
        Ok(Self {
            clock,
            address,
            shared,
            poller: Poller::new()?,
            connections: Vec::new(),
            crew,
            window,
            timeout_ns,
            retries: BinaryHeap::new(),
            connecting: 0,
            read_buffer: vec![0; READ_BUFFER],
            out: Vec::new(),
            ready: Vec::new(),
            going_on: Vec::new(),
            connections_opened: 0,
        })
    }

    /// Opens the connections that a phase needs, and closes those that it does not.
    /// Connections that cannot be made now are tried again during the phase, where their failures count.
    pub fn prepare(&mut self, users: u32, connections: usize, stop: &Stop) -> std::io::Result<()> {
        self.crew.muster(users);
        for index in connections..self.connections.len() {
            self.dismiss(index);
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

    /// Runs a phase to its end: no request is begun any more, and none is under way.
    pub fn run(&mut self, share: Share, witness: &mut impl Witness) -> std::io::Result<PhaseOutcome> {
        let mut phase = Phase::begin(share);
        self.crew.tally = Tally::new(phase.share.is_scheduled);
        self.crew.rest = phase.share.rest;
        self.crew.last_reply_ns = phase.share.start_ns;
        self.crew.last_failure_ns = phase.share.start_ns;
        self.line_up(&phase.share);
        let mut sweep_ns = self.sweep_interval();
        let mut next_sweep = self.clock.now() + sweep_ns;
        loop {
            let mut now = self.clock.now();
            if phase.share.stop.is_reached(now) {
                self.stand_down(&mut phase, now);
                if self.crew.under_way == 0 && self.crew.waiting == 0 {
                    break;
                }
            } else {
                self.begin_due(&mut phase, now);
            }
            while now >= phase.next_second_ns() {
                self.end_second(&mut phase, witness);
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
        self.crew.flush_ledger();
        let unsent = phase.count_unsent(&mut self.crew, u64::MAX);
        let last = std::mem::replace(&mut self.crew.tally, Tally::new(phase.share.is_scheduled));
        if !last.is_empty() {
            witness.second(phase.second, last);
        }
        Ok(PhaseOutcome {
            unsent,
            // What fails later than the phase was to end neither stretches nor shortens it.
            ended_ns: self.crew.last_reply_ns.max(self.crew.last_failure_ns.min(phase.share.stop.until_ns())),
            connections_opened: std::mem::take(&mut self.connections_opened),
        })
    }

    /// Says goodbye on all connections.
    pub fn finish(&mut self) {
        for index in 0..self.connections.len() {
            self.dismiss(index);
        }
    }

    /// Every slot of every user is ready (closed model) or idle (open model).
    fn line_up(&mut self, share: &Share) {
        self.crew.ready.clear();
        self.crew.due.clear();
        self.crew.idle.clear();
        for _ in 0..self.window {
            match share.rest {
                Rest::Think(_) => self.crew.due.extend((0..share.users).map(|tag| (share.start_ns, tag))),
                Rest::Idle => self.crew.idle.extend((0..share.users).map(|tag| (share.start_ns, tag))),
            }
        }
    }

    /// Nobody begins any more. When the time is over, requests that wait for a connection are forgotten, and after
    /// an interruption replies are not waited for beyond all patience.
    fn stand_down(&mut self, phase: &mut Phase, now: u64) {
        // A worker may hear late of an end that was brought forward: what fell due meanwhile was never due.
        let stopped_ns = *phase.stopped_ns.get_or_insert(now.min(phase.share.stop.until_ns()));
        self.crew.ready.clear();
        self.crew.due.clear();
        // Or an arrival that came too late for them would be waited for without a pause.
        self.crew.idle.clear();
        if self.crew.waiting > 0 && phase.share.stop.is_over(now) {
            for connection in &mut self.connections {
                for tag in connection.waiting.drain(..) {
                    phase.forgotten += u64::from(self.crew.drop_unsent(tag));
                }
            }
        }
        if phase.share.stop.is_interrupted() && now >= stopped_ns + PATIENCE_NS {
            self.interrupt(now);
        }
    }

    fn interrupt(&mut self, now: u64) {
        for index in 0..self.connections.len() {
            if !self.connections[index].wire.is_idle() {
                self.break_off(index, Failure::Interrupted, now);
            }
        }
    }

    /// Begins what is due by now: a few requests, so that replies do not wait for all of them.
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

    /// Takes out a request that is due. What may not be begun any more stays where it is, so that no arrival counts
    /// as passed that nobody took.
    fn take_due(&mut self, share: &mut Share, now: u64) -> Option<Turn> {
        match &mut share.arrivals {
            None => {
                let (due, tag) = *self.crew.due.front().filter(|(due, _)| *due <= now && share.stop.admits(now))?;
                self.crew.due.pop_front();
                Some(Turn { tag, scheduled_ns: due, ready_ns: due })
            }
            Some(arrivals) => {
                let due = share.start_ns + arrivals.peek()?;
                let (free_since, tag) = *self.crew.idle.front()?;
                if due > now || !share.stop.admits(now) {
                    return None;
                }
                self.crew.idle.pop_front();
                arrivals.advance();
                Some(Turn { tag, scheduled_ns: due, ready_ns: due.max(free_since) })
            }
        }
    }

    /// Renders a request, or lets it wait for its connection. True when something was rendered.
    #[inline]
    fn start_call(&mut self, index: usize, turn: Turn, now: u64) -> bool {
        let connection = &mut self.connections[index];
        let waits_for_room = connection.is_up() && !connection.wire.has_room();
        // Where connections are shared, waiting for room is part of the service that a user gets.
        self.crew.begin(turn.tag, turn.scheduled_ns, if waits_for_room { now } else { 0 }, now);
        if connection.has_room() {
            let clock = self.clock;
            return self.crew.transmit(turn.tag, &mut connection.wire, &mut self.out, turn.ready_ns, || clock.now());
        }
        connection.waiting.push_back(turn.tag);
        if matches!(connection.link, Link::Down) {
            self.connect_when_due(index, now);
        }
        false
    }

    fn flush(&mut self, index: usize, now: u64) {
        match self.connections[index].flush(&mut self.out) {
            Ok(written) => self.crew.tally.bytes_sent += written as u64,
            Err(failure) => {
                self.out.clear();
                self.break_off(index, failure, now);
                self.put_off_ready(now);
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
            self.attend(event, phase);
        }
        self.ready = ready;
        waited
    }

    fn next_deadline(&self, phase: &Phase) -> u64 {
        let due = self.crew.due.front().map(|(due, _)| *due);
        let retry = self.retries.peek().map(|Reverse((at, _))| *at);
        let arrival = phase.share.arrivals.as_ref().and_then(|arrivals| {
            let next = arrivals.peek().filter(|_| !self.crew.idle.is_empty())?;
            Some(phase.share.start_ns + next)
        });
        let until = phase.share.stop.until_ns();
        // Once a phase is over, its end is no deadline any more.
        let until = (until > self.clock.now()).then_some(until);
        let deadlines = [due, retry, arrival, until, Some(phase.next_second_ns())];
        deadlines.into_iter().flatten().min().unwrap_or(u64::MAX)
    }

    fn end_second(&mut self, phase: &mut Phase, witness: &mut impl Witness) {
        let end_ns = phase.next_second_ns();
        phase.count_unsent(&mut self.crew, end_ns);
        let tally = std::mem::replace(&mut self.crew.tally, Tally::new(phase.share.is_scheduled));
        witness.second(phase.second, tally);
        phase.second += 1;
    }
}
