//! What happens when a socket is ready: reading replies, and letting users go on.

use super::{Phase, READ_BUFFER, Turn, Worker};
use crate::engine::connection::Link;
use crate::engine::poller::Ready;
use crate::engine::socket::Moved;
use crate::engine::stop::Stop;
use crate::failure::Failure;
use crate::wire::{Reply, Wire};

impl<W: Wire> Worker<W> {
    pub(super) fn attend(&mut self, event: &Ready, phase: &mut Phase) {
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
                // A target that speaks first may have done so already, and is not reported again.
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
            Ok(written) => self.crew.tally.bytes_sent += written as u64,
            Err(failure) => {
                let now = self.clock.now();
                self.break_off(index, failure, now);
            }
        }
    }

    /// Reads all that has come. Edge-triggered: a read that does not fill the buffer has emptied the socket,
    /// but for the end, which only a further read tells and which is not reported again.
    fn read(&mut self, index: usize, ended: bool) {
        loop {
            let connection = &mut self.connections[index];
            let Link::Up(socket) = &connection.link else { return };
            let moved = socket.read(&mut self.read_buffer);
            let now = self.clock.now();
            let crew = &mut self.crew;
            let failures = &mut connection.failures;
            let mut sink = |reply: Reply<'_>| {
                *failures = 0;
                crew.complete(&reply, now);
            };
            let received = match moved {
                Moved::Bytes(count) => {
                    let bytes = &self.read_buffer[..count];
                    connection.wire.receive(bytes, &mut self.out, &mut sink).map(|()| count)
                }
                Moved::WouldBlock => Ok(0),
                Moved::End => {
                    connection.wire.end(&mut sink);
                    Err(Failure::Closed)
                }
                Moved::Failed(failure) => Err(failure),
            };
            match received {
                Err(failure) => return self.break_off(index, failure, now),
                Ok(count) => {
                    self.crew.tally.bytes_received += count as u64;
                    let has_more = count == READ_BUFFER || (ended && count > 0);
                    if has_more {
                        continue;
                    }
                }
            }
            let connection = &self.connections[index];
            if connection.wire.is_closing() && connection.wire.is_idle() {
                self.close(index);
            }
            return;
        }
    }

    /// After replies: users that are ready go on, and so do those that waited for room.
    fn follow_up(&mut self, index: usize, phase: &mut Phase) {
        let now = self.clock.now();
        if !self.crew.ready.is_empty() {
            std::mem::swap(&mut self.crew.ready, &mut self.going_on);
            for position in 0..self.going_on.len() {
                let tag = self.going_on[position];
                if phase.share.stop.admits(now) {
                    self.start_call(index, Turn { tag, scheduled_ns: now, ready_ns: now }, now);
                }
            }
            self.going_on.clear();
        }
        self.send_waiting(index, &phase.share.stop, now);
        if phase.share.arrivals.is_some() {
            self.begin_due(phase, now);
        }
    }

    /// Writes requests that have waited, as far as there is room, and all that is gathered.
    pub(super) fn send_waiting(&mut self, index: usize, stop: &Stop, now: u64) {
        let connection = &mut self.connections[index];
        while connection.has_room() {
            let Some(tag) = connection.waiting.pop_front() else {
                break;
            };
            let clock = self.clock;
            self.crew.transmit(tag, &mut connection.wire, &mut self.out, now, || clock.now());
        }
        if matches!(connection.link, Link::Down) && !connection.waiting.is_empty() && !stop.is_over(now) {
            self.connect_when_due(index, now);
        }
        self.flush(index, now);
    }
}
