//! The operations of the service, which both transports call: limit of the rate, rules, deadline, store.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use governor::{DefaultDirectRateLimiter, Quota, RateLimiter};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, SemaphorePermit};
use tokio::time::Instant;

use crate::deadline::within;
use crate::error::Error;
use crate::repository::Repository;
use crate::rules;
use crate::user::{Change, Page, Query, User};

/// Bytes of a request that are not charged, so that ordinary requests are served while large ones exhaust the budget.
const FREE_BYTES: usize = 16 << 10;
/// How much is charged at once for a request that arrives in pieces.
const STEP_BYTES: usize = 64 << 10;
const INTAKE_BYTES: usize = 64 << 20;
const READ_TIMEOUT: Duration = Duration::from_mins(1);

/// The user service.
pub struct Service {
    users: Arc<dyn Repository>,
    timeout: Duration,
    limiter: Option<DefaultDirectRateLimiter>,
    intake: Arc<Semaphore>,
    read_timeout: Duration,
}

impl Service {
    /// A service whose calls have `timeout` where they set no deadline, and of which at most `rate` begin in a second,
    /// a tenth of them at once.
    #[must_use]
    pub fn new(users: Arc<dyn Repository>, timeout: Duration, rate: Option<NonZeroU32>) -> Self {
        let limiter = rate.map(|rate| {
            let burst = NonZeroU32::new(rate.get() / 10).unwrap_or(NonZeroU32::MIN);
            RateLimiter::direct(Quota::per_second(rate).allow_burst(burst))
        });
        Self { users, timeout, limiter, intake: Arc::new(Semaphore::new(INTAKE_BYTES)), read_timeout: READ_TIMEOUT }
    }

    /// The same service with a budget of `bytes` for unfinished large requests.
    #[must_use]
    pub fn with_intake(self, bytes: usize) -> Self {
        Self { intake: Arc::new(Semaphore::new(bytes)), ..self }
    }

    /// The same service for requests that must arrive within `timeout`.
    #[must_use]
    pub fn with_read_timeout(self, timeout: Duration) -> Self {
        Self { read_timeout: timeout, ..self }
    }

    /// How long a request may take to arrive.
    #[must_use]
    pub fn read_timeout(&self) -> Duration {
        self.read_timeout
    }

    /// Reserves memory for a request that is about to arrive, until it is dropped; none for a small one.
    pub fn reserve(&self, bytes: usize) -> Result<SemaphorePermit<'_>, Error> {
        let charged = if bytes > FREE_BYTES { u32::try_from(bytes).unwrap_or(u32::MAX) } else { 0 };
        self.intake.try_acquire_many(charged).map_err(|_| Error::Overloaded)
    }

    /// The charge of a request of which nothing has arrived.
    #[must_use]
    pub fn charge(&self) -> Charge {
        Charge { intake: Arc::clone(&self.intake), arrived: 0, reserved: None }
    }

    /// The deadline of a call that arrives now.
    #[must_use]
    pub fn deadline(&self, timeout: Option<Duration>) -> Instant {
        Instant::now() + timeout.unwrap_or(self.timeout)
    }

    /// Stores a new user and returns its id.
    pub async fn create(&self, deadline: Instant, name: String, email: String) -> Result<i64, Error> {
        self.admit()?;
        rules::check_new(&name, &email)?;
        within(deadline, self.users.create(name, email)).await
    }

    /// Returns the user with this id.
    pub async fn get(&self, deadline: Instant, id: i64) -> Result<User, Error> {
        self.admit()?;
        rules::check_id(id)?;
        within(deadline, self.users.get(id)).await
    }

    /// Changes the fields of a user that are present.
    pub async fn update(&self, deadline: Instant, id: i64, change: Change) -> Result<(), Error> {
        self.admit()?;
        rules::check_change(id, &change)?;
        within(deadline, self.users.update(id, change)).await
    }

    /// Removes a user.
    pub async fn delete(&self, deadline: Instant, id: i64) -> Result<(), Error> {
        self.admit()?;
        rules::check_id(id)?;
        within(deadline, self.users.delete(id)).await
    }

    /// Returns a page of the users that match, and the query with its defaults.
    pub async fn list(
        &self,
        deadline: Instant,
        text: &str,
        page: Option<i64>,
        limit: Option<i64>,
    ) -> Result<(Query, Page), Error> {
        self.admit()?;
        let query = rules::query(text, page, limit)?;
        let page = within(deadline, self.users.list(query.clone())).await?;
        Ok((query, page))
    }

    /// Whether the store can be used now.
    pub async fn is_healthy(&self) -> bool {
        self.users.check().await.is_ok()
    }

    fn admit(&self) -> Result<(), Error> {
        match &self.limiter {
            Some(limiter) => limiter.check().map_err(|_| Error::RateLimited),
            None => Ok(()),
        }
    }
}

/// The memory of a request that arrives in pieces, until it is dropped.
pub struct Charge {
    intake: Arc<Semaphore>,
    arrived: usize,
    reserved: Option<OwnedSemaphorePermit>,
}

impl Charge {
    /// Charges for a piece, if there is memory for it.
    pub fn add(&mut self, bytes: usize) -> Result<(), Error> {
        self.arrived += bytes;
        let reserved = self.reserved.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        let missing = self.arrived.saturating_sub(FREE_BYTES + reserved).next_multiple_of(STEP_BYTES);
        if missing > 0 {
            let steps = u32::try_from(missing).unwrap_or(u32::MAX);
            let more = Arc::clone(&self.intake).try_acquire_many_owned(steps).map_err(|_| Error::Overloaded)?;
            match &mut self.reserved {
                Some(reserved) => reserved.merge(more),
                None => self.reserved = Some(more),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    #[test]
    fn requests_in_pieces_share_the_budget_and_return_their_part() {
        let users = Arc::new(Memory::default());
        let service = Service::new(users, Duration::from_secs(1), None).with_intake(2 * STEP_BYTES);
        let (mut first, mut second) = (service.charge(), service.charge());
        for _ in 0..3 {
            assert_eq!(first.add(STEP_BYTES / 2), Ok(()));
        }
        assert_eq!(second.add(FREE_BYTES), Ok(()));
        assert_eq!(second.add(1), Err(Error::Overloaded));
        drop(first);
        assert_eq!(second.add(1), Ok(()));
    }
}
