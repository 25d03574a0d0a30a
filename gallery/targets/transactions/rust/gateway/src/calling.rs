//! Calls from one worker, within the limits that all workers share.

use std::sync::Arc;
use std::time::Duration;

use bus::local::LocalBus;
use bus::nats::NatsBus;
use bus::{Bus, Call, CallError, Payload};
use endurox::EnduroxBus;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::registry::Registry;
use tokio::sync::{OnceCell, Semaphore, SemaphorePermit};
use tokio::time::{Instant, timeout, timeout_at};
use tracing::debug;

use crate::errors::Problem;
use crate::settings::{Calls, Settings, Transport};
use crate::waiting::Batches;

/// Bodies up to this size are not charged, so that ordinary requests are served while large ones exhaust the budget.
const FREE_BYTES: usize = 16 << 10;

/// The state that all workers share.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Requests that call or wait to: what `MAX_IN_FLIGHT` limits, so that no second count of them is kept.
    in_flight: Gauge,
    /// Calls without a turn, and transactions without a batch; what begins at once is not counted, and costs nothing.
    waiting: Gauge,
    /// None: any number of calls may be outstanding.
    turns: Option<Arc<Semaphore>>,
    /// Bytes that unfinished requests may still occupy.
    intake: Arc<Semaphore>,
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
        let intake = Arc::new(Semaphore::new(settings.intake_bytes));
        Self { in_flight: Gauge::default(), waiting: Gauge::default(), turns, intake }
    }

    /// Adds the gauges, as `GET /metrics` shows them.
    pub fn register(&self, registry: &mut Registry) {
        let calling = "Requests whose service is being called, or that wait for that";
        registry.register("transaction_gateway_requests_in_flight", calling, self.in_flight.clone());
        let waiting = "Calls that wait for their turn, and transactions that wait for the next batch";
        registry.register("transaction_gateway_calls_waiting", waiting, self.waiting.clone());
    }
}

impl Services {
    /// Not connected yet.
    pub fn new(settings: Arc<Settings>, limits: Limits) -> Self {
        let batches = Batches::counted_by(limits.waiting.clone());
        Self { settings, limits, bus: OnceCell::new(), batches }
    }

    /// Calls a service for a request; its deadline begins now.
    pub async fn call(&self, service: &'static str, payload: Payload) -> Result<Payload, Problem> {
        let _counted = self.enter()?;
        Ok(self.call_now(service, payload).await?)
    }

    /// How long a body may take to arrive.
    pub fn read_timeout(&self) -> Duration {
        self.settings.read_timeout
    }

    /// Reserves memory for a body that is about to arrive, until what is returned is dropped; none for a small one.
    pub fn reserve(&self, bytes: usize) -> Result<Option<SemaphorePermit<'_>>, Problem> {
        if bytes <= FREE_BYTES {
            return Ok(None);
        }
        let charged = u32::try_from(bytes).unwrap_or(u32::MAX);
        self.limits.intake.try_acquire_many(charged).map(Some).map_err(|_| Problem::Exhausted)
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
            Some(turns) => Some(self.turn(turns, until).await?),
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
    pub fn enter(&self) -> Result<Counted<'_>, Problem> {
        let (entered, before) = Counted::in_gauge(&self.limits.in_flight);
        if before >= self.settings.max_in_flight {
            return Err(Problem::Overloaded);
        }
        Ok(entered)
    }

    async fn turn<'a>(&self, turns: &'a Semaphore, until: Instant) -> Result<SemaphorePermit<'a>, CallError> {
        if let Ok(turn) = turns.try_acquire() {
            return Ok(turn);
        }
        let _waits = Counted::in_gauge(&self.limits.waiting);
        timeout_at(until, turns.acquire()).await.ok().and_then(Result::ok).ok_or(CallError::Deadline)
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

/// Counts one more in a gauge until it is dropped, whether it was answered or given up.
pub struct Counted<'a>(&'a Gauge);

impl<'a> Counted<'a> {
    /// With how many there were before.
    fn in_gauge(gauge: &'a Gauge) -> (Self, i64) {
        let before = gauge.inc();
        (Self(gauge), before)
    }
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        self.0.dec();
    }
}
