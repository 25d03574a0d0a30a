//! Bounds the memory of requests that are still arriving, all together, and the time of each.

mod messages;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::error::Error;

pub use messages::{ChargedMessages, FramePosition, PREFIX_BYTES};

/// The first bytes of each request are not charged, so that ordinary requests are served while large ones exhaust
/// the budget.
const FREE_BYTES: usize = 16 << 10;
/// How much is charged at once.
const STEP_BYTES: usize = 64 << 10;

/// How long a request may take where nothing else is set.
const TIMEOUT: Duration = Duration::from_secs(30);

/// The bytes that unfinished requests may occupy together, and the time that each has.
#[derive(Clone)]
pub struct Intake {
    left: Arc<AtomicUsize>,
    timeout: Duration,
}

impl Intake {
    /// A budget of `bytes`.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        Self { left: Arc::new(AtomicUsize::new(bytes)), timeout: TIMEOUT }
    }

    /// The same budget for requests that must arrive within `timeout`.
    #[must_use]
    pub fn within(self, timeout: Duration) -> Self {
        Self { timeout, ..self }
    }

    /// The charge of a request of which nothing has arrived.
    #[must_use]
    pub fn charge(&self) -> Charge {
        Charge { left: Arc::clone(&self.left), timeout: self.timeout, charged: 0 }
    }
}

/// The part of the budget that one request occupies, until it is dropped.
pub struct Charge {
    left: Arc<AtomicUsize>,
    timeout: Duration,
    charged: usize,
}

impl Charge {
    /// The time that the request has to arrive.
    #[must_use]
    pub fn timeout(&self) -> Duration {
        self.timeout
    }

    /// Charges for a request of which `total` bytes have arrived, if the budget has room for it.
    pub fn grow(&mut self, total: usize) -> Result<(), Error> {
        let missing = total.saturating_sub(FREE_BYTES + self.charged).next_multiple_of(STEP_BYTES);
        if missing > 0 {
            let less = |left: usize| left.checked_sub(missing);
            self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).map_err(|_| Error::too_many_bytes())?;
            self.charged += missing;
        }
        Ok(())
    }

    /// Returns everything to the budget.
    pub fn release(&mut self) {
        if self.charged > 0 {
            self.left.fetch_add(self.charged, Ordering::Relaxed);
            self.charged = 0;
        }
    }
}

impl Drop for Charge {
    fn drop(&mut self) {
        self.release();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_share_the_budget_and_return_their_part() {
        let intake = Intake::new(3 * STEP_BYTES);
        let (mut first, mut second) = (intake.charge(), intake.charge());
        assert_eq!(first.grow(FREE_BYTES + 2 * STEP_BYTES), Ok(()));
        assert_eq!(second.grow(FREE_BYTES + STEP_BYTES + 1), Err(Error::too_many_bytes()));
        assert_eq!(second.grow(FREE_BYTES + STEP_BYTES), Ok(()));
        drop(first);
        assert_eq!(second.grow(FREE_BYTES + 3 * STEP_BYTES), Ok(()));
        second.release();
        second.release();
        drop(second);
        assert_eq!(intake.left.load(Ordering::Relaxed), 3 * STEP_BYTES);
    }

    #[test]
    fn small_requests_are_free_while_the_budget_is_exhausted() {
        let intake = Intake::new(STEP_BYTES);
        let mut large = intake.charge();
        assert_eq!(large.grow(FREE_BYTES + 1), Ok(()));
        assert_eq!(intake.charge().grow(FREE_BYTES), Ok(()));
        assert_eq!(intake.charge().grow(FREE_BYTES + 1), Err(Error::too_many_bytes()));
    }
}
