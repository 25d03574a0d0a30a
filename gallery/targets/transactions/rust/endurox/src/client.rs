use std::cell::Cell;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};
use std::thread::{self, JoinHandle};

use bus::{Bus, Call, CallError, Counted, Payload};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::context::{self, Wake};
use crate::library::Functions;
use crate::waiting::Waiting;

/// A thread that calls for this one, and a membership of the domain that the `NDRX_*` variables describe; it joins with
/// the first call, and again when it was lost.
#[derive(Debug)]
pub struct EnduroxBus {
    /// None once the bus is dropped.
    calls: Option<Sender<Waiting>>,
    wake: Arc<Wake>,
    thread: Option<JoinHandle<()>>,
    outstanding: Cell<usize>,
}

impl EnduroxBus {
    /// Opens the libraries in `$NDRX_HOME`.
    pub fn open() -> io::Result<Self> {
        let functions = Functions::load().map_err(io::Error::other)?;
        let (calls, waiting) = channel();
        let wake = Arc::new(Wake::new()?);
        let woken = Arc::clone(&wake);
        let thread = thread::Builder::new().name("endurox".into());
        let thread = thread.spawn(move || context::run(functions, &waiting, &woken))?;
        Ok(Self { calls: Some(calls), wake, thread: Some(thread), outstanding: Cell::new(0) })
    }
}

impl Bus for EnduroxBus {
    async fn call(&self, call: Call) -> Result<Payload, CallError> {
        let _counted = Counted::one_of(&self.outstanding);
        let Call { service, payload, deadline, idempotent: _ } = call;
        let (reply, replied) = oneshot::channel();
        let sent = self.calls.as_ref().map(|calls| calls.send(Waiting { service, payload, deadline, reply }));
        if !matches!(sent, Some(Ok(()))) {
            return Err(CallError::Unavailable);
        }
        self.wake.wake();
        match timeout(deadline, replied).await {
            Err(_) => Err(CallError::Deadline),
            Ok(Err(_)) => Err(CallError::Disconnected),
            Ok(Ok(result)) => result,
        }
    }

    fn outstanding(&self) -> usize {
        self.outstanding.get()
    }
}

impl Drop for EnduroxBus {
    fn drop(&mut self) {
        self.calls = None;
        self.wake.wake();
        // The thread leaves the domain, which removes its queue.
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
