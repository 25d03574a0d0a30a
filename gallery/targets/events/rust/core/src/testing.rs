//! A database for tests of targets.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use tokio::sync::Notify;

use crate::rows::Rows;
use crate::settings::{Settings, Target};
use crate::storage::{Answer, Storage, StorageError};
use crate::writer::Writer;

/// Counts rows; can be made unavailable or slow.
#[derive(Default)]
pub struct CountingStorage {
    rows: AtomicUsize,
    unavailable: AtomicBool,
    blocked: AtomicBool,
    arrived: Notify,
    released: Notify,
}

impl CountingStorage {
    /// A writer with default settings, except those given.
    ///
    /// # Panics
    ///
    /// If the settings cannot be used.
    #[must_use]
    pub fn writer(self: &Arc<Self>, target: &Target, settings: &[(&str, &str)]) -> Arc<Writer> {
        let settings = Settings::read(target, |name| {
            settings.iter().find(|(variable, _)| *variable == name).map(|(_, value)| (*value).to_owned())
        });
        Arc::new(Writer::start(Arc::clone(self) as Arc<_>, &settings.expect("usable settings")))
    }

    /// Rows stored.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.load(Ordering::Relaxed)
    }

    /// Every call fails from now on, or succeeds again.
    pub fn set_unavailable(&self, unavailable: bool) {
        self.unavailable.store(unavailable, Ordering::Relaxed);
    }

    /// Statements wait until they are released.
    pub fn block(&self) {
        self.blocked.store(true, Ordering::Relaxed);
    }

    /// Waits until a statement waits.
    pub async fn arrived(&self) {
        self.arrived.notified().await;
    }

    /// Ends waiting statements, and lets later ones pass.
    pub fn release(&self) {
        self.blocked.store(false, Ordering::Relaxed);
        self.released.notify_waiters();
    }

    fn answer(&self) -> Result<(), StorageError> {
        if self.unavailable.load(Ordering::Relaxed) {
            return Err(StorageError::Unavailable("connection refused".to_owned()));
        }
        Ok(())
    }
}

impl Storage for CountingStorage {
    fn store<'a>(&'a self, rows: &'a Rows<'a>) -> Answer<'a> {
        Box::pin(async {
            let released = self.released.notified();
            if self.blocked.load(Ordering::Relaxed) {
                self.arrived.notify_one();
                released.await;
            }
            self.answer()?;
            self.rows.fetch_add(rows.len(), Ordering::Relaxed);
            Ok(())
        })
    }

    fn check(&self) -> Answer<'_> {
        Box::pin(async { self.answer() })
    }
}
