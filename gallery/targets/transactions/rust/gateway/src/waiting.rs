//! Transactions that wait for a call that takes several.

use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

use bus::{CallError, Payload};
use prometheus_client::metrics::gauge::Gauge;
use tokio::sync::oneshot;

/// Transactions of one worker that wait for their call.
#[derive(Debug, Default)]
pub struct Batches {
    waiting: RefCell<VecDeque<Waiting>>,
    is_calling: Cell<bool>,
    /// Those of all workers that wait.
    count: Gauge,
}

/// A transaction, and where its outcome goes.
#[derive(Debug)]
pub struct Waiting {
    pub transaction: Payload,
    pub reply: oneshot::Sender<Result<Payload, CallError>>,
}

impl Batches {
    /// None that wait yet; those to come are counted in the gauge too.
    pub fn counted_by(count: Gauge) -> Self {
        Self { count, ..Self::default() }
    }

    pub fn add(&self, waiting: Waiting) {
        self.count.inc();
        self.waiting.borrow_mut().push_back(waiting);
    }

    /// Whether the caller must call: no other task of this worker does.
    pub fn begin_calling(&self) -> bool {
        !self.is_calling.replace(true)
    }

    /// Ends what `begin_calling` began.
    pub fn end_calling(&self) {
        self.is_calling.set(false);
    }

    /// The first that wait; those whose requests were given up are left out.
    pub fn next(&self, most: usize) -> Vec<Waiting> {
        let mut waiting = self.waiting.borrow_mut();
        let before = waiting.len();
        waiting.retain(|each| !each.reply.is_closed());
        let count = waiting.len().min(most);
        let next = waiting.drain(..count).collect();
        self.count.dec_by(i64::try_from(before - waiting.len()).unwrap_or(i64::MAX));
        next
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn those_that_were_given_up_are_left_out() {
        let gauge = Gauge::default();
        let batches = Batches::counted_by(gauge.clone());
        let mut waits = Vec::new();
        for number in 0..4 {
            let (reply, replied) = oneshot::channel();
            batches.add(Waiting { transaction: Payload::text(number.to_string()), reply });
            waits.push(replied);
        }
        assert_eq!(gauge.get(), 4);
        waits.remove(1);
        let taken = |most| {
            let taken = batches.next(most);
            taken.into_iter().map(|each| each.transaction).collect::<Vec<_>>()
        };
        assert_eq!(taken(2), [Payload::text("0"), Payload::text("2")]);
        assert_eq!(gauge.get(), 1, "one was given up, two are called for, and one waits");
        assert_eq!(taken(2), [Payload::text("3")]);
        assert_eq!(taken(2), []);
        assert_eq!(gauge.get(), 0);
    }
}
