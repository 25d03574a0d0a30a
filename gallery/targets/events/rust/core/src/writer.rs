//! The interface of the core to transports: stores events by the configured write mode.

use std::sync::Arc;
use std::time::Instant;

use crate::bulk::{BulkReport, none_valid};
use crate::commit::Committer;
use crate::error::{Error, ErrorKind};
use crate::group_commit::GroupCommit;
use crate::intake::Intake;
use crate::model::Event;
use crate::per_request::{PerRequest, only};
use crate::receipt::Receipt;
use crate::settings::{Settings, WriteMode};
use crate::storage::Storage;

/// Stores events.
pub struct Writer {
    strategy: Strategy,
    committer: Arc<Committer>,
    intake: Intake,
}

enum Strategy {
    GroupCommit(GroupCommit),
    PerRequest(PerRequest),
}

impl Writer {
    /// Starts the configured write mode. Requires a Tokio runtime.
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
        Self { strategy, committer, intake: Intake::new(settings.intake_bytes).within(settings.limits.read) }
    }

    /// The budget of requests that are still arriving; what they contain is bounded by the queue.
    #[must_use]
    pub fn intake(&self) -> &Intake {
        &self.intake
    }

    /// Stores an event; returns when it is durable.
    pub async fn store(&self, event: Event) -> Result<(), Error> {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.submit(event)?.outcome().await,
            Strategy::PerRequest(requests) => only(requests.store(vec![event]).await?),
        }
    }

    /// Accepts an event of a stream as soon as there is room. Events take effect in the order of acceptance.
    pub async fn accept(&self, event: Event) -> Receipt {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.submit_waiting(event).await,
            Strategy::PerRequest(requests) => {
                let (acknowledgement, receipt) = Receipt::new();
                acknowledgement.send(requests.store_waiting(event).await);
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

    /// Stores accepted events and stops. Call it when no request is in flight.
    pub async fn drain(&self) {
        match &self.strategy {
            Strategy::GroupCommit(group) => group.drain().await,
            Strategy::PerRequest(_) => {}
        }
    }

    /// Fails as a whole when the database was unavailable for all events.
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
        let is_unavailable =
            |outcome: &Result<(), Error>| outcome.as_ref().is_err_and(|error| error.kind() == ErrorKind::Unavailable);
        if outcomes.iter().all(is_unavailable) { Err(Error::unavailable()) } else { Ok(outcomes) }
    }
}

#[cfg(test)]
mod tests;
