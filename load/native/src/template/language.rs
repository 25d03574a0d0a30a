//! The template language as people write it: `${name arguments}`.

use crate::plan::{PlanError, Segment, SlotSegment};

/// Parses a template that a person wrote.
///
/// # Errors
/// A slot is not closed, has no known name, or its arguments are wrong.
pub fn parse(text: &str) -> Result<Vec<Segment>, PlanError> {
    let mut segments = Vec::new();
    let mut rest = text;
    while let Some(start) = rest.find("${") {
        if start > 0 {
            segments.push(Segment::Literal(rest[..start].to_owned()));
        }
        let body = &rest[start + 2..];
        let end = body.find('}').ok_or_else(|| PlanError::rule(format!("template: `${{{body}` is not closed")))?;
        segments.push(Segment::Slot(parse_slot(&body[..end])?));
        rest = &body[end + 1..];
    }
    if !rest.is_empty() {
        segments.push(Segment::Literal(rest.to_owned()));
    }
    Ok(segments)
}

fn parse_slot(body: &str) -> Result<SlotSegment, PlanError> {
    if let Some((name, of)) = body.split_once('=')
        && is_name(name)
    {
        return Ok(SlotSegment::Named { name: name.to_owned(), of: Box::new(parse_slot(of)?) });
    }
    let (name, arguments) = body.split_once(' ').unwrap_or((body, ""));
    let slot = match (name, arguments) {
        ("uuid", "") => Some(SlotSegment::Uuid),
        ("timestamp", "") => Some(SlotSegment::Timestamp),
        ("user", "") => Some(SlotSegment::User),
        ("sequence", "") => Some(SlotSegment::Sequence { modulo: None }),
        ("run", "") => Some(SlotSegment::Run),
        ("key", "") => Some(SlotSegment::Key),
        ("choice", choices) if !choices.is_empty() => {
            Some(SlotSegment::Choice { choices: choices.split('|').map(str::to_owned).collect() })
        }
        ("integer", bounds) => parse_pair(bounds).map(|(min, max)| SlotSegment::Integer { min, max }),
        ("date", years) => parse_pair(years).map(|(from, to)| SlotSegment::Date { from, to }),
        ("decimal", bounds) => parse_decimal(bounds),
        ("alphanumeric", length) => length.parse().ok().map(|length| SlotSegment::Alphanumeric { length }),
        (name, "") => match name.split_once('.') {
            Some(("captured", name)) => Some(SlotSegment::Captured { name: name.to_owned(), prefix: None }),
            Some(("login", name)) => Some(SlotSegment::Login { name: name.to_owned() }),
            Some(("value", name)) => Some(SlotSegment::Value { name: name.to_owned() }),
            _ => None,
        },
        _ => None,
    };
    slot.ok_or_else(|| {
        PlanError::rule(format!(
            "template: no such slot `${{{body}}}`; known are uuid, integer MIN MAX, decimal MIN MAX, choice A|B, \
             alphanumeric N, date FROM TO, timestamp, user, sequence, run"
        ))
    })
}

/// Whether a slot can have this name.
fn is_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn parse_pair<T: std::str::FromStr>(text: &str) -> Option<(T, T)> {
    let (first, second) = text.split_once(' ')?;
    Some((first.parse().ok()?, second.trim().parse().ok()?))
}

fn parse_decimal(bounds: &str) -> Option<SlotSegment> {
    let (min, max) = bounds.split_once(' ')?;
    let scale = min.split_once('.').map_or(0, |(_, places)| places.len());
    Some(SlotSegment::Decimal {
        min: unscaled(min, scale)?,
        max: unscaled(max.trim(), scale)?,
        scale: u32::try_from(scale).ok()?,
    })
}

/// A decimal in units of its last place: `12.5` with two places is 1250.
fn unscaled(text: &str, scale: usize) -> Option<i64> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    if places.len() > scale || !places.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    format!("{whole}{places}{}", "0".repeat(scale - places.len())).parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_and_literals_are_separated() {
        assert_eq!(
            parse(r#"{"a":"${uuid}","b":${decimal -1.50 2}}"#).expect("template"),
            [
                Segment::Literal(r#"{"a":""#.to_owned()),
                Segment::Slot(SlotSegment::Uuid),
                Segment::Literal(r#"","b":"#.to_owned()),
                Segment::Slot(SlotSegment::Decimal { min: -150, max: 200, scale: 2 }),
                Segment::Literal("}".to_owned()),
            ]
        );
    }

    #[test]
    fn mistakes_are_refused() {
        for text in ["${uuid", "${}", "${integer 1}", "${decimal 1.0 2.55}", "${choice }", "${nothing}", "${uuid 4}"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
