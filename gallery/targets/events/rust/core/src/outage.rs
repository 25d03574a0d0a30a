//! Retries while the database is unavailable.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::storage::StorageError;

/// How long writes are retried before clients get an error.
const RETRY_TIMEOUT: Duration = Duration::from_secs(5);
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);

/// The start of the current outage, shared by all users of the database.
///
/// The timeout counts from the start of the outage: a write that arrives after five seconds of outage fails
/// after one attempt, not after another five seconds.
#[derive(Debug, Default)]
pub struct Outage {
    since: Mutex<Option<Instant>>,
}

impl Outage {
    /// Repeats an attempt until it succeeds, fails for another reason, or the timeout expires.
    pub async fn retry<T, F>(&self, mut attempt: impl FnMut() -> F) -> Result<T, StorageError>
    where
        F: Future<Output = Result<T, StorageError>>,
    {
        let mut pause = FIRST_PAUSE;
        loop {
            let started = Instant::now();
            let reason = match attempt().await {
                Err(StorageError::Unavailable(reason)) => reason,
                answer => {
                    self.end();
                    return answer;
                }
            };
            let left = RETRY_TIMEOUT.saturating_sub(self.begin(started, &reason).elapsed());
            if left.is_zero() {
                return Err(StorageError::Unavailable(reason));
            }
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    /// Returns the start of the outage. A slow attempt counts from its own start, not from its failure.
    fn begin(&self, attempt: Instant, reason: &str) -> Instant {
        let mut since = self.since.lock().unwrap_or_else(PoisonError::into_inner);
        *since.get_or_insert_with(|| {
            tracing::warn!(reason, "database unavailable, retrying");
            attempt
        })
    }

    fn end(&self) {
        let since = self.since.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(since) = since {
            tracing::info!(outage_ms = since.elapsed().as_millis(), "database available again");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unavailable() -> Result<(), StorageError> {
        Err(StorageError::Unavailable("connection refused".to_owned()))
    }

    #[tokio::test(start_paused = true)]
    async fn an_outage_that_ends_in_time_is_not_noticed() {
        let (outage, start) = (Outage::default(), Instant::now());
        let end = Duration::from_secs(4);
        let answer = outage.retry(async || if start.elapsed() < end { unavailable() } else { Ok(()) }).await;
        assert_eq!(answer, Ok(()));
        assert!(start.elapsed() <= end + LONGEST_PAUSE);
    }

    #[tokio::test(start_paused = true)]
    async fn the_timeout_counts_from_the_start_of_the_outage() {
        let (outage, start) = (Outage::default(), Instant::now());
        assert_eq!(outage.retry(async || unavailable()).await, unavailable());
        assert_eq!(start.elapsed(), RETRY_TIMEOUT);

        let mut attempts = 0;
        let answer = outage.retry(|| {
            attempts += 1;
            async { unavailable() }
        });
        assert_eq!(answer.await, unavailable());
        assert_eq!((attempts, start.elapsed()), (1, RETRY_TIMEOUT));
    }

    #[tokio::test(start_paused = true)]
    async fn an_attempt_longer_than_the_timeout_is_not_repeated() {
        let (outage, start) = (Outage::default(), Instant::now());
        let long = RETRY_TIMEOUT * 2;
        let answer = outage.retry(async || {
            sleep(long).await;
            unavailable()
        });
        assert_eq!(answer.await, unavailable());
        assert_eq!(start.elapsed(), long);
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_of_any_kind_ends_the_outage() {
        let refused = || Err::<(), _>(StorageError::Refused("no such table".to_owned()));
        for answer in [Ok(()), refused()] {
            let outage = Outage::default();
            assert_eq!(outage.retry(async || unavailable()).await, unavailable());
            assert_eq!(outage.retry(async || answer.clone()).await, answer);

            let start = Instant::now();
            assert_eq!(outage.retry(async || unavailable()).await, unavailable());
            assert_eq!(start.elapsed(), RETRY_TIMEOUT);
        }
    }
}
