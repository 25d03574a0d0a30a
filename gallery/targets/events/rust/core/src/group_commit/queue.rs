//! The bounded queue, and the choice of the next batch.

use std::collections::{HashSet, VecDeque};
use std::hash::{BuildHasher, RandomState};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::Notify;

use crate::error::Error;
use crate::limits::QUEUED_BYTES;
use crate::model::Event;
use crate::receipt::{Acknowledgement, Receipt};

/// A batch ends before the event that would exceed one of these, but has at least one event.
const BATCH_ROWS: usize = 1_000;
const BATCH_BYTES: usize = 4 << 20;

/// A queued event and its acknowledgement.
pub struct Waiting {
    pub event: Event,
    pub acknowledgement: Acknowledgement,
}

/// Events to store in one statement.
pub struct Batch {
    pub waiting: Vec<Waiting>,
    /// Hashes of the entities it touches.
    pub keys: Vec<u64>,
}

/// Events in the order of arrival.
pub struct Queue {
    state: Mutex<State>,
    arrived: Notify,
    room: Notify,
    bound: usize,
    /// Whether several batches can be in flight at once.
    concurrent: bool,
    hasher: RandomState,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<Waiting>,
    bytes: usize,
    /// Hashes of the entities of batches in flight. A collision only costs a wait.
    in_flight: HashSet<u64>,
    closed: bool,
}

impl Queue {
    pub fn new(bound: usize, concurrent: bool) -> Self {
        Self {
            state: Mutex::default(),
            arrived: Notify::new(),
            room: Notify::new(),
            bound,
            concurrent,
            hasher: RandomState::new(),
        }
    }

    /// Adds an event, or refuses it when full.
    pub fn push(&self, event: Event) -> Result<Receipt, Error> {
        self.try_push(event).map_err(|_| Error::overloaded())
    }

    /// Adds consecutive events, all or none.
    pub fn push_all(&self, events: Vec<Event>) -> Result<Vec<Receipt>, Error> {
        let bytes = events.iter().map(Event::bytes).sum();
        let receipts = {
            let mut state = self.lock();
            if !state.has_room(events.len(), bytes, self.bound) {
                return Err(Error::overloaded());
            }
            events.into_iter().map(|event| state.push(event)).collect()
        };
        self.arrived.notify_one();
        Ok(receipts)
    }

    /// Adds an event once there is room.
    pub async fn push_waiting(&self, mut event: Event) -> Receipt {
        loop {
            // Created before the attempt, so that room made after it is not missed.
            let room = self.room.notified();
            match self.try_push(event) {
                Ok(receipt) => return receipt,
                Err(refused) => event = refused,
            }
            room.await;
        }
    }

    /// Waits for the next batch: all that may be stored now, up to the caps. `None` once closed and empty.
    pub async fn next_batch(&self) -> Option<Batch> {
        loop {
            let arrived = self.arrived.notified();
            {
                let mut state = self.lock();
                let batch = self.take(&mut state);
                let more = !state.waiting.is_empty();
                if !batch.waiting.is_empty() {
                    drop(state);
                    self.room.notify_waiters();
                    if more {
                        self.arrived.notify_one();
                    }
                    return Some(batch);
                }
                if state.closed && !more {
                    // Each flusher that ends wakes the next one that waits.
                    self.arrived.notify_one();
                    return None;
                }
            }
            arrived.await;
        }
    }

    /// The batch that touched these entities is no longer in flight.
    pub fn finish(&self, batch: &Batch) {
        let mut state = self.lock();
        for key in &batch.keys {
            state.in_flight.remove(key);
        }
        drop(state);
        if self.concurrent {
            self.arrived.notify_one();
        }
    }

    /// Fails all queued events.
    pub fn refuse_waiting(&self, error: &Error) {
        let refused = {
            let mut state = self.lock();
            state.bytes = 0;
            std::mem::take(&mut state.waiting)
        };
        for waiting in refused {
            waiting.acknowledgement.send(Err(error.clone()));
        }
        self.room.notify_waiters();
    }

    /// Lets the flushers end when the queue is empty.
    pub fn close(&self) {
        self.lock().closed = true;
        self.arrived.notify_waiters();
    }

    fn try_push(&self, event: Event) -> Result<Receipt, Event> {
        let receipt = {
            let mut state = self.lock();
            if !state.has_room(1, event.bytes(), self.bound) {
                return Err(event);
            }
            state.push(event)
        };
        self.arrived.notify_one();
        Ok(receipt)
    }

    /// Takes from the front up to the first event that must wait for a batch in flight. Later events wait
    /// too: overtaking would require a search of all queued keys, for entities that are hot anyway.
    fn take(&self, state: &mut State) -> Batch {
        let mut batch = Batch { waiting: Vec::new(), keys: Vec::new() };
        let (mut rows, mut bytes) = (0, 0);
        while let Some(next) = state.waiting.front() {
            let size = next.event.bytes();
            rows += next.event.entities().len();
            bytes += size;
            let full = rows > BATCH_ROWS || bytes > BATCH_BYTES;
            if full && !batch.waiting.is_empty() || !self.claim(&state.in_flight, &next.event, &mut batch.keys) {
                break;
            }
            state.bytes -= size;
            batch.waiting.extend(state.waiting.pop_front());
        }
        state.in_flight.extend(&batch.keys);
        batch
    }

    /// Adds the event's keys to `keys`, unless one of them belongs to a batch in flight.
    fn claim(&self, in_flight: &HashSet<u64>, event: &Event, keys: &mut Vec<u64>) -> bool {
        if !self.concurrent {
            return true;
        }
        let before = keys.len();
        keys.extend(event.entities().iter().map(|entity| self.hasher.hash_one(entity.key())));
        let free = keys[before..].iter().all(|key| !in_flight.contains(key));
        if !free {
            keys.truncate(before);
        }
        free
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    /// An empty queue accepts any bulk, because one above the bound could never be stored otherwise.
    fn has_room(&self, events: usize, bytes: usize, bound: usize) -> bool {
        self.waiting.is_empty() || self.waiting.len() + events <= bound && self.bytes + bytes <= QUEUED_BYTES
    }

    fn push(&mut self, event: Event) -> Receipt {
        let (acknowledgement, receipt) = Receipt::new();
        self.bytes += event.bytes();
        self.waiting.push_back(Waiting { event, acknowledgement });
        receipt
    }
}
