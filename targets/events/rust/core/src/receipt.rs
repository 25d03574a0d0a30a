//! The promise of an outcome.

use tokio::sync::oneshot;

use crate::error::Error;

/// Stands for an event that was accepted; tells once whether it was stored.
#[derive(Debug)]
pub struct Receipt(oneshot::Receiver<Result<(), Error>>);

/// The other end of a receipt.
#[derive(Debug)]
pub struct Acknowledgement(oneshot::Sender<Result<(), Error>>);

impl Receipt {
    /// A receipt and what fulfils it.
    #[must_use]
    pub fn new() -> (Acknowledgement, Self) {
        let (sender, receiver) = oneshot::channel();
        (Acknowledgement(sender), Self(receiver))
    }

    /// Waits until the event is durable, or known not to be.
    pub async fn outcome(self) -> Result<(), Error> {
        // The other end is dropped without a word only when the process ends.
        self.0.await.unwrap_or_else(|_| Err(Error::unavailable()))
    }
}

impl Acknowledgement {
    /// Tells the outcome. A client that went away is not told.
    pub fn give(self, outcome: Result<(), Error>) {
        let _client_gone = self.0.send(outcome);
    }
}
