//! What transports call: store events, by whichever strategy was chosen.

use std::sync::Arc;
use std::time::Instant;

use crate::bulk::{BulkReport, none_valid};
use crate::commit::Committer;
use crate::error::{Error, ErrorKind};
use crate::group_commit::GroupCommit;
use crate::model::Event;
use crate::per_request::{PerRequest, only};
use crate::receipt::Receipt;
use crate::settings::{Settings, WriteMode};
use crate::storage::Storage;

/// Most bytes of events that wait: the bound in events would allow 20 GB of the largest events.
pub(crate) const WAITING_BYTES: usize = 256 << 20;

/// Stores events.
pub struct Writer {
    strategy: Strategy,
    committer: Arc<Committer>,
}

enum Strategy {
    GroupCommit(GroupCommit),
    PerRequest(PerRequest),
}

impl Writer {
    /// Starts the strategy that the settings ask for. Needs a runtime.
    #[must_use]
    pub fn start(storage: Arc<dyn Storage>, settings: &Settings) -> Self {
        let committer = Arc::new(Committer::new(storage));
        let strategy = match settings.write_mode {
            WriteMode::GroupCommit => {
                Strategy::GroupCommit(GroupCommit::start(&committer, settings.flushers, settings.queue_events))
            }
            WriteMode::PerRequest => {
                Strategy::PerRequest(PerRequest::new(Arc::clone(&committer), settings.queue_events))
            }
        };
        Self { strategy, committer }
    }

    /// Stores an event; answers when it is durable.
    pub async fn store(&self, event: Event) -> Result<(), Error> {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.submit(event)?.outcome().await,
            Strategy::PerRequest(requests) => only(requests.store(vec![event]).await?),
        }
    }

    /// Accepts an event of a stream as soon as there is room. Events accepted one after another
    /// take effect in that order.
    pub async fn accept(&self, event: Event) -> Receipt {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.submit_waiting(event).await,
            Strategy::PerRequest(requests) => {
                let (acknowledgement, receipt) = Receipt::new();
                acknowledgement.give(requests.store_waiting(event).await);
                receipt
            }
        }
    }

    /// Stores those events of a bulk that are valid, each all or none, in their order.
    pub async fn store_bulk(&self, events: Vec<Result<Event, Error>>) -> Result<BulkReport, Error> {
        let started = Instant::now();
        if let Some(error) = none_valid(&events) {
            return Err(error);
        }
        let mut rejections = Vec::with_capacity(events.len());
        let mut valid = Vec::with_capacity(events.len());
        for event in events {
            rejections.push(event.map(|event| valid.push(event)));
        }
        let mut stored = self.store_all(valid).await?.into_iter();
        let outcomes = rejections.into_iter().map(|rejection| rejection.and_then(|()| stored.next().unwrap_or(Ok(()))));
        Ok(BulkReport::new(outcomes.collect(), started))
    }

    /// Whether the database answers now.
    pub async fn is_healthy(&self) -> bool {
        self.committer.check().await
    }

    /// Stores what was accepted and stops. To be called when no request is under way.
    pub async fn drain(&self) {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.drain().await,
            Strategy::PerRequest(_) => {}
        }
    }

    /// Fails as a whole when nothing could be stored for want of a database.
    async fn store_all(&self, events: Vec<Event>) -> Result<Vec<Result<(), Error>>, Error> {
        let outcomes = match &self.strategy {
            Strategy::GroupCommit(group) => {
                let mut outcomes = Vec::with_capacity(events.len());
                for receipt in group.submit_all(events)? {
                    outcomes.push(receipt.outcome().await);
                }
                outcomes
            }
            Strategy::PerRequest(requests) => requests.store(events).await?,
        };
        let away =
            |outcome: &Result<(), Error>| outcome.as_ref().is_err_and(|error| error.kind() == ErrorKind::Unavailable);
        if outcomes.iter().all(away) { Err(Error::unavailable()) } else { Ok(outcomes) }
    }
}

#[cfg(test)]
mod tests;
