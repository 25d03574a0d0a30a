//! The loop that drains the queue.

use std::sync::Arc;

use super::queue::Queue;
use crate::commit::Committer;
use crate::error::Error;
use crate::model::Event;

/// Stores batch after batch until the queue is closed and empty.
pub async fn run(queue: Arc<Queue>, committer: Arc<Committer>) {
    while let Some(batch) = queue.next_batch().await {
        let events: Vec<&Event> = batch.waiting.iter().map(|waiting| &waiting.event).collect();
        let outcomes = committer.commit(&events).await;
        if outcomes.contains(&Err(Error::unavailable())) {
            // Queued events fail as well: retried batch by batch, they could wait for minutes.
            queue.refuse_waiting(&Error::unavailable());
        }
        // Before the replies: a client that has one may send the next update of the same entity.
        queue.finish(&batch);
        for (waiting, outcome) in batch.waiting.into_iter().zip(outcomes) {
            waiting.acknowledgement.send(outcome);
        }
    }
}
