//! One transaction per request, with as many in flight at most as the queue would hold.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::commit::Committer;
use crate::error::Error;
use crate::limits::QUEUED_BYTES;
use crate::model::Event;

/// Stores each request in its own transaction.
pub struct PerRequest {
    committer: Arc<Committer>,
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// The permits that a request holds until its transaction has ended.
type Room = [OwnedSemaphorePermit; 2];

impl PerRequest {
    pub fn new(committer: Arc<Committer>, requests: usize) -> Self {
        Self { committer, requests: Arc::new(Semaphore::new(requests)), bytes: Arc::new(Semaphore::new(QUEUED_BYTES)) }
    }

    /// Stores the events of a request, unless too many requests are in flight.
    pub async fn store(&self, events: Vec<Event>) -> Result<Vec<Result<(), Error>>, Error> {
        let room = self.room(bytes(&events)).ok_or_else(Error::overloaded)?;
        Ok(self.commit(events, room).await)
    }

    /// Stores an event as soon as there is room.
    pub async fn store_waiting(&self, event: Event) -> Result<(), Error> {
        let events = vec![event];
        let request = Arc::clone(&self.requests).acquire_owned().await;
        let bytes = Arc::clone(&self.bytes).acquire_many_owned(bytes(&events)).await;
        let room = [request, bytes].map(|permit| permit.expect("the bounds are never closed"));
        only(self.commit(events, room).await)
    }

    fn room(&self, bytes: u32) -> Option<Room> {
        let request = Arc::clone(&self.requests).try_acquire_owned().ok()?;
        Some([request, Arc::clone(&self.bytes).try_acquire_many_owned(bytes).ok()?])
    }

    /// Runs in its own task, so that a client that disconnects does not cancel the transaction: the cancelled
    /// connection would count no longer, but stay open on the server beyond the bound of the pool.
    async fn commit(&self, events: Vec<Event>, room: Room) -> Vec<Result<(), Error>> {
        let committer = Arc::clone(&self.committer);
        let count = events.len();
        let commit = tokio::spawn(async move {
            let _room = room;
            committer.commit(&events.iter().collect::<Vec<_>>()).await
        });
        commit.await.unwrap_or_else(|_stopped| vec![Err(Error::unavailable()); count])
    }
}

/// Events of a request have far fewer bytes than fit into the type.
fn bytes(events: &[Event]) -> u32 {
    events.iter().map(Event::bytes).sum::<usize>().try_into().unwrap_or(u32::MAX)
}

/// The outcome of the one event of a request.
pub fn only(outcomes: Vec<Result<(), Error>>) -> Result<(), Error> {
    outcomes.into_iter().collect()
}
