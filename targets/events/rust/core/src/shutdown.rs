//! The wish to stop, as everything that serves requests learns of it.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// Learns that the process is to stop.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

/// Tells that the process is to stop.
#[derive(Debug)]
pub struct Trigger(watch::Sender<bool>);

impl Shutdown {
    /// A wish not yet uttered, and what utters it.
    #[must_use]
    pub fn new() -> (Trigger, Self) {
        let (sender, receiver) = watch::channel(false);
        (Trigger(sender), Self(receiver))
    }

    /// Waits for the wish. A trigger that is gone utters it, too.
    pub async fn requested(&mut self) {
        let _uttered = self.0.wait_for(|stop| *stop).await;
    }
}

impl Trigger {
    /// Utters the wish.
    pub fn pull(&self) {
        self.0.send_replace(true);
    }
}

/// Waits for SIGTERM or SIGINT.
pub async fn signalled() -> io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    tokio::select! {
        _ = terminate.recv() => {}
        _ = interrupt.recv() => {}
    }
    Ok(())
}
