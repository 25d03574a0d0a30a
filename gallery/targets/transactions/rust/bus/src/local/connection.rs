//! One connection to one server: calls that wait for their replies, and the bytes that wait to be sent.

use std::cell::{Cell, RefCell};
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};
use tracing::warn;

use super::frame::{Frame, FrameError};
use super::slots::Slots;
use crate::error::CallError;
use crate::payload::Payload;

const READ_BYTES: usize = 64 << 10;
/// Unsent bytes beyond which a server counts as stuck and takes no further calls.
const MAX_UNSENT: usize = 64 << 20;

/// A server that is connected, until it ends.
#[derive(Debug, Default)]
pub(super) struct Connection {
    calls: RefCell<Slots>,
    unsent: RefCell<Vec<u8>>,
    has_unsent: Notify,
    /// When the calls that wait are looked at for their deadlines; None where none waits.
    looks_at: Cell<Option<Instant>>,
    looks_sooner: Notify,
    services: RefCell<Vec<String>>,
}

/// The reply to a call, or the error that ends it. Dropped, it is given up: a reply that comes later is dropped too.
#[derive(Debug)]
pub(super) struct Reply {
    connection: Rc<Connection>,
    /// None once the reply was taken.
    id: Option<u64>,
}

impl Future for Reply {
    type Output = Result<Payload, CallError>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        let id = self.id.expect("it is not polled after its end");
        let replied = self.connection.calls.borrow_mut().poll(id, context);
        if replied.is_ready() {
            self.id = None;
        }
        replied
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        if let Some(id) = self.id {
            self.connection.calls.borrow_mut().release(id);
        }
    }
}

impl Connection {
    /// Whether the server advertised the service, and takes calls.
    pub(super) fn offers(&self, service: &str) -> bool {
        self.services.borrow().iter().any(|name| name == service) && self.unsent.borrow().len() < MAX_UNSENT
    }

    /// Whether the server has said what it offers.
    pub(super) fn is_known(&self) -> bool {
        !self.services.borrow().is_empty()
    }

    /// Calls without a reply.
    pub(super) fn outstanding(&self) -> usize {
        self.calls.borrow().waiting()
    }

    /// Queues a call; the writer sends all that is queued at once.
    pub(super) fn send(self: Rc<Self>, service: &str, payload: &Payload, until: Instant) -> Reply {
        let id = self.calls.borrow_mut().take(until);
        if self.looks_at.get().is_none_or(|at| until < at) {
            self.looks_at.set(Some(until));
            self.looks_sooner.notify_one();
        }
        Frame::write_call(id, service, payload, &mut self.unsent.borrow_mut());
        self.has_unsent.notify_one();
        Reply { connection: self, id: Some(id) }
    }

    /// Carries frames until the server ends or breaks the rules; then every call that waits fails.
    pub(super) async fn run(self: Rc<Self>, stream: UnixStream) {
        let (reader, writer) = stream.into_split();
        let ended = tokio::select! {
            ended = self.read_all(reader) => ended,
            ended = self.write_all(writer) => ended,
            () = self.end_late_calls() => unreachable!("it looks as long as there is a connection"),
        };
        if let Err(error) = ended {
            warn!(%error, "the connection to a server was closed");
        }
        self.services.borrow_mut().clear();
        let wakers = self.calls.borrow_mut().end_all(&CallError::Disconnected);
        wakers.into_iter().for_each(Waker::wake);
    }

    /// One timer for all calls: it fires at the earliest deadline, and seldom, because most calls have their replies by
    /// then. A timer for each call took a tenth of the echoes a second.
    async fn end_late_calls(&self) {
        loop {
            let Some(at) = self.looks_at.get() else {
                self.looks_sooner.notified().await;
                continue;
            };
            tokio::select! {
                () = sleep_until(at) => {
                    let wakers = self.calls.borrow_mut().end_late(Instant::now());
                    wakers.into_iter().for_each(Waker::wake);
                    self.looks_at.set(self.calls.borrow().next_deadline());
                }
                () = self.looks_sooner.notified() => {}
            }
        }
    }

    async fn read_all(&self, mut reader: OwnedReadHalf) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(READ_BYTES);
        loop {
            bytes.reserve(READ_BYTES);
            if reader.read_buf(&mut bytes).await? == 0 {
                return Ok(());
            }
            let mut used = 0;
            while let Some((frame, length)) = Frame::read(&bytes[used..]).map_err(invalid)? {
                used += length;
                self.take(frame)?;
            }
            bytes.drain(..used);
        }
    }

    fn take(&self, frame: Frame<'_>) -> io::Result<()> {
        match frame {
            Frame::Advertise(names) => *self.services.borrow_mut() = names,
            Frame::Reply { id, result } => {
                let waker = self.calls.borrow_mut().reply(id, result.map_err(CallError::Failed));
                waker.into_iter().for_each(Waker::wake);
            }
            Frame::Call { .. } => return Err(io::Error::new(io::ErrorKind::InvalidData, "a server sent a call")),
        }
        Ok(())
    }

    async fn write_all(&self, mut writer: OwnedWriteHalf) -> io::Result<()> {
        let mut sending = Vec::new();
        loop {
            self.has_unsent.notified().await;
            // Calls that are made in this turn of the executor go out with the same system call.
            tokio::task::yield_now().await;
            std::mem::swap(&mut sending, &mut self.unsent.borrow_mut());
            writer.write_all(&sending).await?;
            sending.clear();
        }
    }
}

pub(super) fn invalid(error: FrameError) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
