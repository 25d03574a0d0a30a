//! Opening connections, and handling broken ones.

use std::cmp::Reverse;
use std::os::fd::AsFd;

use super::{LONGEST_CONNECT_NS, Phase, STAMPED_EVERY, Worker};
use crate::engine::connection::Link;
use crate::engine::pacer::reconnect_delay_ns;
use crate::engine::socket::Socket;
use crate::failure::Failure;
use crate::wire::Wire;

impl<W: Wire> Worker<W> {
    pub(super) fn connected(&mut self, index: usize, phase: &Phase) {
        let connection = &mut self.connections[index];
        let Link::Connecting { socket, .. } = &connection.link else {
            return;
        };
        self.connecting -= 1;
        if let Err(failure) = socket.check_connected() {
            self.fail_connecting(index, failure);
            return;
        }
        if let Link::Connecting { socket, .. } = std::mem::replace(&mut connection.link, Link::Down) {
            connection.link = Link::Up(socket);
        }
        self.connections_opened += 1;
        connection.wire.greet(&mut self.out);
        let now = self.clock.now();
        self.flush(index, now);
        self.send_waiting(index, &phase.share.stop, now);
    }

    pub(super) fn connect_when_due(&mut self, index: usize, now: u64) {
        let retry_at = self.connections[index].retry_at_ns;
        if retry_at <= now {
            self.connect(index);
        } else {
            self.retries.push(Reverse((retry_at, index)));
        }
    }

    pub(super) fn connect(&mut self, index: usize) {
        let connection = &mut self.connections[index];
        let deadline_ns = self.clock.now() + self.timeout_ns.min(LONGEST_CONNECT_NS);
        connection.generation = connection.generation.wrapping_add(1);
        let token = u64::from(connection.generation) << 32 | index as u64;
        let watched = Socket::connect(&self.address).and_then(|mut socket| {
            if index.is_multiple_of(STAMPED_EVERY) {
                socket.note_arrivals();
            }
            self.poller.watch(socket.as_fd(), token).map_err(|_| Failure::DescriptorsExhausted)?;
            Ok(socket)
        });
        match watched {
            Ok(socket) => {
                connection.link = Link::Connecting { socket, deadline_ns };
                self.connecting += 1;
            }
            Err(failure) => self.fail_connecting(index, failure),
        }
    }

    /// Fails all requests that waited for this connection, and delays the next attempt.
    pub(super) fn fail_connecting(&mut self, index: usize, failure: Failure) {
        let now = self.clock.now();
        let connection = &mut self.connections[index];
        connection.close(&self.shared);
        connection.failures += 1;
        connection.retry_at_ns = now + reconnect_delay_ns(connection.failures);
        for tag in std::mem::take(&mut connection.waiting) {
            self.users.fail_unsent(tag, failure, now);
        }
        self.defer_ready(now);
    }

    /// Users that are ready although nothing was read continue when timers are checked.
    pub(super) fn defer_ready(&mut self, now: u64) {
        for tag in std::mem::take(&mut self.users.ready) {
            self.users.push_due(now, tag);
        }
    }

    /// The connection is unusable: everything in flight on it has failed.
    pub(super) fn fail_connection(&mut self, index: usize, failure: Failure, now: u64) {
        let connection = &mut self.connections[index];
        let users = &mut self.users;
        if let Some(reason) = connection.wire.reason() {
            users.tally.note_reason(failure, &reason);
        }
        let had_work = !connection.wire.is_idle();
        connection.wire.abandon(&mut |tag| users.fail(tag, failure, now));
        if !had_work && !connection.waiting.is_empty() {
            // Requests wait on an idle connection only during its handshake.
            return self.fail_connecting(index, failure);
        }
        connection.close(&self.shared);
        if had_work {
            connection.failures += 1;
            // After the first failure since a reply, reconnect at once.
            connection.retry_at_ns = now + reconnect_delay_ns(connection.failures - 1);
        }
    }

    pub(super) fn close(&mut self, index: usize) {
        self.connections[index].close(&self.shared);
    }

    pub(super) fn close_in_order(&mut self, index: usize) {
        let connection = &mut self.connections[index];
        if matches!(connection.link, Link::Connecting { .. }) {
            self.connecting -= 1;
        }
        connection.wire.farewell(&mut self.out);
        // The peer may already have closed the connection.
        let _ = connection.flush(&mut self.out);
        self.out.clear();
        connection.close(&self.shared);
    }

    pub(super) fn retry(&mut self, now: u64) {
        while let Some(Reverse((at, index))) = self.retries.peek().copied() {
            if at > now {
                return;
            }
            self.retries.pop();
            let wanted = self.connections.get(index).is_some_and(|connection| {
                matches!(connection.link, Link::Down) && !connection.waiting.is_empty() && connection.retry_at_ns <= now
            });
            if wanted {
                self.connect(index);
            }
        }
    }
}
