//! Days and instants as text, without allocation.

/// Days from 1970-01-01 to the first of January of `year`.
pub fn days_to_year(year: u32) -> i64 {
    let before = i64::from(year) - 1;
    let leap_days = before.div_euclid(4) - before.div_euclid(100) + before.div_euclid(400);
    before * 365 + leap_days - 719_162
}

/// Year, month and day of a day counted from 1970-01-01.
pub fn civil(days: i64) -> (i64, u32, u32) {
    // Counts from 0000-03-01, so that the leap day is the last of its year.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = (day_of_year - (153 * month_from_march + 2) / 5 + 1) as u32;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 } as u32;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
}

/// Writes `YYYY-MM-DD`.
pub fn write_day(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil(days);
    write_digits(year.unsigned_abs(), 4, out);
    out.push(b'-');
    write_digits(u64::from(month), 2, out);
    out.push(b'-');
    write_digits(u64::from(day), 2, out);
}

/// Writes `YYYY-MM-DDTHH:MM:SS.mmmZ` for epoch milliseconds.
pub fn write_instant(epoch_ms: i64, out: &mut Vec<u8>) {
    const DAY_MS: i64 = 86_400_000;
    write_day(epoch_ms.div_euclid(DAY_MS), out);
    let in_day = epoch_ms.rem_euclid(DAY_MS) as u64;
    for (mark, value, digits) in [
        (b'T', in_day / 3_600_000, 2),
        (b':', in_day / 60_000 % 60, 2),
        (b':', in_day / 1_000 % 60, 2),
        (b'.', in_day % 1_000, 3),
    ] {
        out.push(mark);
        write_digits(value, digits, out);
    }
    out.push(b'Z');
}

/// Writes a number with leading zeros.
pub fn write_digits(value: u64, digits: usize, out: &mut Vec<u8>) {
    let start = out.len();
    out.resize(start + digits, b'0');
    let mut rest = value;
    for place in out[start..].iter_mut().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).expect("ASCII")
    }

    #[test]
    fn known_days() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (20_454, "2026-01-01"),
            (47_540, "2100-02-28"),
            (47_541, "2100-03-01"),
        ] {
            assert_eq!(text(|out| write_day(days, out)), expected);
        }
    }

    #[test]
    fn years_begin_on_the_first_of_january() {
        for year in [1, 1600, 1900, 1970, 2000, 2024, 2026, 2400] {
            assert_eq!(civil(days_to_year(year)), (i64::from(year), 1, 1));
        }
    }

    #[test]
    fn instants() {
        assert_eq!(text(|out| write_instant(1_705_314_600_007, out)), "2024-01-15T10:30:00.007Z");
        assert_eq!(text(|out| write_instant(-1, out)), "1969-12-31T23:59:59.999Z");
    }
}
