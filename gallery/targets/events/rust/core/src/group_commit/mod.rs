//! Many requests, few commits: events wait in a queue, and each idle flusher stores all that wait.
//!
//! There is no timer. A single event is stored at once; under load a batch is what arrived during the last commit.

mod flusher;
mod queue;

use std::sync::{Arc, Mutex, PoisonError};

use tokio::task::JoinSet;

use crate::commit::Committer;
use crate::error::Error;
use crate::model::Event;
use crate::receipt::Receipt;
use queue::Queue;

/// A running group commit.
pub struct GroupCommit {
    queue: Arc<Queue>,
    flushers: Mutex<JoinSet<()>>,
}

impl GroupCommit {
    /// Starts `flushers` flushers over a queue of at most `queue_events` events.
    pub fn start(committer: &Arc<Committer>, flushers: usize, queue_events: usize) -> Self {
        let queue = Arc::new(Queue::new(queue_events, flushers > 1));
        let mut tasks = JoinSet::new();
        for _ in 0..flushers {
            tasks.spawn(flusher::run(Arc::clone(&queue), Arc::clone(committer)));
        }
        Self { queue, flushers: Mutex::new(tasks) }
    }

    /// Queues an event, unless the queue is full.
    pub fn submit(&self, event: Event) -> Result<Receipt, Error> {
        self.queue.push(event)
    }

    /// Queues consecutive events, all or none.
    pub fn submit_all(&self, events: Vec<Event>) -> Result<Vec<Receipt>, Error> {
        self.queue.push_all(events)
    }

    /// Queues an event as soon as there is room.
    pub async fn submit_waiting(&self, event: Event) -> Receipt {
        self.queue.push_waiting(event).await
    }

    /// Stores what is queued and stops.
    pub async fn drain(&self) {
        self.queue.close();
        let flushers = std::mem::take(&mut *self.flushers.lock().unwrap_or_else(PoisonError::into_inner));
        flushers.join_all().await;
    }
}

#[cfg(test)]
mod tests;
