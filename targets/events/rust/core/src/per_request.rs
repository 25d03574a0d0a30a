//! One transaction for each request, no more under way than the queue would hold.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::commit::Committer;
use crate::error::Error;
use crate::model::Event;
use crate::writer::WAITING_BYTES;

/// Stores each request by itself.
pub struct PerRequest {
    committer: Arc<Committer>,
    requests: Arc<Semaphore>,
    bytes: Arc<Semaphore>,
}

/// What a request takes of the bounds, until its transaction has ended.
type Room = [OwnedSemaphorePermit; 2];

impl PerRequest {
    pub fn new(committer: Arc<Committer>, requests: usize) -> Self {
        Self { committer, requests: Arc::new(Semaphore::new(requests)), bytes: Arc::new(Semaphore::new(WAITING_BYTES)) }
    }

    /// Stores the events of a request, unless too many requests are under way.
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

    /// In a task of its own: a client that leaves does not break off the transaction. That would cost a connection,
    /// which the database would keep until it notices, beyond the bound of the pool.
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
