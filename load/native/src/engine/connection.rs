//! One connection: its socket, its protocol and the bytes that wait to be written.

use std::collections::VecDeque;
use std::sync::Arc;

use super::socket::{Moved, Socket};
use crate::failure::Failure;
use crate::wire::Wire;

/// The state of a connection.
#[derive(Debug)]
pub enum Link {
    Down,
    Connecting { socket: Socket, deadline_ns: u64 },
    Up(Socket),
}

/// A connection that is reopened when it breaks.
#[derive(Debug)]
pub struct Connection<W: Wire> {
    pub link: Link,
    pub wire: W,
    /// Users whose request waits for this connection.
    pub waiting: VecDeque<u32>,
    /// Bytes that the socket has not accepted yet.
    backlog: Vec<u8>,
    /// Failures since the last reply.
    pub failures: u32,
    pub retry_at_ns: u64,
    /// Distinguishes events of this socket from those of its predecessors.
    pub generation: u32,
}

/// The memory of a larger backlog is freed once it is written.
const KEPT_BACKLOG: usize = 4 * 1024;

impl<W: Wire> Connection<W> {
    pub fn new(shared: &Arc<W::Shared>) -> Self {
        Self {
            link: Link::Down,
            wire: W::new(shared),
            waiting: VecDeque::new(),
            backlog: Vec::new(),
            failures: 0,
            retry_at_ns: 0,
            generation: 0,
        }
    }

    #[inline]
    pub fn is_up(&self) -> bool {
        matches!(self.link, Link::Up(_))
    }

    /// Whether a request can be written now.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.is_up() && self.wire.has_room()
    }

    /// Closes the socket; the next one begins with a new protocol state.
    pub fn close(&mut self, shared: &Arc<W::Shared>) {
        self.link = Link::Down;
        self.wire = W::new(shared);
        self.backlog = Vec::new();
        self.generation = self.generation.wrapping_add(1);
    }

    /// Writes and empties `out`; keeps what the socket does not accept. Returns the bytes written.
    /// Bytes for a connection that has closed are dropped: they belong to no other connection.
    ///
    /// # Errors
    /// The connection is broken.
    #[inline]
    pub fn flush(&mut self, out: &mut Vec<u8>) -> Result<usize, Failure> {
        if out.is_empty() {
            return Ok(0);
        }
        let Link::Up(socket) = &self.link else {
            out.clear();
            return Ok(0);
        };
        if !self.backlog.is_empty() {
            self.backlog.append(out);
            return Ok(0);
        }
        let written = write_all(socket, out)?;
        if written < out.len() {
            self.backlog.extend_from_slice(&out[written..]);
        }
        out.clear();
        Ok(written)
    }

    /// Writes the backlog. Returns the bytes written.
    ///
    /// # Errors
    /// The connection is broken.
    pub fn flush_backlog(&mut self) -> Result<usize, Failure> {
        let Link::Up(socket) = &self.link else { return Ok(0) };
        if self.backlog.is_empty() {
            return Ok(0);
        }
        let written = write_all(socket, &self.backlog)?;
        self.backlog.drain(..written);
        if self.backlog.is_empty() && self.backlog.capacity() > KEPT_BACKLOG {
            self.backlog = Vec::new();
        }
        Ok(written)
    }
}

fn write_all(socket: &Socket, bytes: &[u8]) -> Result<usize, Failure> {
    let mut written = 0;
    while written < bytes.len() {
        match socket.write(&bytes[written..]) {
            Moved::Bytes(count) => written += count,
            Moved::WouldBlock | Moved::End => break,
            Moved::Failed(failure) => return Err(failure),
        }
    }
    Ok(written)
}
