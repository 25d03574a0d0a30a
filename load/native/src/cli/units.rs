//! Durations, sizes and numbers on the command line.

use crate::plan::{LARGEST_RATE, LONGEST_MS, MOST_REQUESTS};

/// Bytes given in hexadecimal.
pub type Bytes = std::sync::Arc<[u8]>;

/// Milliseconds of `500ms`, `30s`, `5m`.
///
/// # Errors
/// The text is not valid.
pub fn duration_ms(text: &str) -> Result<u64, String> {
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let unit_ms = match &text[digits..] {
        "ms" => 1.0,
        "s" | "" => 1_000.0,
        "m" => 60_000.0,
        "h" => 3_600_000.0,
        _ => return Err("must be a duration such as 500ms, 30s or 5m".to_owned()),
    };
    let number: f64 = text[..digits].parse().map_err(|_| "must be a duration such as 500ms, 30s or 5m".to_owned())?;
    let ms = (number * unit_ms).round();
    if ms > LONGEST_MS as f64 { Err("must be at most 168h".to_owned()) } else { Ok(ms as u64) }
}

/// A whole number, at least 1.
///
/// # Errors
/// The text is not such a number.
pub fn count(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "must be a whole number, at least 1".to_owned())
}

/// Threads that send.
///
/// # Errors
/// The text is not a number from 1 to 256.
pub fn threads(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|count| (1..=256).contains(count)).ok_or_else(|| "must be 1 to 256".to_owned())
}

/// A number of requests.
///
/// # Errors
/// The text is not a whole number in the range.
pub fn requests(text: &str) -> Result<u64, String> {
    let count = text.parse().ok().filter(|count| (1..=MOST_REQUESTS).contains(count));
    count.ok_or_else(|| "must be a whole number from 1 to 1000000000000".to_owned())
}

/// Messages in flight on a stream.
///
/// # Errors
/// The text is not a number from 1 to 4096.
pub fn window(text: &str) -> Result<u32, String> {
    text.parse().ok().filter(|window| (1..=4_096).contains(window)).ok_or_else(|| "must be 1 to 4096".to_owned())
}

/// Requests per second.
///
/// # Errors
/// The text is not a number, or too small.
pub fn rate(text: &str) -> Result<f64, String> {
    let rate = text.parse().ok().filter(|rate: &f64| (0.1..=LARGEST_RATE).contains(rate));
    rate.ok_or_else(|| "must be a number from 0.1 to 1000000".to_owned())
}

/// Bytes of `4096`, `4k`.
///
/// # Errors
/// The text is not valid.
pub fn bytes(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1_024),
        None => (text, 1),
    };
    let number: u64 = digits.parse().map_err(|_| "must be a size such as 4k or 65536".to_owned())?;
    number.checked_mul(unit).filter(|bytes| *bytes <= 16 << 20).ok_or_else(|| "must be at most 16384k".to_owned())
}

/// Bytes of `0801`.
///
/// # Errors
/// The text is not hexadecimal.
pub fn hexadecimal(text: &str) -> Result<Bytes, String> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return Err("must have two hexadecimal digits for each byte".to_owned());
    }
    let byte =
        |at| u8::from_str_radix(&text[at..at + 2], 16).map_err(|_| "must have hexadecimal digits only".to_owned());
    (0..text.len()).step_by(2).map(byte).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, ms) in
            [("500ms", 500), ("30s", 30_000), ("1.5m", 90_000), ("1h", 3_600_000), ("10", 10_000), ("0s", 0)]
        {
            assert_eq!(duration_ms(text), Ok(ms));
        }
        for text in ["", "s", "5d", "-1s", "1..2s"] {
            assert!(duration_ms(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_that_must_be_above_zero() {
        assert_eq!((count("7"), rate("0.5")), (Ok(7), Ok(0.5)));
        assert!(window("4096").is_ok() && window("0").is_err() && window("4097").is_err());
        for text in ["0", "-1", "", "x", "inf", "NaN", "1e20", "99999999999999999999"] {
            assert!(count(text).is_err() && rate(text).is_err() && requests(text).is_err(), "{text}");
            assert!(threads(text).is_err(), "{text}");
        }
        assert_eq!(rate("1000001").unwrap_err(), "must be a number from 0.1 to 1000000");
        assert_eq!(duration_ms("1e20s"), Err("must be a duration such as 500ms, 30s or 5m".to_owned()));
        assert_eq!(duration_ms("99999999999999999999s"), Err("must be at most 168h".to_owned()));
    }

    #[test]
    fn sizes() {
        assert_eq!((bytes("4k"), bytes("65536")), (Ok(4_096), Ok(65_536)));
        assert!(bytes("4g").is_err() && bytes("99999999k").is_err());
    }

    #[test]
    fn hexadecimal_bytes() {
        assert_eq!(hexadecimal("0801").as_deref(), Ok(&[8, 1][..]));
        assert_eq!(hexadecimal("").as_deref(), Ok(&[][..]));
        assert!(hexadecimal("080").is_err() && hexadecimal("zz").is_err() && hexadecimal("0é1").is_err());
    }
}
