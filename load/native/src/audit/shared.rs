//! Checks a row whose key several users share: the order in which their operations took effect is unknown.
//! Audited by membership: each member must hold a value that some user may have written last.

use rustc_hash::FxHashSet;

use super::json::{equal, find};
use super::judge::{Judgement, Members, Step, members_of};
use crate::workload::EffectKind;

/// Checks a row of a shared key, or its absence.
#[must_use]
pub fn judge_shared(steps: &[Step], row: Option<&[u8]>) -> Judgement {
    let Some(row) = row else {
        let must_appear = steps.iter().any(|step| !step.is_unknown && step.kind != EffectKind::Delete);
        let may_vanish = steps.iter().any(|step| step.kind == EffectKind::Delete);
        return if must_appear && !may_vanish { Judgement::Lost } else { Judgement::Right };
    };
    let found = members_of(row);
    let origins: Vec<Origin> = found.iter().map(|member| origin(member, steps)).collect();
    let worst = origins.into_iter().max().unwrap_or(Origin::Acknowledged);
    match worst {
        Origin::Nowhere => Judgement::Wrong,
        Origin::Replaced => Judgement::Stale,
        _ if lacks_a_member(&found, steps) => Judgement::Stale,
        Origin::Unacknowledged => Judgement::RightWithUnacknowledged,
        Origin::Acknowledged => Judgement::Right,
    }
}

/// The origin of a member's value, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Origin {
    /// No user that wrote it has replaced it since.
    Acknowledged,
    /// It was sent and not acknowledged, and may have been applied at any time.
    Unacknowledged,
    /// Every user that wrote it had replaced it later, and each user's own operations are in order.
    Replaced,
    Nowhere,
}

/// Searches from the end, where a match is likely; an entity may have had very many operations.
fn origin((name, value): &(&[u8], &[u8]), steps: &[Step]) -> Origin {
    let mut replaced_by: FxHashSet<u32> = FxHashSet::default();
    let mut best = Origin::Nowhere;
    for step in steps.iter().rev() {
        let members = members_of(&step.document);
        let written = find(&members, name).filter(|_| step.kind != EffectKind::Delete);
        if written.is_some_and(|written| equal(value, written)) {
            best = best.min(match () {
                () if step.is_unknown => Origin::Unacknowledged,
                () if replaced_by.contains(&step.user) => Origin::Replaced,
                () => Origin::Acknowledged,
            });
        }
        if best == Origin::Acknowledged {
            return best;
        }
        if !step.is_unknown && (written.is_some() || step.kind != EffectKind::Merge) {
            replaced_by.insert(step.user);
        }
    }
    best
}

/// Whether a merged member is missing. Puts and deletes remove members; with one of them any member may be missing.
fn lacks_a_member(found: &Members<'_>, steps: &[Step]) -> bool {
    let merges_alone = steps.iter().all(|step| step.kind == EffectKind::Merge);
    merges_alone
        && steps.iter().filter(|step| !step.is_unknown).any(|step| {
            let members = members_of(&step.document);
            members.iter().any(|(name, _)| find(found, name).is_none())
        })
}

#[cfg(test)]
mod tests {
    use super::*;
    use EffectKind::{Delete, Merge, Put};

    fn steps(list: &[(u32, EffectKind, &str, bool)]) -> Vec<Step> {
        let step = |(user, kind, document, is_unknown): &(u32, EffectKind, &str, bool)| Step {
            user: *user,
            kind: *kind,
            document: document.as_bytes().to_vec(),
            is_unknown: *is_unknown,
        };
        list.iter().map(step).collect()
    }

    #[test]
    fn each_member_is_what_some_user_wrote_last() {
        use Judgement::{Lost, Right, RightWithUnacknowledged as Applied, Stale, Wrong};
        let merged = [
            (1, Merge, r#"{"a":1,"b":1}"#, false),
            (2, Merge, r#"{"a":2}"#, false),
            (1, Merge, r#"{"a":3}"#, false),
            (3, Merge, r#"{"a":4,"c":4}"#, true),
        ];
        let put = [(1, Put, r#"{"a":1}"#, false), (2, Put, r#"{"b":2}"#, false), (2, Put, r#"{"c":3}"#, false)];
        let deleted = [(1, Put, r#"{"a":1}"#, false), (2, Delete, "", false)];
        let unknown = [(1, Merge, r#"{"a":1}"#, true)];
        for (list, row, expected) in [
            (&merged[..], Some(r#"{"a": 3, "b": 1}"#), Right),
            (&merged, Some(r#"{"a": 2, "b": 1}"#), Right),
            (&merged, Some(r#"{"a": 4, "b": 1}"#), Applied),
            (&merged, Some(r#"{"a": 3, "b": 1, "c": 4}"#), Applied),
            (&merged, Some(r#"{"a": 1, "b": 1}"#), Stale),
            (&merged, Some(r#"{"a": 3}"#), Stale),
            (&merged, Some(r#"{"a": 5, "b": 1}"#), Wrong),
            (&merged, Some(r#"{"a": 3, "b": 1, "d": 1}"#), Wrong),
            (&merged, None, Lost),
            (&put, Some(r#"{"a": 1}"#), Right),
            (&put, Some(r#"{"c": 3}"#), Right),
            (&put, Some(r#"{"b": 2}"#), Stale),
            (&deleted, None, Right),
            (&deleted, Some(r#"{"a": 1}"#), Right),
            (&unknown, None, Right),
            (&unknown, Some(r#"{"a": 1}"#), Applied),
        ] {
            assert_eq!(judge_shared(&steps(list), row.map(str::as_bytes)), expected, "{list:?} {row:?}");
        }
    }
}
