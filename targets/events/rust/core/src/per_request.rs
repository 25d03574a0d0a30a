//! One transaction for each request, no more requests under way than the queue would hold.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::commit::Committer;
use crate::error::Error;
use crate::model::Event;

/// Stores each request by itself.
pub struct PerRequest {
    committer: Arc<Committer>,
    room: Semaphore,
}

impl PerRequest {
    pub fn new(committer: Arc<Committer>, requests: usize) -> Self {
        Self { committer, room: Semaphore::new(requests) }
    }

    /// Stores the events of a request, unless too many requests are under way.
    pub async fn store(&self, events: &[&Event]) -> Result<Vec<Result<(), Error>>, Error> {
        let _room = self.room.try_acquire().map_err(|_| Error::overloaded())?;
        Ok(self.committer.commit(events).await)
    }

    /// Stores an event as soon as there is room.
    pub async fn store_waiting(&self, event: &Event) -> Result<(), Error> {
        let _room = self.room.acquire().await;
        only(self.committer.commit(&[event]).await)
    }
}

/// The outcome of the one event of a request.
pub fn only(outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
    outcomes.into_iter().collect()
}
