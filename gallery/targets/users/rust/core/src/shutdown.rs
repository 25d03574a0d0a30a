//! Graceful shutdown: one signal for everything that serves requests.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Receives the shutdown signal.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

/// Sends the shutdown signal.
#[derive(Debug)]
pub struct Trigger(watch::Sender<bool>);

impl Shutdown {
    /// A connected pair; the signal has not been sent.
    #[must_use]
    pub fn new() -> (Trigger, Self) {
        let (sender, receiver) = watch::channel(false);
        (Trigger(sender), Self(receiver))
    }

    /// Waits for the signal. A dropped trigger counts as one.
    pub async fn requested(&mut self) {
        let _signalled = self.0.wait_for(|stop| *stop).await;
    }
}

impl Trigger {
    /// Sends the signal.
    pub fn fire(&self) {
        self.0.send_replace(true);
    }
}

/// SIGTERM or SIGINT, from now on: the process does not end by itself any more.
pub fn signalled() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    Ok(async move {
        tokio::select! {
            _ = terminate.recv() => {}
            _ = interrupt.recv() => {}
        }
    })
}
