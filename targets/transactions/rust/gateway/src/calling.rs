//! Calls from one worker, within the limits that all workers share.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bus::local::LocalBus;
use bus::nats::NatsBus;
use bus::{Bus, Call, CallError, Payload};
use tokio::sync::{OnceCell, Semaphore};
use tokio::time::{Instant, timeout_at};
use tracing::debug;

use crate::errors::Problem;
use crate::settings::{Calls, Settings, Transport};

/// What all workers share.
#[derive(Debug, Clone)]
pub struct Limits {
    in_flight: Arc<AtomicUsize>,
    /// None: any number of calls may be outstanding.
    turns: Option<Arc<Semaphore>>,
}

/// The bus of one worker; it connects with the worker's first call.
pub struct Services {
    settings: Arc<Settings>,
    limits: Limits,
    bus: OnceCell<Transported>,
}

enum Transported {
    Local(LocalBus),
    Nats(NatsBus),
}

impl Limits {
    /// Of the settings.
    pub fn of(settings: &Settings) -> Self {
        let turns = match settings.calls {
            Calls::Serial => Some(1),
            Calls::Pooled(size) => Some(size),
            Calls::Async => None,
        };
        Self { in_flight: Arc::default(), turns: turns.map(|turns| Arc::new(Semaphore::new(turns))) }
    }
}

impl Services {
    /// Not connected yet.
    pub fn new(settings: Arc<Settings>, limits: Limits) -> Self {
        Self { settings, limits, bus: OnceCell::new() }
    }

    /// Calls a service; its deadline begins now. All of the sample server's services may be called twice.
    pub async fn call(&self, service: &'static str, payload: Payload) -> Result<Payload, Problem> {
        let _counted = self.enter()?;
        let until = Instant::now() + self.settings.deadline;
        let _turn = match &self.limits.turns {
            Some(turns) => Some(timeout_at(until, turns.acquire()).await.map_err(|_| CallError::Deadline)?),
            None => None,
        };
        debug!(service, bytes = payload.bytes.len(), "calls");
        let deadline = until.saturating_duration_since(Instant::now());
        let call = Call { service, payload, deadline, idempotent: true };
        Ok(match self.bus().await? {
            Transported::Local(bus) => bus.call(call).await?,
            Transported::Nats(bus) => bus.call(call).await?,
        })
    }

    fn enter(&self) -> Result<InFlight<'_>, Problem> {
        let entered = InFlight(&self.limits.in_flight);
        if self.limits.in_flight.fetch_add(1, Ordering::Relaxed) >= self.settings.max_in_flight {
            return Err(Problem::Overloaded);
        }
        Ok(entered)
    }

    async fn bus(&self) -> Result<&Transported, Problem> {
        let connecting = self.bus.get_or_try_init(|| async {
            Ok::<_, std::io::Error>(match &self.settings.transport {
                Transport::Local { folder, servers } => {
                    let bus = LocalBus::connect(folder, *servers);
                    bus.connected().await;
                    Transported::Local(bus)
                }
                Transport::Nats { url, prefix } => Transported::Nats(NatsBus::connect(url, prefix).await?),
            })
        });
        connecting.await.map_err(|error| Problem::Call(CallError::Protocol(error.to_string())))
    }
}

/// Counts a request until it is dropped, whether it was answered or given up.
struct InFlight<'a>(&'a AtomicUsize);

impl Drop for InFlight<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
