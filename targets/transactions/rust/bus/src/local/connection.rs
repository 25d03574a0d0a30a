//! One connection to one server: calls that wait for their replies, and the bytes that wait to be sent.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::io;
use std::rc::Rc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{Notify, oneshot};
use tracing::warn;

use super::frame::{Frame, FrameError};
use crate::error::CallError;
use crate::payload::Payload;

const READ_BYTES: usize = 64 << 10;
/// Unsent bytes beyond which a server counts as stuck and takes no further calls.
const MAX_UNSENT: usize = 64 << 20;

type Waiting = oneshot::Sender<Result<Payload, CallError>>;

/// A server that is connected, until it ends.
#[derive(Debug, Default)]
pub(super) struct Connection {
    waiting: RefCell<HashMap<u64, Waiting>>,
    unsent: RefCell<Vec<u8>>,
    has_unsent: Notify,
    services: RefCell<Vec<String>>,
    next_id: Cell<u64>,
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
        self.waiting.borrow().len()
    }

    /// Queues a call; the writer sends all that is queued at once.
    pub(super) fn send(
        &self,
        service: &str,
        payload: &Payload,
    ) -> (u64, oneshot::Receiver<Result<Payload, CallError>>) {
        let id = self.next_id.get();
        self.next_id.set(id + 1);
        let (reply, waiting) = oneshot::channel();
        self.waiting.borrow_mut().insert(id, reply);
        Frame::write_call(id, service, payload, &mut self.unsent.borrow_mut());
        self.has_unsent.notify_one();
        (id, waiting)
    }

    /// Stops waiting: a reply that comes later is dropped.
    pub(super) fn forget(&self, id: u64) {
        self.waiting.borrow_mut().remove(&id);
    }

    /// Carries frames until the server ends or breaks the rules; then every call that waits fails.
    pub(super) async fn run(self: Rc<Self>, stream: UnixStream) {
        let (reader, writer) = stream.into_split();
        let ended = tokio::select! {
            ended = self.read_all(reader) => ended,
            ended = self.write_all(writer) => ended,
        };
        if let Err(error) = ended {
            warn!(%error, "the connection to a server was closed");
        }
        self.services.borrow_mut().clear();
        for (_, waiting) in self.waiting.borrow_mut().drain() {
            // The caller may have met its deadline meanwhile.
            let _ = waiting.send(Err(CallError::Disconnected));
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

    fn take(&self, frame: Frame) -> io::Result<()> {
        match frame {
            Frame::Advertise(names) => *self.services.borrow_mut() = names,
            Frame::Reply { id, result } => {
                if let Some(waiting) = self.waiting.borrow_mut().remove(&id) {
                    // A receiver that is gone met its deadline.
                    let _ = waiting.send(result.map_err(CallError::Failed));
                }
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
