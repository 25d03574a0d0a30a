//! Deadlines of calls.

use std::future::poll_fn;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::error::Error;

/// The header, and the metadata, with which a client sets a deadline.
pub const HEADER: &str = "grpc-timeout";

/// Reads a value of [`HEADER`]: at most eight digits and a unit, such as `500m` for half a second.
pub fn parse(value: &[u8]) -> Result<Duration, Error> {
    read(value).ok_or(Error::Invalid { field: HEADER, rule: "must be digits and one of H, M, S, m, u, n" })
}

fn read(value: &[u8]) -> Option<Duration> {
    const MOST_DIGITS: usize = 8;
    let (unit, digits) = value.split_last()?;
    if digits.len() > MOST_DIGITS || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let count: u64 = std::str::from_utf8(digits).ok()?.parse().ok()?;
    Some(match unit {
        b'H' => Duration::from_hours(count),
        b'M' => Duration::from_mins(count),
        b'S' => Duration::from_secs(count),
        b'm' => Duration::from_millis(count),
        b'u' => Duration::from_micros(count),
        b'n' => Duration::from_nanos(count),
        _ => return None,
    })
}

/// The outcome of `work`, or [`Error::DeadlineExceeded`] once the deadline has passed. `work` is then dropped.
///
/// The clock is read at every poll: whatever wakes the call at its deadline, the timer of its server for example, the
/// reply is the same.
pub async fn within<T>(deadline: Instant, work: impl Future<Output = Result<T, Error>>) -> Result<T, Error> {
    let mut work = pin!(work);
    let mut end = pin!(sleep_until(deadline));
    poll_fn(|context| {
        if Instant::now() >= deadline {
            return Poll::Ready(Err(Error::DeadlineExceeded));
        }
        match work.as_mut().poll(context) {
            Poll::Pending => end.as_mut().poll(context).map(|()| Err(Error::DeadlineExceeded)),
            ready @ Poll::Ready(_) => ready,
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values() {
        assert_eq!(parse(b"1n"), Ok(Duration::from_nanos(1)));
        assert_eq!(parse(b"20m"), Ok(Duration::from_millis(20)));
        assert_eq!(parse(b"99999999H"), Ok(Duration::from_hours(99_999_999)));
        for other in ["", "S", "5", "soon", "-1S", "+1S", "1.5S", "123456789S", "1s", "1 S"] {
            assert!(parse(other.as_bytes()).is_err(), "{other}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn work_ends_at_its_deadline() {
        let start = Instant::now();
        let deadline = start + Duration::from_secs(2);
        assert_eq!(within(deadline, std::future::pending::<Result<(), _>>()).await, Err(Error::DeadlineExceeded));
        assert_eq!(start.elapsed(), Duration::from_secs(2));
        // Also work that would be done at once.
        assert_eq!(within(deadline, async { Ok(()) }).await, Err(Error::DeadlineExceeded));
        assert_eq!(within(deadline + Duration::from_secs(1), async { Ok(()) }).await, Ok(()));
    }
}
