//! What a list in a reply must be: its order, its length, its pages, and the user's own members.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::failure::Failure;
use crate::plan::{ListCheck, PlanError};
use crate::workload::UserState;

/// The rule for the list in one call's replies.
#[derive(Debug)]
pub struct ListRule {
    rule: ListCheck,
    /// The kind of the user's own members, by its index.
    own: Option<usize>,
}

impl ListRule {
    /// # Errors
    /// The user's own members are of no known kind, or cannot be told apart.
    pub fn new(rule: &ListCheck, kinds: &[String]) -> Result<Self, PlanError> {
        let kind_of = |own: &crate::plan::OwnMembers| {
            let kind = kinds.iter().position(|known| *known == own.kind);
            kind.ok_or_else(|| PlanError::rule(format!("list.own: nothing creates {}", own.kind)))
        };
        if rule.own.is_some() && rule.id.is_none() {
            return Err(PlanError::rule("list.own: needs id, the place of the captured value in an item"));
        }
        if rule.pages.is_some() && (rule.total.is_none() || rule.most.is_none()) {
            return Err(PlanError::rule("list.pages: needs total and most"));
        }
        Ok(Self { rule: rule.clone(), own: rule.own.as_ref().map(kind_of).transpose()? })
    }

    /// Whether the most items are one of the event's texts.
    #[must_use]
    pub fn has_most(&self) -> bool {
        self.rule.most.is_some()
    }

    /// Checks a reply's list; `most` is the text of the most items, `state` what the user knows to be stored.
    ///
    /// # Errors
    /// The list is not what it must be, or does not show what must be there.
    pub fn check(&self, document: &Value, most: Option<&str>, state: &UserState) -> Result<(), Failure> {
        let items = document.pointer(&self.rule.items).and_then(Value::as_array).ok_or(Failure::Body)?;
        let most = most.map(|text| text.parse::<u64>().map_err(|_| Failure::Body)).transpose()?;
        let is_short = most.is_none_or(|most| items.len() as u64 <= most);
        let is_right =
            is_short && self.is_ordered(items) && self.is_distinct(items) && self.pages_are_right(document, most);
        if !is_right {
            return Err(Failure::Body);
        }
        if self.shows_own_members(items, state) { Ok(()) } else { Err(Failure::WrongRead) }
    }

    fn is_ordered(&self, items: &[Value]) -> bool {
        let Some(pointer) = &self.rule.order else { return true };
        let Some(keys) = items.iter().map(|item| item.pointer(pointer)).collect::<Option<Vec<_>>>() else {
            return false;
        };
        let wrong = if self.rule.descending { Ordering::Less } else { Ordering::Greater };
        keys.windows(2).all(|pair| compare(pair[0], pair[1]).is_some_and(|order| order != wrong))
    }

    fn ids(&self, items: &[Value]) -> Option<FxHashSet<String>> {
        let pointer = self.rule.id.as_ref()?;
        items.iter().map(|item| item.pointer(pointer).and_then(text_of)).collect()
    }

    fn is_distinct(&self, items: &[Value]) -> bool {
        self.rule.id.is_none() || self.ids(items).is_some_and(|ids| ids.len() == items.len())
    }

    fn pages_are_right(&self, document: &Value, most: Option<u64>) -> bool {
        let number = |pointer: &String| document.pointer(pointer).and_then(text_of)?.parse::<u64>().ok();
        let Some(total) = &self.rule.total else { return true };
        let Some(total) = number(total) else { return false };
        match (&self.rule.pages, most.filter(|most| *most > 0)) {
            (Some(pages), Some(most)) => number(pages) == Some(total.div_ceil(most)),
            _ => true,
        }
    }

    /// Members that the user created and has not deleted must be in a complete list; in a page ordered by their id,
    /// those between its first and its last item.
    fn shows_own_members(&self, items: &[Value], state: &UserState) -> bool {
        let (Some(kind), Some(own)) = (self.own, &self.rule.own) else { return true };
        let Some(shown) = self.ids(items) else { return false };
        let is_by_id = self.rule.order.is_some() && self.rule.order == self.rule.id;
        let ends = items.first().zip(items.last()).filter(|_| is_by_id);
        let is_due = |id: &str| {
            self.rule.complete
                || ends.is_some_and(|(first, last)| {
                    let place = |item: &Value| {
                        let shown = self.rule.id.as_ref().and_then(|pointer| item.pointer(pointer));
                        shown.and_then(|shown| compare(&Value::String(id.to_owned()), shown))
                    };
                    let (low, high) = if self.rule.descending { (last, first) } else { (first, last) };
                    place(low) == Some(Ordering::Greater) && place(high) == Some(Ordering::Less)
                })
        };
        let ids = state.entities(kind).iter().flat_map(|entity| &entity.captured);
        ids.filter(|(name, _)| **name == *own.capture).all(|(_, id)| shown.contains(&**id) || !is_due(id))
    }
}

/// Whole numbers, as which text counts too, by their value; other numbers by theirs, and texts by their characters.
fn compare(left: &Value, right: &Value) -> Option<Ordering> {
    let whole = |value: &Value| text_of(value).and_then(|text| text.parse::<i128>().ok());
    if let (Some(left), Some(right)) = (whole(left), whole(right)) {
        return Some(left.cmp(&right));
    }
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left.as_f64()?.partial_cmp(&right.as_f64()?),
        (Value::String(left), Value::String(right)) => Some(left.cmp(right)),
        _ => None,
    }
}

fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;
    use crate::workload::{Entity, Workload};
    use serde_json::json;

    fn state(ids: &[&str]) -> UserState {
        let plan: Plan = serde_json::from_value(json!({
            "version": 1, "workload": "w", "target": "t", "mode": "m", "payload": "p", "run": "00000000",
            "seed": "0000000000000000", "base_time_ms": 0, "proto": null, "phases": [], "think_time_ms": 0,
            "transport": {"protocol": "http", "host": "h", "port": 1, "connections": null, "batch": 1, "stream": false,
                          "timeout_ms": 1},
            "thresholds": {"p95_ms": 1, "p99_ms": 1, "error_rate": 1}, "keys": [], "size_bytes": null,
            "operations": [{"name": "o", "weight": 1, "key": null, "http": null, "grpc": null, "variants": [[]],
                            "creates": "user", "needs": null, "effect": null}],
            "batch": null, "stream": null, "ledger": null, "verify_share": 1,
        }))
        .expect("a plan");
        let mut state = Workload::compile_messages(&plan).expect("compiles").new_user();
        state.list(0, ids.iter().map(|id| Entity { captured: vec![("id".into(), (*id).into())] }).collect());
        state
    }

    fn checked(rule: Value, reply: Value, most: Option<&str>, own: &[&str]) -> Result<(), Failure> {
        let rule = serde_json::from_value(rule).expect("a rule");
        ListRule::new(&rule, &["user".to_owned()]).expect("a rule").check(&reply, most, &state(own))
    }

    #[test]
    fn order_length_and_distinctness_are_checked() {
        let rule = || json!({"items": "/users", "order": "/id", "id": "/id"});
        let body = Err(Failure::Body);
        for (reply, most, expected) in [
            (json!({"users": []}), None, Ok(())),
            (json!({"users": [{"id": "9"}, {"id": "10"}]}), Some("2"), Ok(())),
            (json!({"users": [{"id": "9"}, {"id": "10"}]}), Some("1"), body),
            (json!({"users": [{"id": 10}, {"id": 9}]}), None, body),
            (json!({"users": [{"id": 9}, {"id": 9}]}), None, body),
            (json!({"users": [{"name": 9}]}), None, body),
            (json!({"users": {}}), None, body),
            (json!({}), None, body),
        ] {
            assert_eq!(checked(rule(), reply.clone(), most, &[]), expected, "{reply}");
        }
        let descending = json!({"items": "", "order": "/n", "descending": true});
        assert_eq!(checked(descending.clone(), json!([{"n": "b"}, {"n": "a"}]), None, &[]), Ok(()));
        assert_eq!(checked(descending, json!([{"n": "a"}, {"n": "b"}]), None, &[]), body);
    }

    #[test]
    fn pages_follow_from_the_total() {
        let rule = || json!({"items": "/u", "most": ["10"], "total": "/total", "pages": "/pages"});
        for (total, pages, is_right) in [("25", "3", true), ("30", "3", true), ("0", "0", true), ("25", "2", false)] {
            let reply = json!({"u": [], "total": total, "pages": pages});
            assert_eq!(checked(rule(), reply, Some("10"), &[]).is_ok(), is_right, "{total} {pages}");
        }
        assert_eq!(checked(rule(), json!({"u": []}), Some("10"), &[]), Err(Failure::Body));
    }

    #[test]
    fn own_members_must_be_shown_where_the_page_reaches_them() {
        let page = || json!({"items": "", "id": "/id", "order": "/id", "own": {"kind": "user", "capture": "id"}});
        let users = || json!([{"id": "4"}, {"id": "7"}, {"id": "20"}]);
        for (own, expected) in [(&["7"][..], Ok(())), (&["3", "21"], Ok(())), (&["7", "9"], Err(Failure::WrongRead))] {
            assert_eq!(checked(page(), users(), None, own), expected, "{own:?}");
        }
        let mut complete = page();
        complete["complete"] = json!(true);
        assert_eq!(checked(complete.clone(), users(), None, &["21"]), Err(Failure::WrongRead));
        assert_eq!(checked(complete, json!([]), None, &["4"]), Err(Failure::WrongRead));
    }
}
