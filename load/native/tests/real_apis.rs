//! Requirements of real APIs: logins, headers with slots, several accepted statuses, bodies that are not JSON.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::support::shop::{self, Fault};
use crate::support::{operation, plan, plan_json, read_request, run, serve};

#[test]
fn each_user_logs_in_once_and_sends_its_token() {
    let phases = json!([{"name": "one", "virtual_users": 5, "iterations": 200},
                        {"name": "two", "virtual_users": 5, "iterations": 100}]);
    let memory = run(&plan(shop::start(Fault::Nothing), &json!({"phases": phases, "operations": shop::operations()})));
    assert_eq!((memory.errors(), memory.ok()), (BTreeMap::new(), 300), "without its token each would be a 401");
    assert_eq!((memory.totals[0].calls[0].ok, memory.totals[1].calls[0].ok), (5, 0), "one login for each user");
}

#[test]
fn one_login_serves_all_users_where_they_would_send_the_same() {
    let phases = json!([{"name": "one", "virtual_users": 5, "iterations": 200}]);
    let run_with = |message: &Value, expect: u16| {
        let mut operations = shop::operations();
        operations[0]["variants"] = json!([message]);
        operations[0]["http"]["expect"] = json!(expect);
        let address = shop::start(Fault::OneSession);
        run(&plan(address, &json!({"phases": phases, "operations": operations})))
    };
    let memory = run_with(&json!(["{\"user\":\"all\"}"]), 200);
    assert_eq!((memory.errors(), memory.ok(), memory.totals[0].calls[0].ok), (BTreeMap::new(), 200, 0));
    // Each user's own login ends the session of another.
    let own = run_with(&json!(["{\"user\":", {"slot": "user"}, "}"]), 200);
    assert_eq!(own.totals[0].calls[0].ok, 5);
    assert!(own.ok() < 200, "{:?}", own.errors());
    // Where it fails for all, each of them tries, and that is seen.
    let refused = run_with(&json!(["{\"user\":\"all\"}"]), 201);
    assert_eq!((refused.ok(), refused.totals[0].calls[0].failed), (0, 200), "{:?}", refused.errors());
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
fn forms_parts_and_bytes_are_sent_with_their_type_and_length() {
    for (body, message, sent) in [
        ("form", r#"{"a":"two words","b":[1,true]}"#, "a=two+words&b=1&b=true"),
        (
            "multipart",
            r#"{"title":"x","photo":{"filename":"p.bin","base64":"AEE="}}"#,
            "--bakeoff-0b7f3c5e9d1a2468\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nx\r\n\
             --bakeoff-0b7f3c5e9d1a2468\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"p.bin\"\r\n\
             Content-Type: application/octet-stream\r\n\r\n\0A\r\n--bakeoff-0b7f3c5e9d1a2468--\r\n",
        ),
        ("binary", "AEFC", "\0AB"),
    ] {
        let (address, seen) = recording(&[200]);
        let mut operation = operation("POST", json!(["/"]), json!([message]));
        operation["body"] = json!(body);
        operation["http"]["headers"] = json!({"content-type": "some/type"});
        assert_eq!(run(&plan(address, &json!({"operations": [operation]}))).ok(), 3);
        let seen = seen.lock().expect("unbroken");
        assert_eq!(seen[2].1, sent);
        let length = format!("Content-Length: {}", sent.len());
        assert!(seen[2].0.lines().any(|line| line == length) && seen[2].0.contains("content-type: some/type\r\n"));
    }
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
        (refused(&|plan| plan["operations"][1]["body"] = json!("binary")), "written in base64"),
        (
            refused(&|plan| plan["operations"][2]["http"]["reply_templates"] = json!({"/id": [{"slot": "uuid"}]})),
            "reply: a value takes",
        ),
        (
            refused(&|plan| plan["operations"][2]["http"]["capture_templates"] = json!({"id": [{"slot": "uuid"}]})),
            "capture: a value that was sent takes",
        ),
    ] {
        assert!(found.contains(words), "{words}: {found}");
    }
}

/// A server that answers each request with these bytes.
fn answering(reply: Vec<u8>) -> (std::net::SocketAddr, Requests) {
    let seen = Requests::default();
    let kept = Arc::clone(&seen);
    let address = serve(move |mut stream| {
        while let Some((head, _)) = read_request(&mut stream) {
            kept.lock().expect("unbroken").push((head, String::new()));
            if stream.write_all(&reply).is_err() {
                return;
            }
        }
    });
    (address, seen)
}

#[test]
fn headers_are_captured_whole_and_from_the_last_slash_on() {
    let reply = "HTTP/1.1 201 Created\r\nX: y\r\nLocation: /v1/items/77\r\nContent-Length: 0\r\n\r\n";
    let (address, seen) = answering(reply.as_bytes().to_vec());
    let mut create = operation("POST", json!(["/v1/items"]), json!(["{}"]));
    (create["name"], create["creates"], create["weight"]) = (json!("create"), json!("item"), json!(0));
    create["http"]["expect"] = json!(201);
    create["http"]["capture"] = json!({"place": "header:location", "id": "header:location/"});
    let (place, id) = (json!({"slot": "captured", "name": "place"}), json!({"slot": "captured", "name": "id"}));
    let mut touch = operation("DELETE", json!([place, "?id=", id]), json!([]));
    (touch["needs"], touch["http"]["expect"]) = (json!("item"), json!(201));
    let memory = run(&plan(address, &json!({"operations": [create, touch]})));
    assert_eq!((memory.ok(), memory.errors()), (3, BTreeMap::new()));
    let first: Vec<String> = seen
        .lock()
        .expect("unbroken")
        .iter()
        .map(|(head, _)| head[..head.find(" HTTP").expect("a line")].to_owned())
        .collect();
    assert_eq!(first, ["POST /v1/items", "DELETE /v1/items/77?id=77", "DELETE /v1/items/77?id=77"]);
}

#[test]
fn what_a_request_sent_is_captured_beside_what_its_reply_shows() {
    let (address, seen) = answering(b"HTTP/1.1 204 No Content\r\n\r\n".to_vec());
    let captured = |name: &str| json!({"slot": "captured", "name": name});
    let named = json!({"slot": "named", "name": "n", "of": {"slot": "alphanumeric", "length": 6}});
    let mut put = operation("PUT", json!(["/shelves/", named]), json!(["{}"]));
    (put["name"], put["creates"], put["weight"]) = (json!("put"), json!("shelf"), json!(0));
    put["http"]["capture_templates"] = json!({"id": ["s-", {"slot": "value", "name": "n"}]});
    let mut add = operation("POST", json!(["/shelves/", captured("id"), "/books"]), json!(["{}"]));
    (add["name"], add["creates"], add["weight"]) = (json!("add"), json!("book"), json!(0));
    add["needs"] = json!("shelf");
    add["http"]["capture_templates"] = json!({"id": ["7"], "parent": [captured("id")]});
    let mut get = operation("GET", json!(["/", captured("parent"), "/", captured("id")]), json!([]));
    (get["name"], get["needs"]) = (json!("get"), json!("book"));
    let mut operations = json!([put, add, get]);
    operations.as_array_mut().expect("a list").iter_mut().for_each(|each| each["http"]["expect"] = json!(204));
    let memory = run(&plan(address, &json!({"operations": operations})));
    assert_eq!((memory.ok(), memory.errors()), (3, BTreeMap::new()));
    let seen = seen.lock().expect("unbroken");
    let paths: Vec<&str> = seen.iter().map(|(head, _)| head.split(' ').nth(1).unwrap_or_default()).collect();
    let shelf = format!("s-{}", paths[0].rsplit('/').next().unwrap_or_default());
    assert_eq!(paths[1..], [format!("/shelves/{shelf}/books"), format!("/{shelf}/7")]);
}

#[test]
fn a_reply_without_the_captured_header_is_wrong() {
    let (address, _) = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
    let mut create = operation("POST", json!(["/"]), json!(["{}"]));
    create["http"]["capture"] = json!({"id": "header:location/"});
    assert_eq!(run(&plan(address, &json!({"operations": [create]}))).errors(), [("body".to_owned(), 3)].into());
}

fn compressed(text: &str) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    encoder.write_all(text.as_bytes()).expect("memory");
    let body = encoder.finish().expect("memory");
    let head = format!("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: {}\r\n\r\n", body.len());
    [head.into_bytes(), body].concat()
}

#[test]
fn compressed_replies_are_checked() {
    let mut read = operation("GET", json!(["/"]), json!([]));
    read["http"]["headers"] = json!({"accept-encoding": "gzip"});
    read["http"]["reply"] = json!({"/id": 7});
    for (text, errors) in [("{\"id\":7}", BTreeMap::new()), ("{\"id\":8}", [("body".to_owned(), 3)].into())] {
        let (address, seen) = answering(compressed(text));
        assert_eq!(run(&plan(address, &json!({"operations": [read]}))).errors(), errors, "{text}");
        assert!(seen.lock().expect("unbroken")[0].0.contains("accept-encoding: gzip"));
    }
}

#[test]
fn without_keep_alive_each_request_has_its_own_connection() {
    let (address, seen) = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
    let phases = json!([{"name": "one", "virtual_users": 3, "iterations": 60}]);
    let memory = run(&plan(address, &json!({"phases": phases, "transport": {"keep_alive": false}})));
    assert_eq!((memory.ok(), memory.errors()), (60, BTreeMap::new()));
    assert!((60..=63).contains(&memory.connections_opened()), "{}", memory.connections_opened());
    assert!(seen.lock().expect("unbroken").iter().all(|(head, _)| head.contains("Connection: close")));
}

/// A server that replies with the last part of the path, as text, under `/name`.
fn echoing_path() -> std::net::SocketAddr {
    serve(move |mut stream| {
        while let Some((head, _)) = read_request(&mut stream) {
            let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
            let body = json!({"name": path.rsplit('=').next()}).to_string();
            let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
            if stream.write_all(reply.as_bytes()).is_err() {
                return;
            }
        }
    })
}

#[test]
fn values_of_a_message_are_used_again_in_path_and_reply() {
    let value = |name: &str| json!({"slot": "value", "name": name});
    let named = |name: &str, of: Value| json!({"slot": "named", "name": name, "of": of});
    let number = named("n", json!({"slot": "integer", "min": 1, "max": 1_000_000}));
    let mut search = operation("POST", json!(["/s?page=", value("n")]), json!(["{\"page\":", number, "}"]));
    search["http"]["reply_templates"] = json!({"/name": [value("n")]});
    let all = json!({"operations": [search], "verify_share": 1.0});
    assert_eq!(run(&plan(echoing_path(), &all)).errors(), BTreeMap::new());
    search["http"]["reply_templates"] = json!({"/name": ["x", value("n")]});
    let wrong = json!({"operations": [search], "verify_share": 1.0});
    assert_eq!(run(&plan(echoing_path(), &wrong)).errors(), [("body".to_owned(), 3)].into());
}

#[test]
fn a_whole_number_equals_its_text_in_replies() {
    for (body, is_right) in [("{\"id\":\"7\"}", true), ("{\"id\":7}", true), ("{\"id\":\"8\"}", false)] {
        let reply = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        let (address, _) = answering(reply.into_bytes());
        let mut read = operation("GET", json!(["/"]), json!([]));
        read["http"]["reply"] = json!({"/id": 7});
        assert_eq!(run(&plan(address, &json!({"operations": [read]}))).errors().is_empty(), is_right, "{body}");
    }
}

#[test]
fn values_without_a_slot_of_their_name_are_refused() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let value = || json!({"slot": "value", "name": "n"});
    let mut in_path = operation("GET", json!(["/", value()]), json!([]));
    in_path["name"] = json!("one");
    let mut in_reply = operation("GET", json!(["/"]), json!([]));
    in_reply["http"]["reply_templates"] = json!({"/id": [value()]});
    let mut in_capture = operation("GET", json!(["/"]), json!([]));
    in_capture["http"]["capture_templates"] = json!({"id": [value()]});
    for operation in [in_path, in_reply, in_capture] {
        let plan = plan(address, &json!({"operations": [operation]}));
        let refused = bakeoff_load::workload::Workload::compile(&plan).map(|_| ()).expect_err("refused").to_string();
        assert!(refused.contains("named n"), "{refused}");
    }
}

#[test]
fn each_user_sends_back_its_cookies() {
    let reply = "HTTP/1.1 200 OK\r\nSet-Cookie: session=s1; Path=/; HttpOnly\r\nContent-Length: 0\r\n\r\n";
    let (address, seen) = answering(reply.as_bytes().to_vec());
    assert_eq!(run(&plan(address, &json!({"cookies": true}))).ok(), 3);
    let sent: Vec<bool> =
        seen.lock().expect("unbroken").iter().map(|(head, _)| head.contains("cookie: session=s1\r\n")).collect();
    assert_eq!(sent, [false, true, true]);
}

#[test]
fn an_operation_has_a_pause_of_its_own() {
    let (address, _) = answering(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n".to_vec());
    let mut slow = operation("GET", json!(["/"]), json!([]));
    slow["think_time_ms"] = json!(40);
    let memory = run(&plan(address, &json!({"operations": [slow]})));
    assert!(
        memory.totals[0].calls[0].response.is_some(),
        "requests after a pause have an instant at which they are due"
    );
    let begun = std::time::Instant::now();
    run(&plan(address, &json!({"operations": [slow]})));
    assert!(begun.elapsed() >= std::time::Duration::from_millis(80), "two pauses between three requests");
}

/// Requests by users of a small API for items, and the paths that they requested.
fn list_operations(reply: &str) -> (std::net::SocketAddr, Requests, Value) {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{reply}", reply.len());
    let (address, seen) = answering(head.into_bytes());
    let mut list = operation("GET", json!(["/items"]), json!([]));
    (list["name"], list["creates"], list["weight"]) = (json!("list"), json!("item"), json!(0));
    list["http"]["capture"] = json!({"id": "/items/*/id"});
    let mut get = operation("GET", json!(["/items/", {"slot": "captured", "name": "id"}]), json!([]));
    (get["name"], get["needs"]) = (json!("get"), json!("item"));
    (address, seen, json!([list, get]))
}

#[test]
fn items_of_a_list_are_captured() {
    let (address, seen, operations) = list_operations(r#"{"items":[{"id":4},{"id":"7"}]}"#);
    let phases = json!([{"name": "one", "virtual_users": 1, "iterations": 40}]);
    let memory = run(&plan(address, &json!({"operations": operations, "phases": phases})));
    assert_eq!((memory.ok(), memory.totals[0].calls[0].ok), (40, 1));
    let paths: std::collections::BTreeSet<String> = seen
        .lock()
        .expect("unbroken")
        .iter()
        .map(|(head, _)| head.split(' ').nth(1).unwrap_or_default().to_owned())
        .collect();
    assert_eq!(paths, ["/items", "/items/4", "/items/7"].map(str::to_owned).into());
}

#[test]
fn a_list_that_breaks_its_rule_fails() {
    let (address, _, mut operations) = list_operations(r#"{"items":[{"id":7},{"id":"4"}]}"#);
    operations[0]["weight"] = json!(1);
    operations[1]["weight"] = json!(0);
    operations[0]["http"]["list"] = json!({"items": "/items", "order": "/id", "id": "/id"});
    let wrong = run(&plan(address, &json!({"operations": operations, "verify_share": 1.0})));
    assert_eq!(wrong.errors(), [("body".to_owned(), 3)].into());
    operations[0]["http"]["list"]["descending"] = json!(true);
    operations[0]["http"]["list"]["most"] = json!(["2"]);
    assert_eq!(run(&plan(address, &json!({"operations": operations, "verify_share": 1.0}))).errors(), BTreeMap::new());
    operations[0]["http"]["list"]["most"] = json!(["1"]);
    let long = run(&plan(address, &json!({"operations": operations, "verify_share": 1.0})));
    assert_eq!(long.errors(), [("body".to_owned(), 3)].into());
}

#[test]
fn entities_of_any_user_are_read() {
    let mut operations = shop::operations();
    for (index, weight) in [(1, 0), (2, 4), (3, 0), (4, 0)] {
        operations[index]["weight"] = json!(weight);
    }
    operations[2]["pick"] = json!({"of": "any", "pick": "zipf", "s": 1.2});
    let phases = json!([{"name": "one", "virtual_users": 1, "iterations": 5},
                        {"name": "two", "virtual_users": 20, "iterations": 400}]);
    let memory = run(&plan(shop::start(Fault::Nothing), &json!({"phases": phases, "operations": operations})));
    let (created, read) = (memory.totals[1].calls[1].ok, memory.totals[1].calls[2].ok);
    assert_eq!(memory.errors(), BTreeMap::new());
    assert_eq!((memory.totals[0].calls[1].ok, created), (1, 0), "the first user's item serves all");
    assert!(read > 350, "{read} read");
}

#[test]
fn rules_for_entities_are_checked_before_a_run() {
    let address = "127.0.0.1:1".parse().expect("an address");
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut plan = plan_json(address, &json!({"operations": shop::operations()}));
        change(&mut plan);
        bakeoff_load::plan::Plan::parse(&serde_json::to_vec(&plan).expect("JSON")).expect_err("refused").to_string()
    };
    let any = || json!({"of": "any", "pick": "uniform"});
    for (found, words) in [
        (refused(&|plan| plan["operations"][1]["pick"] = any()), "needs an operation that needs"),
        (refused(&|plan| plan["operations"][3]["pick"] = any()), "of any: no effect"),
        (refused(&|plan| plan["operations"][1]["http"]["capture"] = json!({"id": "/*/id"})), "every item of a list"),
        (refused(&|plan| plan["operations"][1]["think_time_ms"] = json!(-1)), "think_time_ms"),
    ] {
        assert!(found.contains(words), "{words}: {found}");
    }
}
