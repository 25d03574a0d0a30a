//! Stores a batch of events so that one bad event cannot fail its neighbours.

use std::sync::Arc;

use crate::error::Error;
use crate::model::Event;
use crate::outage::Outage;
use crate::rows::Rows;
use crate::storage::{Storage, StorageError};

/// Stores batches, with retries, and in halves when the database refuses a batch.
pub struct Committer {
    storage: Arc<dyn Storage>,
    outage: Outage,
}

impl Committer {
    pub fn new(storage: Arc<dyn Storage>) -> Self {
        Self { storage, outage: Outage::default() }
    }

    /// Stores events in this order; returns the outcome of each.
    pub async fn commit(&self, events: &[&Event]) -> Vec<Result<(), Error>> {
        let mut outcomes = Vec::with_capacity(events.len());
        // Parts are stored from left to right, which keeps the order of events and of outcomes.
        let mut parts = vec![events];
        while let Some(part) = parts.pop() {
            match self.store(part).await {
                Ok(()) => outcomes.extend(part.iter().map(|_| Ok(()))),
                Err(StorageError::Unavailable(_)) => outcomes.extend(part.iter().map(|_| Err(Error::unavailable()))),
                Err(StorageError::Refused(reason)) if part.len() == 1 => {
                    tracing::error!(reason, "the database refuses an event");
                    outcomes.push(Err(Error::internal()));
                }
                Err(StorageError::Refused(_)) => {
                    let (left, right) = part.split_at(part.len() / 2);
                    parts.extend([right, left]);
                }
            }
        }
        outcomes
    }

    /// Whether the database answers now.
    pub async fn check(&self) -> bool {
        self.storage.check().await.is_ok()
    }

    async fn store(&self, events: &[&Event]) -> Result<(), StorageError> {
        let rows = Rows::merge(events.iter().copied());
        tracing::debug!(events = events.len(), rows = rows.len(), "storing");
        self.outage.retry(|| self.storage.store(&rows)).await
    }
}
