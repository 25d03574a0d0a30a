//! Time since the engine started.

use std::time::{SystemTime, UNIX_EPOCH};

use rustix::time::{ClockId, clock_gettime};

/// Monotonic nanoseconds with a fixed relation to the wall clock.
#[derive(Debug, Clone, Copy)]
pub struct Clock {
    origin_ns: u64,
    unix_origin_ns: u64,
}

impl Clock {
    #[must_use]
    pub fn start() -> Self {
        let unix = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Self { origin_ns: read_ns(), unix_origin_ns: u64::try_from(unix.as_nanos()).unwrap_or(u64::MAX) }
    }

    /// Nanoseconds since the clock was started.
    #[inline]
    #[must_use]
    pub fn now(&self) -> u64 {
        read_ns() - self.origin_ns
    }

    /// The wall clock's Unix nanoseconds at an instant of this clock.
    #[must_use]
    pub fn unix_ns(&self, instant: u64) -> u64 {
        self.unix_origin_ns + instant
    }

    /// The instant of this clock at the wall clock's Unix nanoseconds; zero for instants before its start.
    #[must_use]
    pub fn instant(&self, unix_ns: u64) -> u64 {
        unix_ns.saturating_sub(self.unix_origin_ns)
    }
}

#[inline]
fn read_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}
