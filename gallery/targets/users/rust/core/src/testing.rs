//! A store for tests of targets.

use std::sync::Arc;
use std::time::Duration;

use futures_util::FutureExt;
use futures_util::future::{BoxFuture, pending, ready};

use crate::error::Error;
use crate::memory::Memory;
use crate::repository::{Outcome, Repository};
use crate::service::Service;
use crate::user::{Change, Page, Query, User};

/// The behaviour of a [`FaultyStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Every operation fails.
    Unavailable,
    /// No operation ends.
    Hangs,
}

/// A store with a fault.
pub struct FaultyStore(pub Fault);

impl FaultyStore {
    fn outcome<T: Send + 'static>(&self) -> Outcome<'_, T> {
        match self.0 {
            Fault::Unavailable => ready(Err(Error::Unavailable)).boxed(),
            Fault::Hangs => pending().boxed(),
        }
    }
}

impl Repository for FaultyStore {
    fn create(&self, _: String, _: String) -> Outcome<'_, i64> {
        self.outcome()
    }

    fn get(&self, _: i64) -> Outcome<'_, User> {
        self.outcome()
    }

    fn update(&self, _: i64, _: Change) -> Outcome<'_, ()> {
        self.outcome()
    }

    fn delete(&self, _: i64) -> Outcome<'_, ()> {
        self.outcome()
    }

    fn list(&self, _: Query) -> Outcome<'_, Page> {
        self.outcome()
    }

    fn check(&self) -> Outcome<'_, ()> {
        self.outcome()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        ready(()).boxed()
    }
}

/// A service in memory whose calls have a minute.
#[must_use]
pub fn in_memory() -> Arc<Service> {
    Arc::new(Service::new(Arc::new(Memory::default()), Duration::from_mins(1), None))
}

/// A service over a store with a fault.
#[must_use]
pub fn faulty(fault: Fault, timeout: Duration) -> Arc<Service> {
    Arc::new(Service::new(Arc::new(FaultyStore(fault)), timeout, None))
}
