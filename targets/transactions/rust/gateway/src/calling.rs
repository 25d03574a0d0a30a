//! Calls from one worker, within the limits that all workers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bus::endurox::EnduroxBus;
use bus::local::LocalBus;
use bus::nats::NatsBus;
use bus::{Bus, Call, CallError, Payload};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::debug;

use crate::errors::Problem;
use crate::settings::{Calls, Settings, Transport};
use crate::waiting::Batches;

/// What all workers share.
#[derive(Debug, Clone)]
pub struct Limits {
    in_flight: Arc<AtomicUsize>,
    most_in_flight: Arc<AtomicUsize>,
    /// None: any number of calls may be outstanding.
    turns: Option<Arc<Semaphore>>,
}

/// The bus of one worker; it connects with the worker's first call.
pub struct Services {
    settings: Arc<Settings>,
    limits: Limits,
    bus: OnceCell<Transported>,
    batches: Batches,
}

enum Transported {
    Local(LocalBus),
    Nats(NatsBus),
    Endurox(EnduroxBus),
}

impl Limits {
    /// Of the settings.
    pub fn of(settings: &Settings) -> Self {
        let turns = match settings.calls {
            Calls::Serial => Some(1),
            Calls::Pooled(size) => Some(size),
            Calls::Async => None,
        };
        let turns = turns.map(|turns| Arc::new(Semaphore::new(turns)));
        Self { in_flight: Arc::default(), most_in_flight: Arc::default(), turns }
    }

    /// The most requests that were in flight at once: how deep the queue was that they formed.
    pub fn most_in_flight(&self) -> usize {
        self.most_in_flight.load(Ordering::Relaxed)
    }
}

impl Services {
    /// Not connected yet.
    pub fn new(settings: Arc<Settings>, limits: Limits) -> Self {
        Self { settings, limits, bus: OnceCell::new(), batches: Batches::default() }
    }

    /// Calls a service for a request; its deadline begins now.
    pub async fn call(&self, service: &'static str, payload: Payload) -> Result<Payload, Problem> {
        let _counted = self.enter()?;
        Ok(self.call_now(service, payload).await?)
    }

    /// Transactions that wait for a call that takes several.
    pub fn batches(&self) -> &Batches {
        &self.batches
    }

    /// How many transactions one call takes at most.
    pub fn batch_size(&self) -> usize {
        self.settings.batch
    }

    /// The value, unless the deadline of a call that begins now comes first.
    pub async fn before_deadline<F: Future>(&self, value: F) -> Result<F::Output, CallError> {
        timeout(self.settings.deadline, value).await.map_err(|_| CallError::Deadline)
    }

    /// Calls a service; its deadline begins now. All of the sample server's services may be called twice.
    pub async fn call_now(&self, service: &'static str, payload: Payload) -> Result<Payload, CallError> {
        let until = Instant::now() + self.settings.deadline;
        let _turn = match &self.limits.turns {
            Some(turns) => Some(timeout_at(until, turns.acquire()).await.map_err(|_| CallError::Deadline)?),
            None => None,
        };
        debug!(service, bytes = payload.bytes.len(), "calls");
        let deadline = until.saturating_duration_since(Instant::now());
        let call = Call { service, payload, deadline, idempotent: true };
        match self.bus().await? {
            Transported::Local(bus) => bus.call(call).await,
            Transported::Nats(bus) => bus.call(call).await,
            Transported::Endurox(bus) => bus.call(call).await,
        }
    }

    /// Counts a request until what is returned is dropped; too many are refused.
    pub fn enter(&self) -> Result<InFlight<'_>, Problem> {
        let entered = InFlight(&self.limits.in_flight);
        let before = self.limits.in_flight.fetch_add(1, Ordering::Relaxed);
        if before >= self.settings.max_in_flight {
            return Err(Problem::Overloaded);
        }
        self.limits.most_in_flight.fetch_max(before + 1, Ordering::Relaxed);
        Ok(entered)
    }

    async fn bus(&self) -> Result<&Transported, CallError> {
        let connecting = self.bus.get_or_try_init(|| async {
            Ok::<_, std::io::Error>(match &self.settings.transport {
                Transport::Local { folder, servers } => {
                    let bus = LocalBus::connect(folder, *servers);
                    bus.connected().await;
                    Transported::Local(bus)
                }
                Transport::Nats { url, prefix } => Transported::Nats(NatsBus::connect(url, prefix).await?),
                Transport::Endurox => Transported::Endurox(EnduroxBus::open()?),
            })
        });
        connecting.await.map_err(|error| CallError::Protocol(error.to_string()))
    }
}

/// Counts a request until it is dropped, whether it was answered or given up.
pub struct InFlight<'a>(&'a AtomicUsize);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
