//! Readiness of sockets: epoll, edge-triggered, with nanosecond timeouts.

use std::os::fd::{BorrowedFd, OwnedFd};
use std::time::Duration;

use rustix::buffer::spare_capacity;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;

/// The readiness of a socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ready {
    pub token: u64,
    pub readable: bool,
    pub writable: bool,
    /// The peer has closed its side: the readable bytes are the last.
    pub ended: bool,
}

/// Waits for sockets.
pub struct Poller {
    epoll: OwnedFd,
    events: Vec<epoll::Event>,
}

const BATCH: usize = 256;

impl Poller {
    /// # Errors
    /// No file descriptor is free.
    pub fn new() -> std::io::Result<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        Ok(Self { epoll, events: Vec::with_capacity(BATCH) })
    }

    /// Watches a socket until it is closed.
    ///
    /// # Errors
    /// The system is out of memory.
    pub fn watch(&self, socket: BorrowedFd<'_>, token: u64) -> std::io::Result<()> {
        let flags = epoll::EventFlags::IN | epoll::EventFlags::OUT | epoll::EventFlags::RDHUP | epoll::EventFlags::ET;
        Ok(epoll::add(&self.epoll, socket, epoll::EventData::new_u64(token), flags)?)
    }

    /// Watches a listening socket.
    ///
    /// # Errors
    /// The system is out of memory.
    pub fn watch_listener(&self, socket: BorrowedFd<'_>, token: u64) -> std::io::Result<()> {
        Ok(epoll::add(&self.epoll, socket, epoll::EventData::new_u64(token), epoll::EventFlags::IN)?)
    }

    /// Waits at most this long; fills `ready`.
    ///
    /// # Errors
    /// The system refuses to wait; an interruption by a signal is not an error.
    pub fn wait(&mut self, timeout: Duration, ready: &mut Vec<Ready>) -> std::io::Result<()> {
        let timeout = Timespec { tv_sec: timeout.as_secs().cast_signed(), tv_nsec: i64::from(timeout.subsec_nanos()) };
        self.events.clear();
        match epoll::wait(&self.epoll, spare_capacity(&mut self.events), Some(&timeout)) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        ready.clear();
        let broken = epoll::EventFlags::ERR | epoll::EventFlags::HUP;
        let ended = epoll::EventFlags::RDHUP | broken;
        ready.extend(self.events.iter().map(|event| {
            let flags = event.flags;
            Ready {
                token: event.data.u64(),
                readable: flags.intersects(epoll::EventFlags::IN | ended),
                writable: flags.intersects(epoll::EventFlags::OUT | broken),
                ended: flags.intersects(ended),
            }
        }));
        Ok(())
    }
}
