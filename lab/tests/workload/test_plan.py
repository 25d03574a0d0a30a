import json
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from as_json import as_json
from bakeoff.documents.checked import first_problem
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import FORMATS, Project
from bakeoff.workload.declaration import PROTOCOLS
from bakeoff.workload.features import needed_features
from bakeoff.workload.loader import Workload, load_workload, workload_names
from bakeoff.workload.plan import Load, compile_plan, weights_of
from bakeoff.workload.plan_records import Plan, PlannedPhase, PlannedTls
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.reuse import Reuse

LOAD = Load(
    target="a-target",
    protocol="http",
    host="127.0.0.1",
    port=8081,
    mode="smoke",
    phases=[PlannedPhase(name="Smoke", virtual_users=1, iterations=5)],
)

# A workload that has nothing in common with the one that is shipped.
NOTES = """
version = 1
name = "notes"
title = "Notes"
database = "none"
[sizes]
default = "natural"
small = 300
[keys.note]
format = "n${user}-${sequence}"
[fill]
variants = 2
lists = [{ name = "tags", item = '"${alphanumeric 6}"' }]
padding = "rest"
[[operations]]
name = "WriteNote"
weight = 3
key = "note"
http = { method = "PUT", path = "/notes/${key}", expect = 201 }
message = '{ "text": "${choice yes|no}"${fill} }'
effect = { kind = "put", document = "", key = ["${key}"] }
"""


def workload_of(checkout: Project, text: str, name: str = "notes") -> Workload:
    folder = checkout.root / "contract" / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "workload.toml").write_text(text, "utf-8")
    return load_workload(checkout, name)


def messages(plan: Plan, count: int = 40) -> list[str]:
    return [
        render(
            variant,
            RandomNumbers(int(plan.seed, 16), user, user),
            Event(plan.run, user, user, plan.base_time_ms, key=f"some-key-{user}"),
            plan.size_bytes,
        )
        for operation in plan.operations
        for variant in operation.variants
        for user in range(count)
    ]


def test_every_plan_of_every_shipped_workload_obeys_the_schema(gallery: Project) -> None:
    schema = FORMATS / "plan.schema.json"
    for name in workload_names(gallery):
        workload = load_workload(gallery, name)
        protocols = {each for operation in workload.declared.operations for each in PROTOCOLS if operation.call(each)}
        for payload in workload.payloads:
            for protocol in protocols:
                plan = compile_plan(workload, replace(LOAD, protocol=protocol, payload=payload))
                assert first_problem(as_json(plan), schema) is None


@pytest.mark.parametrize("payload", ["4k", "8k", "32k", "64k"])
def test_sizes_are_met_to_the_byte(project: Project, payload: str) -> None:
    workload = load_workload(project, "events")
    plan = compile_plan(workload, replace(LOAD, payload=payload))
    for message in messages(plan):
        json.loads(message)
        assert len(message.encode()) == int(payload[:-1]) * 1024


def test_default_bodies_have_the_documented_size(gallery: Project) -> None:
    sizes = [len(message) for message in messages(compile_plan(load_workload(gallery, "events"), LOAD))]
    assert min(sizes) >= 350
    assert max(sizes) <= 500


def test_filler_does_not_repeat(project: Project) -> None:
    message = messages(compile_plan(load_workload(project, "events"), replace(LOAD, payload="64k")), 1)[0]
    attributes = json.loads(message)["attributes"]
    history = [json.dumps(entry) for entry in attributes["journeys"]]
    assert len(history) > 100
    assert len(set(history)) == len(history)


RATE = PlannedPhase(name="Rate", rate=12.5, arrival="poisson", max_virtual_users=64, duration_ms=1000)
HELD = PlannedPhase(name="Held", virtual_users=3, duration_ms=500)


@pytest.mark.parametrize(
    "load",
    [
        replace(LOAD, phases=[RATE, msgspec.structs.replace(RATE, arrival="constant")]),
        replace(LOAD, phases=[HELD], think_time_ms=12.5),
        replace(LOAD, tls=PlannedTls()),
        replace(
            LOAD,
            tls=PlannedTls(ca_file="/etc/ca.pem", server_name="shop.test"),
            headers={"authorization": "Bearer a.b-c"},
        ),
        replace(LOAD, reuse=Reuse(share=0.9, pick="zipf:0.99", shared=10), preload=1000),
    ],
)
@pytest.mark.parametrize("protocol", ["http", "grpc"])
def test_every_way_of_loading_obeys_the_schema(project: Project, load: Load, protocol: str) -> None:
    plan = compile_plan(load_workload(project, "events"), replace(load, protocol=protocol))
    assert first_problem(as_json(plan), FORMATS / "plan.schema.json") is None
    assert plan.phases == list(load.phases)
    assert plan.transport.tls == load.tls


@pytest.mark.parametrize(
    "headers",
    [{"Authorization": "x"}, {"host": "x"}, {"grpc-timeout": "1S"}, {"a b": "x"}, {"a": "x\ny: z"}, {"a": " x"}],
)
def test_headers_that_would_break_the_protocol_are_no_plan(project: Project, headers: dict[str, str]) -> None:
    plan = compile_plan(load_workload(project, "events"), replace(LOAD, headers=headers))
    problem = first_problem(as_json(plan), FORMATS / "plan.schema.json")
    assert problem is not None and "headers" in problem


def test_a_workload_of_somebody_else_compiles(empty_checkout: Project) -> None:
    plan = compile_plan(workload_of(empty_checkout, NOTES), replace(LOAD, payload="small"))
    operation = as_json(plan)["operations"][0]
    assert operation["http"]["path"] == ["/notes/", {"slot": "key"}]
    assert operation["effect"] == {"kind": "put", "document": "", "key": [[{"slot": "key"}]]}
    assert len(operation["variants"]) == 2
    assert {len(message) for message in messages(plan)} == {300}


def test_the_same_seed_makes_the_same_plan(project: Project) -> None:
    workload = load_workload(project, "events")
    assert compile_plan(workload, replace(LOAD, payload="4k")) == compile_plan(workload, replace(LOAD, payload="4k"))
    assert compile_plan(workload, replace(LOAD, payload="4k", seed=2)) != compile_plan(
        workload, replace(LOAD, payload="4k")
    )


@pytest.mark.parametrize(
    ("load", "reason"),
    [
        (replace(LOAD, payload="5k"), 'no payload "5k". Payloads of notes: default, small'),
        (replace(LOAD, protocol="grpc"), "cannot be sent by grpc"),
        (replace(LOAD, batch=10), r"no \[batch\] for http"),
        (replace(LOAD, stream=True), r"no \[stream\] for http"),
    ],
)
def test_what_a_workload_cannot_do_is_said(empty_checkout: Project, load: Load, reason: str) -> None:
    with pytest.raises(UsageError, match=reason):
        compile_plan(workload_of(empty_checkout, NOTES), load)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (("weight = 3", "weight = -1"), r"operations\.0\.weight: -1 is less than the minimum"),
        (("weight = 3", "wait = 3"), "line 17: there is no key wait. Did you mean weight?"),
        (("version = 1", "version ="), "not valid TOML"),
        (('name = "notes"', 'name = "other"'), 'name is "other" but the workload is "notes"'),
    ],
)
def test_a_broken_workload_names_the_place(empty_checkout: Project, change: tuple[str, str], reason: str) -> None:
    with pytest.raises(BakeoffError, match=reason):
        workload_of(empty_checkout, NOTES.replace(*change))


@pytest.mark.parametrize(
    ("change", "payload", "reason"),
    [
        (('"text"', f'"{"t" * 300}"'), "small", "needs up to"),
        (("${fill}", ""), "small", r"needs \$\{fill\}"),
    ],
)
def test_a_template_that_cannot_work_names_its_operation(
    empty_checkout: Project, change: tuple[str, str], payload: str, reason: str
) -> None:
    workload = workload_of(empty_checkout, NOTES.replace(*change))
    with pytest.raises(BakeoffError, match=reason):
        compile_plan(workload, replace(LOAD, payload=payload))


def test_an_unknown_workload_names_the_known_ones(empty_checkout: Project) -> None:
    workload_of(empty_checkout, NOTES)
    with pytest.raises(UsageError, match=r'no workload "users".*notes'):
        load_workload(empty_checkout, "users")


def test_a_file_that_is_named_must_exist(empty_checkout: Project) -> None:
    workload = workload_of(empty_checkout, NOTES.replace('database = "none"', 'database = "none"\nreset = "gone.sql"'))
    with pytest.raises(BakeoffError, match=r"gone\.sql"):
        workload.sql("reset")
    assert workload.sql("audit") is None
    assert isinstance(workload.directory, Path)


SHOP = """
version = 1
name = "shop"
title = "Shop"
database = "none"
[mixes.reads]
get = 9
[[operations]]
name = "login"
weight = 0
login = true
http = { method = "POST", path = "/login", expect = 200, capture = { token = "/token" } }
message = '{ "name": "user-${user}" }'
[[operations]]
name = "create"
weight = 1
creates = "item"
http.method = "POST"
http.path = "/items"
http.expect = 201
http.capture = { id = "/id" }
http.headers = { Authorization = "Bearer ${login.token}", X-Tenant = "7" }
message = '{ "a": ${integer 1 9} }'
effect = { kind = "put", document = "", key = ["${captured.id}"] }
[[operations]]
name = "get"
weight = 2
needs = "item"
http.method = "GET"
http.path = "/items/${captured.id}"
http.expect = [200, 410]
http.reply = { "/id" = "${captured.id}", "/kind" = "item" }
reads = { document = "", key = ["${captured.id}"], absent = 404 }
[[operations]]
name = "note"
weight = 1
body = "text"
http.method = "POST"
http.path = "/notes"
http.expect = 204
http.headers = { content-type = "application/x-www-form-urlencoded" }
message = "a=${integer 1 9}&b=two words"
"""


def test_what_real_apis_need_is_compiled(empty_checkout: Project) -> None:
    plan = compile_plan(workload_of(empty_checkout, SHOP, "shop"), LOAD)
    assert first_problem(as_json(plan), FORMATS / "plan.schema.json") is None
    login, create, get, note = as_json(plan)["operations"]
    assert (login["login"], login["weight"]) == (True, 0)
    assert create["http"]["headers"] == {"content-type": "application/json", "x-tenant": "7"}
    assert create["http"]["header_templates"] == {"authorization": ["Bearer ", {"slot": "login", "name": "token"}]}
    assert get["http"]["expect"] == [200, 410]
    assert get["http"]["reply"] == {"/kind": "item"}
    assert get["http"]["reply_templates"] == {"/id": [{"slot": "captured", "name": "id"}]}
    assert get["reads"] == {"document": "", "key": [[{"slot": "captured", "name": "id"}]], "absent": 404}
    assert note["http"]["headers"] == {"content-type": "application/x-www-form-urlencoded"}
    assert note["variants"] == [["a=", {"slot": "integer", "min": 1, "max": 9}, "&b=two words"]]


def test_a_mix_replaces_the_weights(empty_checkout: Project) -> None:
    shop = workload_of(empty_checkout, SHOP, "shop")
    weights = {each.name: each.weight for each in compile_plan(shop, replace(LOAD, mix="reads")).operations}
    assert weights == {"login": 0, "create": 0, "get": 9, "note": 0}
    with pytest.raises(UsageError, match=r'There is no mix "writes"\. Mixes of shop: reads'):
        compile_plan(shop, replace(LOAD, mix="writes"))


def test_features_that_a_workload_needs_name_their_operation(empty_checkout: Project) -> None:
    assert needed_features(workload_of(empty_checkout, SHOP, "shop"), "http") == {
        "captures": "login",
        "login": "login",
        "header-templates": "create",
        "accepted-statuses": "get",
        "reply-templates": "get",
        "verified-reads": "get",
    }
    assert needed_features(workload_of(empty_checkout, NOTES), "http") == {}


@pytest.mark.parametrize(
    ("mix", "operations", "expected"),
    [
        (None, (), {"login": 0, "create": 1, "get": 2, "note": 1}),
        ("reads", (), {"login": 0, "create": 0, "get": 9, "note": 0}),
        (None, ("get",), {"login": 0, "create": 0, "get": 2, "note": 0}),
        ("reads", ("create", "get"), {"login": 0, "create": 1, "get": 9, "note": 0}),
    ],
)
def test_a_mix_and_operations_change_weights(
    empty_checkout: Project, mix: str | None, operations: tuple[str, ...], expected: dict[str, int]
) -> None:
    assert weights_of(workload_of(empty_checkout, SHOP, "shop"), mix, operations) == expected


def test_an_unknown_operation_is_refused(empty_checkout: Project) -> None:
    with pytest.raises(UsageError, match='no operation "fetch"'):
        weights_of(workload_of(empty_checkout, SHOP, "shop"), None, ("fetch",))


LISTS = """
version = 1
name = "lists"
title = "Lists"
database = "none"
cookies = true
[[operations]]
name = "list"
weight = 1
creates = "item"
think_time = "200ms"
http.method = "GET"
http.path = "/items?limit=${limit=integer 5 9}"
http.expect = 200
http.capture = { id = "/items/*/id" }
http.list = { items = "/items", most = "${value.limit}", order = "/id", id = "/id" }
[[operations]]
name = "get"
weight = 1
needs = "item"
needs_of = "any"
needs_pick = "zipf:0.99"
http.method = "GET"
http.path = "/items/${captured.id}"
http.expect = [200, 404]
http.list = { items = "/tags", most = 3 }
"""


def test_lists_picks_pauses_and_cookies_are_compiled(empty_checkout: Project) -> None:
    workload = workload_of(empty_checkout, LISTS, "lists")
    plan = as_json(compile_plan(workload, LOAD))
    assert first_problem(plan, FORMATS / "plan.schema.json") is None
    listed, got = plan["operations"]
    assert listed["think_time_ms"] == 200
    assert listed["http"]["list"]["most"] == [{"slot": "value", "name": "limit"}]
    assert got["http"]["list"]["most"] == ["3"]
    assert got["pick"] == {"of": "any", "pick": "zipf", "s": 0.99}
    assert plan["cookies"] is True
    native = {"cookies", "list-captures", "list-checks", "entity-picks", "operation-think-time"}
    assert native <= needed_features(workload, "http").keys()


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reply_to_an_event_that_says_no_is_a_failure(project: Project, protocol: str) -> None:
    plan = as_json(compile_plan(load_workload(project, "events"), replace(LOAD, protocol=protocol)))
    replies = {each["name"]: each[protocol].get("reply") for each in plan["operations"]}
    assert len(replies) == 2 and set(map(str, replies.values())) == {"{'/success': True}"}


def test_an_encoded_plan_is_one_line(project: Project) -> None:
    """Agents read it as the first line of their standard input."""
    plan = compile_plan(load_workload(project, "events"), replace(LOAD, target="two\nlines"))
    assert b"\n" not in plan.encoded()
