//! Checks one entity's row against the operations on it, in their order.

use super::json::{equal, find, members};
use crate::workload::EffectKind;

/// An operation on an entity.
#[derive(Debug, Clone, PartialEq)]
pub struct Step {
    pub user: u32,
    pub kind: EffectKind,
    /// The document that is merged or put, as JSON text.
    pub document: Vec<u8>,
    /// Sent and not acknowledged: it may have been applied at any time since, or never.
    pub is_unknown: bool,
}

/// The result of checking a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judgement {
    Right,
    /// Right, and an operation that was not acknowledged has been applied.
    RightWithUnacknowledged,
    /// It must exist and does not.
    Lost,
    /// It holds a value that a later acknowledged operation has replaced.
    Stale,
    /// It holds a value that was never possible.
    Wrong,
}

pub(super) type Members<'a> = Vec<(&'a [u8], &'a [u8])>;

/// A document that is not an object counts as a single member.
const WHOLE: &[u8] = b"\0";

pub(super) fn members_of(document: &[u8]) -> Members<'_> {
    members(document).unwrap_or_else(|| vec![(WHOLE, document)])
}

/// Checks a row, or its absence.
#[must_use]
pub fn judge(steps: &[Step], row: Option<&[u8]>) -> Judgement {
    judge_members(steps, row.map(members_of), equal)
}

/// Checks a document that a reply shows, or that it shows none: members that no operation ever wrote are the target's.
/// A whole number equals its text, as which protobuf's JSON mapping writes 64-bit integers.
#[must_use]
pub fn judge_reply(steps: &[Step], shown: Option<&[u8]>) -> Judgement {
    let written: Vec<Members<'_>> = steps.iter().map(|step| members_of(&step.document)).collect();
    let is_written = |(name, _): &(&[u8], &[u8])| written.iter().any(|members| find(members, name).is_some());
    let shown = shown.map(|document| members_of(document).into_iter().filter(is_written).collect());
    judge_members(steps, shown, |left, right| {
        equal(left, right) || whole(left).is_some_and(|n| whole(right) == Some(n))
    })
}

/// The digits of a whole number, written as a number or as text.
fn whole(json: &[u8]) -> Option<&[u8]> {
    let bare = json.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).unwrap_or(json);
    let digits = bare.strip_prefix(b"-").unwrap_or(bare);
    (!digits.is_empty() && digits.iter().all(u8::is_ascii_digit)).then_some(bare)
}

type Equal = fn(&[u8], &[u8]) -> bool;

fn judge_members(steps: &[Step], found: Option<Members<'_>>, equal: Equal) -> Judgement {
    let last = fold(steps.iter().filter(|step| !step.is_unknown));
    let unknown = || steps.iter().filter(|step| step.is_unknown);
    let may_vanish = unknown().any(|step| step.kind == EffectKind::Delete);
    let may_appear = unknown().any(|step| step.kind != EffectKind::Delete);
    let Some(found) = found else {
        return match last {
            None => Judgement::Right,
            Some(_) if may_vanish => Judgement::RightWithUnacknowledged,
            Some(_) => Judgement::Lost,
        };
    };
    let Some(last) = last else {
        return if may_appear && explained(&found, &[], steps, equal) {
            Judgement::RightWithUnacknowledged
        } else {
            blame(&found, &[], steps, equal)
        };
    };
    if same(&found, &last, equal) {
        return Judgement::Right;
    }
    let may_lose_members = unknown().any(|step| step.kind != EffectKind::Merge);
    let keeps_all = may_lose_members || last.iter().all(|(name, _)| find(&found, name).is_some());
    if (may_appear || may_vanish) && keeps_all && explained(&found, &last, steps, equal) {
        return Judgement::RightWithUnacknowledged;
    }
    blame(&found, &last, steps, equal)
}

/// The document that acknowledged steps leave, as JSON.
#[must_use]
pub fn last_document(steps: &[Step]) -> Option<String> {
    let members = fold(steps.iter().filter(|step| !step.is_unknown))?;
    if let [(WHOLE, document)] = members.as_slice() {
        return Some(String::from_utf8_lossy(document).into_owned());
    }
    let member = |(name, value): &(&[u8], &[u8])| {
        format!("\"{}\":{}", String::from_utf8_lossy(name), String::from_utf8_lossy(value))
    };
    Some(format!("{{{}}}", members.iter().map(member).collect::<Vec<_>>().join(",")))
}

/// The state that steps leave behind.
fn fold<'a>(steps: impl Iterator<Item = &'a Step>) -> Option<Members<'a>> {
    let mut state: Option<Members<'a>> = None;
    for step in steps {
        match (step.kind, &mut state) {
            (EffectKind::Delete, state) => *state = None,
            (EffectKind::Merge, Some(state)) => members_of(&step.document).into_iter().for_each(|m| set(state, m)),
            (EffectKind::Put | EffectKind::Merge, state) => *state = Some(members_of(&step.document)),
        }
    }
    state
}

fn set<'a>(state: &mut Members<'a>, (name, value): (&'a [u8], &'a [u8])) {
    match state.iter_mut().find(|(known, _)| *known == name) {
        Some((_, known)) => *known = value,
        None => state.push((name, value)),
    }
}

fn same(left: &Members<'_>, right: &Members<'_>, equal: Equal) -> bool {
    left.len() == right.len()
        && left.iter().all(|(name, value)| find(right, name).is_some_and(|other| equal(value, other)))
}

/// Whether each member has its last acknowledged value or one that an unknown step wrote.
fn explained(found: &Members<'_>, last: &[(&[u8], &[u8])], steps: &[Step], equal: Equal) -> bool {
    let unknown: Vec<Members<'_>> =
        steps.iter().filter(|step| step.is_unknown).map(|step| members_of(&step.document)).collect();
    found.iter().all(|(name, value)| {
        let candidates = unknown.iter().filter_map(|members| find(members, name)).chain(find(last, name));
        candidates.into_iter().any(|candidate| equal(value, candidate))
    })
}

/// Distinguishes old values from values that never existed.
fn blame(found: &Members<'_>, last: &[(&[u8], &[u8])], steps: &[Step], equal: Equal) -> Judgement {
    let written: Vec<Members<'_>> = steps.iter().map(|step| members_of(&step.document)).collect();
    let was_written = |(name, value): &(&[u8], &[u8])| {
        written.iter().filter_map(|members| find(members, name)).any(|old| equal(value, old))
    };
    // A missing member is an old state only if there was one without it.
    let was_missing = |name: &[u8]| written.iter().any(|members| find(members, name).is_none());
    let lacks = |(name, _): &&(&[u8], &[u8])| find(found, name).is_none();
    let is_old = found.iter().all(was_written) && last.iter().filter(lacks).all(|(name, _)| was_missing(name));
    if is_old { Judgement::Stale } else { Judgement::Wrong }
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectKind::{Delete, Merge, Put};

    fn steps(list: &[(EffectKind, &str, bool)]) -> Vec<Step> {
        let step = |(kind, document, is_unknown): &(EffectKind, &str, bool)| Step {
            user: 0,
            kind: *kind,
            document: document.as_bytes().to_vec(),
            is_unknown: *is_unknown,
        };
        list.iter().map(step).collect()
    }

    #[test]
    fn acknowledged_operations_leave_one_state() {
        let merged = [(Merge, r#"{"a":1,"b":1}"#, false), (Merge, r#"{"b":2,"c":3}"#, false)];
        let put = [(Put, r#"{"a":1}"#, false), (Put, r#"{"b":2}"#, false)];
        let deleted = [(Put, r#"{"a":1}"#, false), (Delete, "", false)];
        let again = [(Put, r#"{"a":1}"#, false), (Delete, "", false), (Put, r#"{"a":2}"#, false)];
        let scalar = [(Put, "1", false), (Put, "2", false)];
        for (list, row, expected) in [
            (&merged[..], Some(r#"{"a": 1, "b": 2, "c": 3}"#), Judgement::Right),
            (&merged, None, Judgement::Lost),
            (&merged, Some(r#"{"a": 1, "b": 1}"#), Judgement::Stale),
            (&merged, Some(r#"{"a": 1, "b": 1, "c": 3}"#), Judgement::Stale),
            (&merged, Some(r#"{"a": 9, "b": 2, "c": 3}"#), Judgement::Wrong),
            (&merged, Some(r#"{"a": 1, "b": 2, "c": 3, "d": 4}"#), Judgement::Wrong),
            (&put, Some(r#"{"b": 2}"#), Judgement::Right),
            (&put, Some(r#"{"a": 1, "b": 2}"#), Judgement::Stale),
            (&put, Some(r#"{"a": 1}"#), Judgement::Stale),
            (&deleted, None, Judgement::Right),
            (&deleted, Some(r#"{"a": 1}"#), Judgement::Stale),
            (&again, Some(r#"{"a": 2}"#), Judgement::Right),
            (&again, Some(r#"{"a": 1}"#), Judgement::Stale),
            (&again, None, Judgement::Lost),
            (&scalar, Some("2.0"), Judgement::Right),
            (&scalar, Some("1"), Judgement::Stale),
            (&scalar, Some("3"), Judgement::Wrong),
        ] {
            assert_eq!(judge(&steps(list), row.map(str::as_bytes)), expected, "{list:?} {row:?}");
        }
    }

    #[test]
    fn unacknowledged_operations_may_have_been_applied() {
        use Judgement::{Lost, Right, RightWithUnacknowledged as Applied, Wrong};
        let merge = [(Merge, r#"{"a":1}"#, false), (Merge, r#"{"a":2,"b":2}"#, true), (Merge, r#"{"c":3}"#, false)];
        let only = [(Merge, r#"{"a":1}"#, true)];
        let delete = [(Put, r#"{"a":1}"#, false), (Delete, "", true)];
        for (list, row, expected) in [
            (&merge[..], Some(r#"{"a": 1, "c": 3}"#), Right),
            (&merge, Some(r#"{"a": 2, "b": 2, "c": 3}"#), Applied),
            (&merge, Some(r#"{"a": 1}"#), Judgement::Stale),
            (&merge, Some(r#"{"a": 7, "c": 3}"#), Wrong),
            (&merge, None, Lost),
            (&only, None, Right),
            (&only, Some(r#"{"a": 1}"#), Applied),
            (&only, Some(r#"{"a": 2}"#), Wrong),
            (&delete, None, Applied),
            (&delete, Some(r#"{"a": 1}"#), Right),
        ] {
            assert_eq!(judge(&steps(list), row.map(str::as_bytes)), expected, "{list:?} {row:?}");
        }
    }
}
