//! Concurrent operations share statements: each flusher takes what is queued and never waits for more, so that batches
//! grow with the load alone (natural batching).

use std::sync::Arc;

use async_channel::{Receiver, Sender};
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::task::{JoinSet, yield_now};

use crate::error::Error;

/// The most calls that share a statement.
const MOST_TOGETHER: usize = 512;

/// Runs operations together.
pub trait Together: Send + Sync + 'static {
    /// An operation.
    type Input: Send + 'static;
    /// Its result.
    type Output: Send + 'static;

    /// Runs operations and returns the outcome of each, in their order.
    fn run(&self, inputs: Vec<Self::Input>) -> impl Future<Output = Vec<Result<Self::Output, Error>>> + Send;
}

/// How much runs and waits.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    pub flushers: usize,
    pub queue: usize,
    /// Nothing is queued: each operation runs alone.
    pub per_request: bool,
}

/// Gathers concurrent operations.
pub struct Gatherer<T: Together> {
    together: Arc<T>,
    queue: Sender<Waiting<T>>,
    flushers: Mutex<JoinSet<()>>,
    per_request: bool,
}

struct Waiting<T: Together> {
    input: T::Input,
    reply: oneshot::Sender<Result<T::Output, Error>>,
}

impl<T: Together> Gatherer<T> {
    /// Starts the flushers. Requires a Tokio runtime.
    pub fn start(limit: Limit, together: Arc<T>) -> Self {
        let (queue, waiting) = async_channel::bounded(limit.queue);
        let mut flushers = JoinSet::new();
        let count = if limit.per_request { 0 } else { limit.flushers };
        for _ in 0..count {
            flushers.spawn(flush(Arc::clone(&together), waiting.clone()));
        }
        Self { together, queue, flushers: Mutex::new(flushers), per_request: limit.per_request }
    }

    /// The outcome of an operation, which runs with those that wait beside it.
    pub async fn ask(&self, input: T::Input) -> Result<T::Output, Error> {
        if self.per_request {
            return self.together.run(vec![input]).await.pop().unwrap_or(Err(Error::Internal));
        }
        let (reply, outcome) = oneshot::channel();
        self.queue.try_send(Waiting { input, reply }).map_err(|_| Error::Overloaded)?;
        outcome.await.unwrap_or(Err(Error::Internal))
    }

    /// Ends the flushers when the queue is empty.
    pub async fn close(&self) {
        self.queue.close();
        let flushers = std::mem::take(&mut *self.flushers.lock());
        flushers.join_all().await;
    }
}

/// Runs batch after batch until the queue is closed and empty.
async fn flush<T: Together>(together: Arc<T>, queue: Receiver<Waiting<T>>) {
    while let Ok(first) = queue.recv().await {
        // Callers that are ready to run join the batch: one turn of the scheduler, and no time when nothing else is ready.
        yield_now().await;
        let waiting = std::iter::once(first).chain(std::iter::from_fn(|| queue.try_recv().ok())).take(MOST_TOGETHER);
        // Callers whose deadline has passed do not wait any more.
        let (inputs, replies): (Vec<_>, Vec<_>) =
            waiting.filter(|waiting| !waiting.reply.is_closed()).map(|Waiting { input, reply }| (input, reply)).unzip();
        if inputs.is_empty() {
            continue;
        }
        for (reply, outcome) in replies.into_iter().zip(together.run(inputs).await) {
            // A caller that is gone needs no reply.
            let _gone = reply.send(outcome);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use futures_util::future::join_all;
    use tokio::sync::Semaphore;
    use tokio::time::timeout;

    use super::*;

    /// Returns the size of the batch of each operation, when it may.
    struct Sizes(Semaphore);

    impl Together for Sizes {
        type Input = ();
        type Output = usize;

        async fn run(&self, inputs: Vec<()>) -> Vec<Result<usize, Error>> {
            self.0.acquire().await.expect("never closed").forget();
            vec![Ok(inputs.len()); inputs.len()]
        }
    }

    fn sizes(queue: usize) -> (Arc<Sizes>, Gatherer<Sizes>) {
        let sizes = Arc::new(Sizes(Semaphore::new(0)));
        let gatherer = Gatherer::start(Limit { flushers: 1, queue, per_request: false }, Arc::clone(&sizes));
        (sizes, gatherer)
    }

    /// An operation that the flusher works on, so that all later ones wait.
    async fn blocked(gatherer: &Gatherer<Sizes>) {
        let gone = timeout(Duration::from_millis(1), gatherer.ask(())).await;
        assert!(gone.is_err(), "no batch may run yet");
    }

    #[tokio::test(start_paused = true)]
    async fn what_waits_runs_together() {
        let (sizes, gatherer) = sizes(1_000);
        blocked(&gatherer).await;
        let requests = join_all((0..600).map(|_| gatherer.ask(())));
        sizes.0.add_permits(3);
        let outcomes = requests.await;
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Ok(512)).count(), 512);
        assert_eq!(outcomes.iter().filter(|outcome| **outcome == Ok(88)).count(), 88);
    }

    #[tokio::test(start_paused = true)]
    async fn what_no_caller_waits_for_is_left_out() {
        let (sizes, gatherer) = sizes(1_000);
        blocked(&gatherer).await;
        blocked(&gatherer).await;
        sizes.0.add_permits(2);
        assert_eq!(gatherer.ask(()).await, Ok(1));
    }

    #[tokio::test(start_paused = true)]
    async fn a_full_queue_refuses() {
        let (sizes, gatherer) = sizes(2);
        blocked(&gatherer).await;
        let requests = join_all((0..3).map(|_| gatherer.ask(())));
        sizes.0.add_permits(2);
        assert_eq!(requests.await, [Ok(2), Ok(2), Err(Error::Overloaded)]);
    }

    #[tokio::test]
    async fn closing_completes_what_waits() {
        let (sizes, gatherer) = sizes(10);
        sizes.0.add_permits(2);
        let (outcome, ()) = tokio::join!(gatherer.ask(()), gatherer.close());
        assert_eq!(outcome, Ok(1));
        assert_eq!(gatherer.ask(()).await, Err(Error::Overloaded));
    }
}
