//! What real APIs need: logins, headers with slots, several accepted statuses, bodies that are not JSON.

mod support;

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use support::shop::{self, Fault};
use support::{operation, plan, plan_json, read_request, run, serve};

#[test]
fn each_user_logs_in_once_and_sends_its_token() {
    let phases = json!([{"name": "one", "virtual_users": 5, "iterations": 200},
                        {"name": "two", "virtual_users": 5, "iterations": 100}]);
    let memory = run(&plan(shop::start(Fault::Nothing), &json!({"phases": phases, "operations": shop::operations()})));
    assert_eq!((memory.errors(), memory.ok()), (BTreeMap::new(), 300), "without its token each would be a 401");
    assert_eq!((memory.totals[0].calls[0].ok, memory.totals[1].calls[0].ok), (5, 0), "one login for each user");
}

/// Heads and bodies of requests.
type Requests = Arc<Mutex<Vec<(String, String)>>>;

/// A server that keeps all heads and bodies, and answers with these statuses by turns.
fn recording(statuses: &'static [u16]) -> (std::net::SocketAddr, Requests) {
    let seen = Requests::default();
    let kept = Arc::clone(&seen);
    let address = serve(move |mut stream| {
        while let Some((head, body)) = read_request(&mut stream) {
            let mut seen = kept.lock().expect("unbroken");
            let status = statuses[seen.len() % statuses.len()];
            seen.push((head, String::from_utf8_lossy(&body).into_owned()));
            let reply = format!("HTTP/1.1 {status} Some\r\nLocation: /elsewhere\r\nContent-Length: 2\r\n\r\n{{}}");
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    });
    (address, seen)
}

#[test]
fn headers_and_bodies_are_sent_as_they_are_written() {
    let (address, seen) = recording(&[200]);
    let mut form = operation("POST", json!(["/form"]), json!(["a=", {"slot": "sequence"}, "&b=two words"]));
    form["http"]["headers"] = json!({"content-type": "application/x-www-form-urlencoded"});
    form["http"]["header_templates"] = json!({"x-request": ["r-", {"slot": "user"}, "-", {"slot": "sequence"}]});
    assert_eq!(run(&plan(address, &json!({"operations": [form]}))).ok(), 3);
    let seen = seen.lock().expect("unbroken");
    let (head, body) = &seen[1];
    assert_eq!(body, "a=1&b=two words");
    for line in ["x-request: r-0-1", "content-type: application/x-www-form-urlencoded", "Content-Length: 15"] {
        assert!(head.lines().any(|known| known == line), "{line}: {head}");
    }
    assert_eq!(head.to_lowercase().matches("content-type").count(), 1, "{head}");
}

#[test]
fn several_statuses_are_accepted_and_each_is_counted() {
    let (address, _) = recording(&[200, 404, 500]);
    let mut either = operation("GET", json!(["/"]), json!([]));
    either["http"]["expect"] = json!([200, 404]);
    let memory = run(&plan(
        address,
        &json!({
            "operations": [either], "phases": [{"name": "one", "virtual_users": 1, "iterations": 9}],
        }),
    ));
    assert_eq!((memory.ok(), memory.errors()), (6, [("status_500".to_owned(), 3)].into()));
    let statuses = &memory.totals[0].calls[0].statuses;
    assert_eq!(
        statuses.iter().map(|(code, count)| (code.name(), *count)).collect::<Vec<_>>(),
        [("200".into(), 3), ("404".into(), 3), ("500".into(), 3)]
    );
}

#[test]
fn redirects_are_counted_and_not_followed() {
    let (address, seen) = recording(&[302]);
    let memory = run(&plan(address, &json!({})));
    assert_eq!((memory.errors(), seen.lock().expect("unbroken").len()), ([("status_302".to_owned(), 3)].into(), 3));
}

#[test]
fn an_operation_of_weight_zero_is_sent_only_where_another_needs_it() {
    let operations = shop::operations();
    let mut without_creates = operations.clone();
    without_creates[1]["weight"] = json!(0);
    let phases = json!([{"name": "one", "virtual_users": 1, "iterations": 200}]);
    let memory = run(&plan(shop::start(Fault::Nothing), &json!({"phases": phases, "operations": without_creates})));
    let (created, deleted) = (memory.totals[0].calls[1].ok, memory.totals[0].calls[4].ok);
    assert!(memory.errors().is_empty() && (deleted..=deleted + 1).contains(&created), "{created} {deleted}");
}

#[test]
fn impossible_plans_are_refused() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut plan = plan_json(address, &json!({"operations": shop::operations()}));
        change(&mut plan);
        let text = serde_json::to_vec(&plan).expect("JSON");
        let plan = bakeoff_load::plan::Plan::parse(&text);
        let compiled = plan.and_then(|plan| bakeoff_load::workload::Workload::compile(&plan).map(|_| ()));
        compiled.expect_err("refused").to_string()
    };
    let token = || json!({"slot": "login", "name": "token"});
    for (found, words) in [
        (refused(&|plan| (0..5).for_each(|at| plan["operations"][at]["weight"] = json!(0))), "a weight above zero"),
        (refused(&|plan| plan["operations"][2]["login"] = json!(true)), "at most one login"),
        (refused(&|plan| plan["operations"][0]["creates"] = json!("item")), "login needs nothing"),
        (refused(&|plan| plan["operations"][1]["variants"] = json!([[token()]])), "for headers and paths"),
        (refused(&|plan| plan["operations"][2]["http"]["expect"] = json!([])), "at least one status"),
        (refused(&|plan| plan["operations"][2]["http"]["header_templates"] = json!({"a b": []})), "the name may"),
        (
            refused(&|plan| plan["operations"][2]["http"]["reply_templates"] = json!({"/id": [{"slot": "uuid"}]})),
            "reply: a value takes",
        ),
    ] {
        assert!(found.contains(words), "{words}: {found}");
    }
}
