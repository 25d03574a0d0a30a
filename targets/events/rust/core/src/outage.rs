//! Patience with a database that is away.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::storage::StorageError;

/// How long writes are retried before clients are told that the database is away.
const PATIENCE: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// Since when the database has been away, as all that use it know.
///
/// The clock is shared: who comes after five seconds of outage is refused after one attempt,
/// not after five seconds of its own.
#[derive(Debug, Default)]
pub struct Outage {
    since: Mutex<Option<Instant>>,
}

impl Outage {
    /// Repeats an attempt until it does not fail for the database being away, or patience ends.
    pub async fn ride_out<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, StorageError>
    where
        F: Future<Output = Result<T, StorageError>>,
    {
        let mut pause = FIRST_PAUSE;
        loop {
            let started = Instant::now();
            let reason = match attempt().await {
                Err(StorageError::Away(reason)) => reason,
                answer => {
                    self.end();
                    return answer;
                }
            };
            let left = PATIENCE.saturating_sub(self.begin(started, &reason).elapsed());
            if left.is_zero() {
                return Err(StorageError::Away(reason));
            }
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Since when it has been away. An attempt that failed late found it away all the while.
    fn begin(&self, attempt: Instant, reason: &str) -> Instant {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        *since.get_or_insert_with(|| {
            tracing::warn!(reason, "database away, retrying");
            attempt
        })
    }

    fn end(&self) {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(since) = since {
            tracing::info!(away_ms = since.elapsed().as_millis(), "database back");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn away() -> Result<(), StorageError> {
        Err(StorageError::Away("connection refused".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_that_ends_in_time_is_not_noticed() {
        let (outage, start) = (Outage::default(), Instant::now());
        let back = Duration::from_secs(4);
        let answer = outage.ride_out(async || if start.elapsed() < back { away() } else { Ok(()) }).await;
        assert_eq!(answer, Ok(()));
        assert!(start.elapsed() <= back + LONGEST_PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn patience_ends_after_five_seconds_and_is_not_renewed() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.ride_out(async || away()).await, away());
        assert_eq!(start.elapsed(), PATIENCE);

        let mut attempts = 0;
        let answer = outage.ride_out(|| {
            attempts += 1;
            async { away() }
        });
        assert_eq!(answer.await, away());
        assert_eq!((attempts, start.elapsed()), (1, PATIENCE));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_that_outlasts_patience_is_not_repeated() {
        let (outage, start) = (Outage::default(), Instant::now());
        let long = PATIENCE * 2;
        let answer = outage.ride_out(async || {
            sleep(long).await;
            away()
        });
        assert_eq!(answer.await, away());
        assert_eq!(start.elapsed(), long);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_of_any_kind_ends_the_outage() {
        let refused = || Err::<(), _>(StorageError::Refused("no such table".to_owned()));
        for answer in [Ok(()), refused()] {
            let outage = Outage::default();
            assert_eq!(outage.ride_out(async || away()).await, away());
            assert_eq!(outage.ride_out(async || answer.clone()).await, answer);

            let start = Instant::now();
            assert_eq!(outage.ride_out(async || away()).await, away());
            assert_eq!(start.elapsed(), PATIENCE);
        }
    }
}
