//! Handles ready sockets: reads replies and begins the next requests.

use super::{Phase, READ_BUFFER, Turn, Worker};
use crate::engine::connection::Link;
use crate::engine::poller::Ready;
use crate::engine::socket::Moved;
use crate::engine::stop::Stop;
use crate::failure::Failure;
use crate::wire::{Reply, Wire};
use crate::workload::Wanted;

impl<W: Wire> Worker<W> {
    pub(super) fn handle_ready(&mut self, event: &Ready, phase: &mut Phase) {
        let (index, generation) = (event.token as u32 as usize, (event.token >> 32) as u32);
        let Some(connection) = self.connections.get(index) else {
            return;
        };
        if connection.generation != generation {
            return;
        }
        match connection.link {
            Link::Down => return,
            Link::Connecting { .. } if event.writable => {
                self.connected(index, phase);
                // A target that sends first may have done so already, which is not reported again.
                if event.readable {
                    self.read(index, event.ended);
                }
            }
            Link::Connecting { .. } => return,
            Link::Up(_) => {
                if event.writable {
                    self.write_backlog(index);
                }
                if event.readable {
                    self.read(index, event.ended);
                }
            }
        }
        self.follow_up(index, phase);
    }

    fn write_backlog(&mut self, index: usize) {
        match self.connections[index].flush_backlog() {
            Ok(written) => self.users.tally.bytes_sent += written as u64,
            Err(failure) => {
                let now = self.clock.now();
                self.fail_connection(index, failure, now);
            }
        }
    }

    /// Reads everything available. Edge-triggered: a read that does not fill the buffer has emptied the socket,
    /// except for the end of the stream, which only another read shows and which is not reported again.
    fn read(&mut self, index: usize, ended: bool) {
        loop {
            let connection = &mut self.connections[index];
            let Link::Up(socket) = &connection.link else { return };
            let (moved, age) = socket.read_with_age(&mut self.read_buffer);
            let now = self.clock.now();
            if let Some(age) = age {
                self.arrived_ns = Some(now.saturating_sub(age.as_nanos() as u64));
            }
            let users = &mut self.users;
            let failures = &mut connection.failures;
            let mut sink = |reply: Reply<'_>| {
                *failures = 0;
                users.complete(&reply, now);
            };
            let mut taken = 0;
            let received = match moved {
                Moved::Bytes(count) => {
                    let bytes = &self.read_buffer[..count];
                    taken = count;
                    connection.wire.receive(bytes, &mut self.out, &mut sink)
                }
                Moved::WouldBlock => Ok(()),
                Moved::End => {
                    connection.wire.end(&mut sink);
                    Err(Failure::Closed)
                }
                Moved::Failed(failure) => Err(failure),
            };
            self.users.tally.bytes_received += taken as u64;
            self.connections[index].waiting.extend(self.users.again.drain(..));
            if let Err(failure) = received {
                if failure == Failure::Surplus {
                    // No request is in flight; what waits for the connection is sent on the next one.
                    self.users.tally.surplus += 1;
                    return self.close(index);
                }
                return self.fail_connection(index, failure, now);
            }
            let connection = &self.connections[index];
            if connection.wire.is_closing() && connection.wire.is_idle() {
                return self.close(index);
            }
            if taken == READ_BUFFER || (ended && taken > 0) {
                continue;
            }
            return;
        }
    }

    /// After replies: begins requests of ready users and writes those that waited for room.
    fn follow_up(&mut self, index: usize, phase: &mut Phase) {
        let now = self.clock.now();
        let arrived_ns = self.arrived_ns.take();
        if !self.users.ready.is_empty() {
            std::mem::swap(&mut self.users.ready, &mut self.continuing);
            for position in 0..self.continuing.len() {
                let tag = self.continuing[position];
                if phase.share.stop.admits(now) {
                    let turn = Turn { tag, wanted: Wanted::Drawn, scheduled_ns: now, ready_ns: arrived_ns };
                    self.start_call(index, turn, now);
                }
            }
            self.continuing.clear();
        }
        self.send_waiting(index, &phase.share.stop, now);
        if phase.share.arrivals.is_some() {
            self.begin_due(phase, now);
        }
    }

    /// Writes waiting requests while the connection has room, then flushes the output buffer.
    pub(super) fn send_waiting(&mut self, index: usize, stop: &Stop, now: u64) {
        let connection = &mut self.connections[index];
        while connection.has_room() {
            let Some(tag) = connection.waiting.pop_front() else {
                break;
            };
            let clock = self.clock;
            // It had to wait for room: from now on only the engine delays it.
            let ready_ns = self.users.tally.is_scheduled().then_some(now);
            self.users.transmit(tag, &mut connection.wire, &mut self.out, ready_ns, || clock.now());
        }
        if matches!(connection.link, Link::Down) && !connection.waiting.is_empty() && !stop.is_over(now) {
            self.connect_when_due(index, now);
        }
        self.flush(index, now);
    }
}
