//! Calls that wait for their replies, on one thread: a call has a place, and its id names the place and how often it was
//! used, so that a reply that comes too late meets no other call.

use std::task::{Context, Poll, Waker};

use tokio::time::Instant;

use crate::error::CallError;
use crate::payload::Payload;

type Replied = Result<Payload, CallError>;

/// The places of one connection.
#[derive(Debug, Default)]
pub(super) struct Slots {
    places: Vec<Slot>,
    free: Vec<u32>,
    waiting: usize,
}

#[derive(Debug)]
struct Slot {
    uses: u32,
    state: State,
}

#[derive(Debug)]
enum State {
    Free,
    Waiting { until: Instant, waker: Option<Waker> },
    Replied(Replied),
}

impl Slots {
    /// A place for a call that waits until an instant; returns its id.
    pub(super) fn take(&mut self, until: Instant) -> u64 {
        let index = self.free.pop().unwrap_or_else(|| {
            self.places.push(Slot { uses: 0, state: State::Free });
            u32::try_from(self.places.len() - 1).expect("fewer calls than that fit into memory")
        });
        let slot = &mut self.places[index as usize];
        slot.state = State::Waiting { until, waker: None };
        self.waiting += 1;
        u64::from(slot.uses) << 32 | u64::from(index)
    }

    /// Calls without a reply.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Keeps a call's reply; returns what to wake. A reply to no call is dropped.
    pub(super) fn reply(&mut self, id: u64, replied: Replied) -> Option<Waker> {
        let slot = self.places.get_mut(index_of(id)).filter(|slot| slot.uses == uses_of(id))?;
        let State::Waiting { waker, .. } = &mut slot.state else { return None };
        let waker = waker.take();
        slot.state = State::Replied(replied);
        self.waiting -= 1;
        waker
    }

    /// The reply, once it is there; then the place is free.
    pub(super) fn poll(&mut self, id: u64, context: &Context<'_>) -> Poll<Replied> {
        let slot = &mut self.places[index_of(id)];
        match &mut slot.state {
            State::Waiting { waker: Some(waker), .. } if waker.will_wake(context.waker()) => Poll::Pending,
            State::Waiting { waker, .. } => {
                *waker = Some(context.waker().clone());
                Poll::Pending
            }
            State::Replied(replied) => {
                let replied = std::mem::replace(replied, Err(CallError::Disconnected));
                self.release(id);
                Poll::Ready(replied)
            }
            State::Free => unreachable!("a reply is polled until it is there, and its place is kept until then"),
        }
    }

    /// Frees the place of a call that was given up or has its reply.
    pub(super) fn release(&mut self, id: u64) {
        let slot = &mut self.places[index_of(id)];
        if matches!(slot.state, State::Waiting { .. }) {
            self.waiting -= 1;
        }
        slot.state = State::Free;
        slot.uses = slot.uses.wrapping_add(1);
        self.free.push(place_of(id));
    }

    /// Ends every call that waits; returns what to wake.
    pub(super) fn end_all(&mut self, error: &CallError) -> Vec<Waker> {
        self.end(|_| true, error)
    }

    /// Ends the calls that waited until now; returns what to wake.
    pub(super) fn end_late(&mut self, now: Instant) -> Vec<Waker> {
        self.end(|until| until <= now, &CallError::Deadline)
    }

    /// Until when the next call waits.
    pub(super) fn next_deadline(&self) -> Option<Instant> {
        let waiting = self.places.iter().filter_map(|slot| match slot.state {
            State::Waiting { until, .. } => Some(until),
            State::Free | State::Replied(_) => None,
        });
        waiting.min()
    }

    fn end(&mut self, is_chosen: impl Fn(Instant) -> bool, error: &CallError) -> Vec<Waker> {
        let mut wakers = Vec::new();
        for slot in &mut self.places {
            if let State::Waiting { until, waker } = &mut slot.state
                && is_chosen(*until)
            {
                wakers.extend(waker.take());
                slot.state = State::Replied(Err(error.clone()));
                self.waiting -= 1;
            }
        }
        wakers
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the lower half is the place")]
fn place_of(id: u64) -> u32 {
    id as u32
}

fn index_of(id: u64) -> usize {
    place_of(id) as usize
}

fn uses_of(id: u64) -> u32 {
    u32::try_from(id >> 32).expect("the upper half has 32 bits")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn later() -> Instant {
        Instant::now() + Duration::from_mins(1)
    }

    fn polled(slots: &mut Slots, id: u64) -> Poll<Replied> {
        slots.poll(id, &Context::from_waker(Waker::noop()))
    }

    #[test]
    fn a_reply_reaches_its_call_once() {
        let mut slots = Slots::default();
        let (one, other) = (slots.take(later()), slots.take(later()));
        assert_eq!(slots.waiting(), 2);
        assert_eq!(polled(&mut slots, one), Poll::Pending);
        assert!(slots.reply(one, Ok(Payload::text("1"))).is_some(), "it waits to be woken");
        assert!(slots.reply(one, Ok(Payload::text("again"))).is_none());
        assert_eq!(polled(&mut slots, one), Poll::Ready(Ok(Payload::text("1"))));
        assert_eq!((polled(&mut slots, other), slots.waiting()), (Poll::Pending, 1));
    }

    #[test]
    fn a_late_reply_meets_no_other_call() {
        let mut slots = Slots::default();
        let late = slots.take(later());
        slots.release(late);
        let next = slots.take(later());
        assert_ne!(late, next);
        assert!(slots.reply(late, Ok(Payload::text("late"))).is_none());
        assert_eq!(polled(&mut slots, next), Poll::Pending);
        assert!(slots.reply(77, Ok(Payload::text("to nothing"))).is_none());
    }

    #[test]
    fn the_end_of_the_connection_ends_what_waits_and_nothing_else() {
        let mut slots = Slots::default();
        let (replied, waits) = (slots.take(later()), slots.take(later()));
        slots.reply(replied, Ok(Payload::text("in time")));
        assert_eq!(polled(&mut slots, waits), Poll::Pending);
        assert_eq!(slots.end_all(&CallError::Disconnected).len(), 1);
        assert_eq!(slots.waiting(), 0);
        assert_eq!(polled(&mut slots, replied), Poll::Ready(Ok(Payload::text("in time"))));
        assert_eq!(polled(&mut slots, waits), Poll::Ready(Err(CallError::Disconnected)));
    }

    #[test]
    fn a_deadline_ends_the_calls_that_reached_it() {
        let mut slots = Slots::default();
        let now = Instant::now();
        let (late, waits) = (slots.take(now), slots.take(later()));
        assert_eq!((polled(&mut slots, late), polled(&mut slots, waits)), (Poll::Pending, Poll::Pending));
        assert_eq!(slots.next_deadline(), Some(now));
        assert_eq!(slots.end_late(now).len(), 1);
        assert!(slots.reply(late, Ok(Payload::text("late"))).is_none());
        assert_eq!(polled(&mut slots, late), Poll::Ready(Err(CallError::Deadline)));
        assert_eq!((polled(&mut slots, waits), slots.waiting()), (Poll::Pending, 1));
        assert!(slots.next_deadline() > Some(now));
        slots.release(waits);
        assert_eq!(slots.next_deadline(), None);
    }
}
