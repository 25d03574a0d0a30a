//! The values that the slots of one event take.

use super::calendar::{write_day, write_digits, write_instant};
use super::slots::Slot;
use crate::random::Draws;

const ALPHABET: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
const HEXADECIMAL: &[u8; 16] = b"0123456789abcdef";

/// The values of slots that do not draw.
#[derive(Debug, Clone, Copy)]
pub struct Context<'a> {
    pub user: u32,
    pub sequence: u32,
    pub base_time_ms: i64,
    pub run: &'a [u8],
    pub key: &'a [u8],
    /// Names and texts of values captured from earlier replies.
    pub captured: &'a [(Box<str>, Box<str>)],
    /// Values captured by the user's login.
    pub login: &'a [(Box<str>, Box<str>)],
    /// Values of the message's named slots.
    pub values: &'a [(Box<str>, Box<str>)],
}

/// Texts and numbers of a message's slots; reused from event to event.
#[derive(Debug, Default)]
pub struct Values {
    text: Vec<u8>,
    ends: Vec<usize>,
    numbers: Vec<i64>,
}

impl Values {
    /// Renders every slot in its order, drawing as the contract says.
    pub fn fill(&mut self, slots: &[Slot], context: &Context<'_>, draws: &mut Draws) {
        self.text.clear();
        self.ends.clear();
        self.numbers.clear();
        for slot in slots {
            let number = render(slot, context, draws, &mut self.text);
            self.ends.push(self.text.len());
            self.numbers.push(number);
        }
    }

    /// The text of a slot.
    #[inline]
    #[must_use]
    pub fn text(&self, slot: usize) -> &[u8] {
        let start = if slot == 0 { 0 } else { self.ends[slot - 1] };
        &self.text[start..self.ends[slot]]
    }

    /// Length of the text of a slot.
    #[inline]
    #[must_use]
    pub fn length(&self, slot: usize) -> usize {
        self.ends[slot] - if slot == 0 { 0 } else { self.ends[slot - 1] }
    }

    /// The number of a slot: an integer, a decimal in units of its last place, a choice's index,
    /// or the instant in epoch milliseconds.
    #[inline]
    #[must_use]
    pub fn number(&self, slot: usize) -> i64 {
        self.numbers[slot]
    }
}

fn render(slot: &Slot, context: &Context<'_>, draws: &mut Draws, out: &mut Vec<u8>) -> i64 {
    match slot {
        Slot::Uuid => write_uuid(draws, out),
        Slot::Integer { min, span } => write_integer(min + draws.below(*span) as i64, out),
        Slot::Decimal { min, max, scale } => {
            let value = draw_decimal(*min, *max, draws);
            write_decimal(value, *scale, out);
            value
        }
        Slot::Choice(choices) => {
            let index = draws.below(choices.len() as u64) as usize;
            out.extend_from_slice(&choices[index]);
            index as i64
        }
        Slot::Alphanumeric(length) => {
            out.extend((0..*length).map(|_| ALPHABET[(draws.draw() >> 27) as usize]));
            0
        }
        Slot::Date { first, days } => {
            write_day(first + draws.below(*days) as i64, out);
            0
        }
        Slot::Timestamp => {
            let instant = context.base_time_ms + i64::from(context.sequence) * 1_000 + i64::from(context.user % 1_000);
            write_instant(instant, out);
            instant
        }
        Slot::User => write_integer(i64::from(context.user), out),
        Slot::Sequence(modulo) => {
            write_integer(i64::from(modulo.map_or(context.sequence, |modulo| context.sequence % modulo)), out)
        }
        Slot::Run => write_text(context.run, out),
        Slot::Key => write_text(context.key, out),
        Slot::Captured(name) => write_named(context.captured, name, out),
        Slot::QueryPart { prefix, name } => write_query_part(context.captured, prefix, name, out),
        Slot::Login(name) => write_named(context.login, name, out),
        Slot::Value(name) => write_named(context.values, name, out),
    }
}

fn write_named(values: &[(Box<str>, Box<str>)], name: &str, out: &mut Vec<u8>) -> i64 {
    let value = values.iter().find(|(known, _)| **known == *name);
    write_text(value.map_or("", |(_, text)| text).as_bytes(), out)
}

/// The prefix and the value, percent-escaped where it is the value of a parameter; nothing where there is no value.
fn write_query_part(values: &[(Box<str>, Box<str>)], prefix: &str, name: &str, out: &mut Vec<u8>) -> i64 {
    let value = values.iter().find(|(known, _)| **known == *name).map_or("", |(_, text)| text);
    if value.is_empty() {
        return 0;
    }
    out.extend_from_slice(prefix.as_bytes());
    if !prefix.ends_with('=') {
        return write_text(value.as_bytes(), out);
    }
    for byte in value.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => out.push(byte),
            _ => {
                const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
                out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
        }
    }
    0
}

fn write_text(text: &[u8], out: &mut Vec<u8>) -> i64 {
    out.extend_from_slice(text);
    0
}

fn write_integer(value: i64, out: &mut Vec<u8>) -> i64 {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
    value
}

fn write_uuid(draws: &mut Draws, out: &mut Vec<u8>) -> i64 {
    let mut bytes = [0_u8; 16];
    for word in bytes.chunks_exact_mut(4) {
        word.copy_from_slice(&draws.draw().to_be_bytes());
    }
    bytes[6] = (bytes[6] & 0x0f) | 0x40;
    bytes[8] = (bytes[8] & 0x3f) | 0x80;
    let mut text = [b'-'; 36];
    let mut at = 0;
    for (index, byte) in bytes.iter().enumerate() {
        at += usize::from(matches!(index, 4 | 6 | 8 | 10));
        text[at] = HEXADECIMAL[usize::from(byte >> 4)];
        text[at + 1] = HEXADECIMAL[usize::from(byte & 15)];
        at += 2;
    }
    write_text(&text, out)
}

/// In units of the last place; never with a last digit of 0, so that the text is the double's shortest.
fn draw_decimal(min: i64, max: i64, draws: &mut Draws) -> i64 {
    let value = min + draws.below(max.abs_diff(min) + 1) as i64;
    match value % 10 {
        0 if value < max => value + 1,
        0 => value - 1,
        _ => value,
    }
}

fn write_decimal(value: i64, scale: u32, out: &mut Vec<u8>) {
    if value < 0 {
        out.push(b'-');
    }
    let unit = 10_u64.pow(scale);
    let magnitude = value.unsigned_abs();
    out.extend_from_slice(itoa::Buffer::new().format(magnitude / unit).as_bytes());
    if scale > 0 {
        out.push(b'.');
        write_digits(magnitude % unit, scale as usize, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rendered(slot: Slot, sequence: u32) -> String {
        let context = Context {
            user: 3,
            sequence,
            base_time_ms: 1_705_314_600_000,
            run: b"0badcafe",
            key: b"k",
            captured: &[],
            login: &[],
            values: &[],
        };
        let mut values = Values::default();
        values.fill(&[slot], &context, &mut Draws::of_event(42, 3, sequence));
        String::from_utf8(values.text(0).to_vec()).expect("text")
    }

    #[test]
    fn decimals_never_end_in_zero_and_stay_in_bounds() {
        let slot = Slot::Decimal { min: 100, max: 120, scale: 2 };
        for sequence in 0..500 {
            let text = rendered(slot.clone(), sequence);
            assert!(!text.ends_with('0'), "{text}");
            assert!((1.00..=1.20).contains(&text.parse::<f64>().expect("number")), "{text}");
        }
    }

    #[test]
    fn negative_decimals_keep_their_sign_below_one() {
        let mut out = Vec::new();
        write_decimal(-5, 2, &mut out);
        assert_eq!(out, b"-0.05");
    }

    #[test]
    fn uuids_are_of_version_4() {
        for sequence in 0..50 {
            let text = rendered(Slot::Uuid, sequence);
            let dashes: Vec<_> = text.char_indices().filter(|(_, c)| *c == '-').map(|(at, _)| at).collect();
            assert_eq!((text.len(), dashes), (36, vec![8, 13, 18, 23]));
            assert_eq!(&text[14..15], "4");
            assert!(matches!(&text[19..20], "8" | "9" | "a" | "b"), "{text}");
        }
    }

    #[test]
    fn a_part_of_a_query_is_escaped_and_absent_without_a_value() {
        let part = |value: Option<&str>| {
            let captured: Vec<(Box<str>, Box<str>)> =
                value.map(|value| ("next".into(), value.into())).into_iter().collect();
            let mut out = Vec::new();
            write_query_part(&captured, "&page=", "next", &mut out);
            String::from_utf8(out).expect("text")
        };
        assert_eq!(part(Some("a-z_.~/+= é")), "&page=a-z_.~%2F%2B%3D%20%C3%A9");
        assert_eq!((part(Some("")), part(None)), (String::new(), String::new()));
        let mut whole = Vec::new();
        write_query_part(&[("next".into(), "a=%2F&b=".into())], "&", "next", &mut whole);
        assert_eq!(whole, b"&a=%2F&b=", "a part of a query that is one already");
    }

    #[test]
    fn timestamps_follow_the_sequence() {
        assert_eq!(rendered(Slot::Timestamp, 0), "2024-01-15T10:30:00.003Z");
        assert_eq!(rendered(Slot::Timestamp, 61), "2024-01-15T10:31:01.003Z");
    }
}
