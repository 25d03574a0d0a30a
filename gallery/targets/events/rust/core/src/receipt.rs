//! The future outcome of an accepted event.

use tokio::sync::oneshot;

use crate::error::Error;

/// Resolves to the outcome of an accepted event.
#[derive(Debug)]
pub struct Receipt(oneshot::Receiver<Result<(), Error>>);

/// The sending half of a receipt.
#[derive(Debug)]
pub struct Acknowledgement(oneshot::Sender<Result<(), Error>>);

impl Receipt {
    /// A connected pair.
    #[must_use]
    pub fn new() -> (Acknowledgement, Self) {
        let (sender, receiver) = oneshot::channel();
        (Acknowledgement(sender), Self(receiver))
    }

    /// Waits until the event is durable, or known not to be.
    pub async fn outcome(self) -> Result<(), Error> {
        // The sender is dropped without a value only when the process exits.
        self.0.await.unwrap_or_else(|_| Err(Error::unavailable()))
    }
}

impl Acknowledgement {
    /// Sends the outcome, unless the client has disconnected.
    pub fn send(self, outcome: Result<(), Error>) {
        let _disconnected = self.0.send(outcome);
    }
}
