//! Instructions of an agent that waits for the start of a phase.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long a wait lasts at most before the engine looks whether it was interrupted.
const LONGEST_WAIT: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instruction {
    /// Report the clock, with this number.
    Clock(u64),
    /// Start the phase, at this instant of the clock in the records (Unix nanoseconds) or as soon as possible.
    Go(Option<u64>),
}

/// Instructions in the order in which they arrive.
#[derive(Debug, Clone)]
pub struct Instructions(Arc<Mutex<Receiver<Instruction>>>);

impl Instructions {
    #[must_use]
    pub fn new(receiver: Receiver<Instruction>) -> Self {
        Self(Arc::new(Mutex::new(receiver)))
    }

    /// The next one; none when it does not come in a short time.
    pub(super) fn next(&self) -> Option<Instruction> {
        let receiver = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match receiver.recv_timeout(LONGEST_WAIT) {
            Ok(instruction) => Some(instruction),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => {
                // The end of instructions is an interruption, which the sender sets.
                std::thread::sleep(LONGEST_WAIT);
                None
            }
        }
    }
}
