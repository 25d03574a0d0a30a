//! Checks of a list in a reply: its order, its length, its pages, and the user's own members.

use std::cmp::Ordering;

use rustc_hash::FxHashSet;
use serde_json::Value;

use crate::mismatch::{WrongContent, shown};
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
    /// The user's own members are of no known kind, or cannot be distinguished.
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
    pub fn check(&self, document: &Value, most: Option<&str>, state: &UserState) -> Result<(), WrongContent> {
        let place = &self.rule.items;
        let found = document.pointer(place);
        let items = found.and_then(Value::as_array).ok_or_else(|| WrongContent::body(place, "a list", shown(found)))?;
        let no_number = |text: &str| WrongContent::body(place, "a number of items at the most", text);
        let most = most.map(|text| text.parse::<u64>().map_err(|_| no_number(text))).transpose()?;
        if let Some(most) = most.filter(|most| items.len() as u64 > *most) {
            return Err(WrongContent::body(place, format!("at most {most} items"), format!("{} items", items.len())));
        }
        self.check_order(items)?;
        self.check_ids(items)?;
        self.check_pages(document, most)?;
        match self.missing_member(items, state) {
            Some(id) => {
                let expected = format!("an item with the id {id}, which this user created");
                Err(WrongContent::wrong_read(place, expected, format!("{} items without it", items.len())))
            }
            None => Ok(()),
        }
    }

    fn check_order(&self, items: &[Value]) -> Result<(), WrongContent> {
        let Some(pointer) = &self.rule.order else { return Ok(()) };
        let wrong = if self.rule.descending { Ordering::Less } else { Ordering::Greater };
        let mut last: Option<&Value> = None;
        for (index, item) in items.iter().enumerate() {
            let place = || format!("{}/{index}{pointer}", self.rule.items);
            let found = item.pointer(pointer);
            let Some(key) = found else { return Err(WrongContent::body(&place(), "a value to order by", "nothing")) };
            if let Some(last) = last
                && compare(last, key).is_none_or(|order| order == wrong)
            {
                let bound = if self.rule.descending { "at most" } else { "at least" };
                return Err(WrongContent::body(&place(), format!("{bound} {}", shown(Some(last))), shown(found)));
            }
            last = found;
        }
        Ok(())
    }

    fn ids(&self, items: &[Value]) -> Option<FxHashSet<String>> {
        let pointer = self.rule.id.as_ref()?;
        items.iter().map(|item| item.pointer(pointer).and_then(text_of)).collect()
    }

    fn check_ids(&self, items: &[Value]) -> Result<(), WrongContent> {
        let is_right = self.rule.id.is_none() || self.ids(items).is_some_and(|ids| ids.len() == items.len());
        let wrong = || {
            let pointer = self.rule.id.as_deref().unwrap_or_default();
            let place = format!("{}/*{pointer}", self.rule.items);
            let count = self.ids(items).map_or(0, |ids| ids.len());
            WrongContent::body(&place, "another value in each item", format!("{count} values in {} items", items.len()))
        };
        if is_right { Ok(()) } else { Err(wrong()) }
    }

    fn check_pages(&self, document: &Value, most: Option<u64>) -> Result<(), WrongContent> {
        let number = |pointer: &String| document.pointer(pointer).and_then(text_of)?.parse::<u64>().ok();
        let Some(place) = &self.rule.total else { return Ok(()) };
        let Some(total) = number(place) else {
            return Err(WrongContent::body(place, "a whole number", shown(document.pointer(place))));
        };
        let (Some(pages), Some(most)) = (&self.rule.pages, most.filter(|most| *most > 0)) else { return Ok(()) };
        let expected = total.div_ceil(most);
        if number(pages) == Some(expected) {
            return Ok(());
        }
        Err(WrongContent::body(pages, expected.to_string(), shown(document.pointer(pages))))
    }

    /// A member that the user created and has not deleted, and that the list lacks: all must be in a complete list; in
    /// a page ordered by their id, those between its first and its last item.
    fn missing_member<'a>(&self, items: &[Value], state: &'a UserState) -> Option<&'a str> {
        let (Some(kind), Some(own)) = (self.own, &self.rule.own) else { return None };
        // Without ids nothing is shown; `check_ids` has refused that.
        let shown = self.ids(items)?;
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
        let mut due = ids.filter(|(name, id)| **name == *own.capture && is_due(id));
        due.find(|(_, id)| !shown.contains(&**id)).map(|(_, id)| &**id)
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
    use crate::failure::Failure;
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
        state.list(
            0,
            ids.iter().map(|id| Entity { captured: vec![("id".into(), (*id).into())], origin: None }).collect(),
        );
        state
    }

    fn checked(rule: Value, reply: Value, most: Option<&str>, own: &[&str]) -> Result<(), Failure> {
        let rule = serde_json::from_value(rule).expect("a rule");
        let rule = ListRule::new(&rule, &["user".to_owned()]).expect("a rule");
        rule.check(&reply, most, &state(own)).map_err(|wrong| wrong.failure)
    }

    #[test]
    fn what_is_wrong_is_named_with_its_place() {
        let wrong = |reply: Value, most: Option<&str>, own: &[&str]| {
            let rule = json!({"items": "/u", "order": "/id", "id": "/id", "complete": true, "most": ["2"],
                              "own": {"kind": "user", "capture": "id"}, "total": "/total", "pages": "/pages"});
            let rule = ListRule::new(&serde_json::from_value(rule).expect("a rule"), &["user".to_owned()]);
            let mismatch = rule.expect("a rule").check(&reply, most, &state(own)).expect_err("wrong").mismatch;
            [mismatch.pointer, mismatch.expected, mismatch.received]
        };
        let users = |ids: &[u64]| json!({"u": ids.iter().map(|id| json!({"id": id})).collect::<Vec<_>>(), "total": 3});
        assert_eq!(wrong(json!({}), None, &[]), ["/u", "a list", "nothing"]);
        assert_eq!(wrong(users(&[1, 2, 3]), Some("2"), &[]), ["/u", "at most 2 items", "3 items"]);
        assert_eq!(wrong(users(&[2, 1]), None, &[]), ["/u/1/id", "at least 2", "1"]);
        assert_eq!(wrong(users(&[2, 2]), None, &[]), ["/u/*/id", "another value in each item", "1 values in 2 items"]);
        assert_eq!(wrong(users(&[1]), Some("2"), &[]), ["/pages", "2", "nothing"]);
        let expected = ["/u", "an item with the id 9, which this user created", "1 items without it"];
        assert_eq!(wrong(users(&[1]), None, &["1", "9"]), expected);
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
