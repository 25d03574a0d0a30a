//! Deadlines of requests and of connecting sockets.

use super::Worker;
use crate::engine::connection::Link;
use crate::engine::stop::Stop;
use crate::engine::users::Awaited;
use crate::failure::Failure;
use crate::wire::{Cancelled, Wire};

impl<W: Wire> Worker<W> {
    /// How often deadlines are checked: often enough that none is missed by much.
    pub(super) fn sweep_interval(&self) -> u64 {
        (self.timeout_ns / 20).clamp(1_000_000, 100_000_000)
    }

    pub(super) fn sweep(&mut self, stop: &Stop, now: u64) {
        for index in 0..self.connections.len() {
            let late =
                matches!(self.connections[index].link, Link::Connecting { deadline_ns, .. } if deadline_ns <= now);
            if late {
                self.connecting -= 1;
                self.fail_connecting(index, Failure::ConnectTimeout);
            }
        }
        for index in 0..self.connections.len() {
            if self.connections[index].is_up() {
                self.check_connection(index, now);
            }
        }
        for (tag, awaited) in self.users.overdue(now) {
            let index = tag as usize % self.connections.len();
            let connection = &mut self.connections[index];
            if awaited == Awaited::Reply {
                self.time_out(index, tag, now);
            } else {
                let never_connected = awaited == Awaited::Connection && !connection.is_up();
                let failure = if never_connected { Failure::ConnectTimeout } else { Failure::Timeout };
                connection.waiting.retain(|waiting| *waiting != tag);
                self.users.fail_unsent(tag, failure, now);
            }
            self.defer_ready(now);
            self.send_waiting(index, stop, now);
        }
    }

    fn check_connection(&mut self, index: usize, now: u64) {
        match self.connections[index].wire.tick(now, &mut self.out) {
            Ok(()) => self.flush(index, now),
            Err(failure) => {
                self.out.clear();
                self.fail_connection(index, failure, now);
                self.defer_ready(now);
            }
        }
    }

    fn time_out(&mut self, index: usize, tag: u32, now: u64) {
        let connection = &mut self.connections[index];
        let users = &mut self.users;
        match connection.wire.cancel(tag, &mut self.out) {
            Cancelled::One => users.fail(tag, Failure::Timeout, now),
            Cancelled::All => connection.wire.abandon(&mut |tag| users.fail(tag, Failure::Timeout, now)),
            Cancelled::Connection => {
                users.fail(tag, Failure::Timeout, now);
                self.close(index);
            }
        }
    }
}
