//! Replies with a known delay, which a load generator must then measure.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How long replies take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Delay {
    pub usual: Duration,
    /// One of this many replies is slow; none when zero.
    pub slow_every: u32,
    pub slow: Duration,
}

impl Delay {
    fn is_none(self) -> bool {
        self.usual.is_zero() && self.slow_every == 0
    }
}

/// A reply, its client, and when it is due.
#[derive(Debug, PartialEq, Eq)]
pub struct Waiting<To> {
    due: Instant,
    pub to: To,
    pub bytes: Vec<u8>,
}

/// Replies that wait: usual and slow ones, each in order.
#[derive(Debug)]
pub struct Delayed<To> {
    delay: Delay,
    usual: VecDeque<Waiting<To>>,
    slow: VecDeque<Waiting<To>>,
    count: u32,
}

impl<To> Delayed<To> {
    /// None without a delay.
    pub fn new(delay: Delay) -> Option<Self> {
        (!delay.is_none()).then(|| Self { delay, usual: VecDeque::new(), slow: VecDeque::new(), count: 0 })
    }

    /// Queues a reply.
    pub fn put(&mut self, to: To, bytes: Vec<u8>, now: Instant) {
        self.count = self.count.wrapping_add(1);
        let is_slow = self.delay.slow_every > 0 && self.count.is_multiple_of(self.delay.slow_every);
        if is_slow {
            self.slow.push_back(Waiting { due: now + self.delay.slow, to, bytes });
        } else {
            self.usual.push_back(Waiting { due: now + self.delay.usual, to, bytes });
        }
    }

    /// How long until a reply is due.
    pub fn wait(&self, now: Instant) -> Option<Duration> {
        let next = [self.usual.front(), self.slow.front()].into_iter().flatten().map(|waiting| waiting.due).min()?;
        Some(next.saturating_duration_since(now))
    }

    /// A reply that is due by now.
    pub fn take(&mut self, now: Instant) -> Option<Waiting<To>> {
        let due = |queue: &mut VecDeque<Waiting<To>>| {
            if queue.front()?.due <= now { queue.pop_front() } else { None }
        };
        due(&mut self.usual).or_else(|| due(&mut self.slow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn replies_are_written_when_they_are_due() {
        let start = Instant::now();
        let mut delayed = Delayed::new(Delay { usual: 2 * MS, slow_every: 3, slow: 20 * MS }).expect("a delay");
        assert_eq!(delayed.wait(start), None);
        (0..4).for_each(|to| delayed.put(to, vec![], start + to * MS));
        let mut seen = Vec::new();
        for ms in 0..=22 {
            let now = start + ms * MS;
            while let Some(waiting) = delayed.take(now) {
                seen.push((ms, waiting.to));
            }
            assert!(delayed.wait(now).is_none_or(|wait| !wait.is_zero()));
        }
        assert_eq!(seen, [(2, 0), (3, 1), (5, 3), (22, 2)]);
    }

    #[test]
    fn without_a_delay_there_is_no_queue() {
        assert!(Delayed::<u32>::new(Delay::default()).is_none());
    }
}
