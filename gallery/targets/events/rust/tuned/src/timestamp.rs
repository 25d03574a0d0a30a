//! Whether a text is a timestamp: RFC 3339, or epoch milliseconds. Timestamps are checked, not stored.

/// `2024-01-15T10:30:00Z` with any fraction and offset, or 1 to 15 digits with an optional minus sign.
#[must_use]
pub fn is_timestamp(text: &str) -> bool {
    is_epoch_milliseconds(text) || is_rfc3339(text.as_bytes())
}

/// 1 to 15 digits with an optional minus sign.
#[must_use]
pub fn is_epoch_milliseconds(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    (1..=15).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_rfc3339(text: &[u8]) -> bool {
    let Some((date_time, rest)) = text.split_at_checked(19) else {
        return false;
    };
    is_date(&date_time[..10])
        && matches!(date_time[10], b'T' | b't')
        && is_time(&date_time[11..])
        && without_fraction(rest).is_some_and(is_offset)
}

fn is_date(text: &[u8]) -> bool {
    let [y0, y1, y2, y3, b'-', m0, m1, b'-', d0, d1] = *text else {
        return false;
    };
    match (number(&[y0, y1, y2, y3]), number(&[m0, m1]), number(&[d0, d1])) {
        (Some(year), Some(month), Some(day)) => (1..=days_in_month(year, month)).contains(&day),
        _ => false,
    }
}

fn is_time(text: &[u8]) -> bool {
    let [h0, h1, b':', m0, m1, b':', s0, s1] = *text else {
        return false;
    };
    at_most(&[h0, h1], 23) && at_most(&[m0, m1], 59) && at_most(&[s0, s1], 59)
}

fn is_offset(text: &[u8]) -> bool {
    match *text {
        [b'Z' | b'z'] => true,
        [b'+' | b'-', h0, h1, b':', m0, m1] => at_most(&[h0, h1], 23) && at_most(&[m0, m1], 59),
        _ => false,
    }
}

/// The text after the fraction; `None` for a point without digits.
fn without_fraction(text: &[u8]) -> Option<&[u8]> {
    let Some(fraction) = text.strip_prefix(b".") else {
        return Some(text);
    };
    let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
    (digits > 0).then(|| &fraction[digits..])
}

fn at_most(digits: &[u8], limit: u32) -> bool {
    number(digits).is_some_and(|value| value <= limit)
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |value, byte| byte.is_ascii_digit().then(|| value * 10 + u32::from(byte - b'0')))
}

/// 0 for a month that does not exist.
fn days_in_month(year: u32, month: u32) -> u32 {
    match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400)) => 29,
        2 => 28,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        for text in [
            "2024-01-15T10:30:00Z",
            "2024-01-15t10:30:00z",
            "2024-01-15T10:30:00.1Z",
            "2024-01-15T10:30:00.123456789012345678901Z",
            "2024-02-29T23:59:59+23:59",
            "2000-02-29T00:00:00-00:00",
            "0000-01-01T00:00:00Z",
            "9999-12-31T23:59:59.999-12:00",
            "0",
            "-1",
            "1705314600000",
            "999999999999999",
            "-999999999999999",
        ] {
            assert!(is_timestamp(text), "{text}");
        }
    }

    #[test]
    fn other_texts() {
        for text in [
            "",
            "-",
            "+1",
            "1.5",
            "1e3",
            "1000000000000000",
            "12a",
            " 1",
            "2024-01-15",
            "2024-01-15 10:30:00Z",
            "2024-01-15T10:30:00",
            "2024-01-15T10:30:00.Z",
            "2024-01-15T10:30Z",
            "2024-13-15T10:30:00Z",
            "2024-00-15T10:30:00Z",
            "2024-01-00T10:30:00Z",
            "2024-01-32T10:30:00Z",
            "2023-02-29T10:30:00Z",
            "1900-02-29T10:30:00Z",
            "2024-04-31T10:30:00Z",
            "2024-01-15T24:00:00Z",
            "2024-01-15T10:60:00Z",
            "2024-01-15T10:30:60Z",
            "2024-01-15T10:30:00+24:00",
            "2024-01-15T10:30:00+01:60",
            "2024-01-15T10:30:00+0100",
            "2024-01-15T10:30:00Zz",
            "2024-01-15T10:30:00é",
            "2024-01-15T10:30:0é",
            "٢٠٢٤-01-15T10:30:00Z",
            "yesterday",
        ] {
            assert!(!is_timestamp(text), "{text}");
        }
    }
}
