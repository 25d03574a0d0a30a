"""`bakeoff init --probe`: what a description cannot state is learnt from the running service."""

import json
import tomllib
from collections.abc import Iterator
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
import pytest
from orders_api import description, serving

from bakeoff.cli.init import InitOptions, make_project
from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.conformance.service import Reply, Service
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import PROJECT_VARIABLE, Project
from bakeoff.scaffold.probe.changes import MessageTemplate
from bakeoff.scaffold.probe.probe import Probe
from bakeoff.scaffold.probe.repairs import named_headers
from bakeoff.scaffold.probed_project import grouped, left_out
from bakeoff.workload.declaration import HttpCall, Operation
from bakeoff.workload.loader import load_workload


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(PROJECT_VARIABLE, raising=False)
    return tmp_path


def probed(folder: Path, *rules: str, login: str | None = None) -> dict[str, Any]:
    """The workload's table of the file that a probe of the API with these rules writes."""
    (folder / "openapi.json").write_text(json.dumps(description(*rules)), "utf-8")
    with serving(*rules) as server:
        make_project(InitOptions(["orders"], probe=server.url, login=login))
    table: dict[str, Any] = tomllib.loads((folder / "bakeoff.toml").read_text("utf-8"))["workloads"]["orders"]
    return table


def operations(folder: Path) -> dict[str, Operation]:
    return {each.name: each for each in load_workload(Project(folder), "orders").declared.operations}


def test_a_service_that_keeps_to_its_description_changes_nothing(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert probed(folder) == {"openapi": "openapi.json"}
    assert "it accepts each operation as described." in capsys.readouterr().out


def test_a_given_user_is_logged_in_and_stays_as_it_is(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert probed(folder, "token", "login", login="ann:right").keys() == {"openapi", "operations"}
    assert "it accepts each operation as described." in capsys.readouterr().out


def test_what_waits_for_a_refused_login_stays(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = probed(folder, "token", "login")

    assert "without" not in table
    assert "<- credentials that exist" in (folder / "bakeoff.toml").read_text("utf-8")
    printed = capsys.readouterr().out
    assert "- login, the login, answers 401: " in printed
    assert "5 operations that its token is for were not tried." in printed
    assert "- Remove bakeoff.toml, and name a user who exists with --login USER:PASSWORD." in printed


def test_a_given_user_who_is_refused_leaves_no_file(folder: Path) -> None:
    with pytest.raises(BakeoffError, match=r"refuses the user of --login: login answers 401: .*no such user"):
        probed(folder, "token", "login", login="ann:wrong")
    assert not (folder / "bakeoff.toml").exists()


def test_a_token_is_that_of_measurements(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BAKEOFF_API_TOKEN", "t")
    assert "without" not in probed(folder, "token")


def test_statuses_are_those_that_are_answered(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert probed(folder, "created")["operations"] == [{"name": "createOrder", "http": {"expect": 201}}]
    assert "- createOrder answers 201, not 200." in capsys.readouterr().out


@pytest.mark.parametrize(("rule", "place"), [("wrapped", "/data/order/id"), ("location", "header:location/")])
def test_identifiers_are_found_where_they_stand(folder: Path, rule: str, place: str) -> None:
    table = probed(folder, rule)

    assert table["operations"][0]["http"]["capture"] == {"id": place}
    found = operations(folder)
    assert {each.needs for name, each in found.items() if name != "createOrder"} == {"order"}
    assert found["deleteOrder"].effect is not None
    assert "without" not in table


def test_a_redirect_is_not_what_is_measured(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probed(folder, "slash")

    calls = {name: each.http for name, each in operations(folder).items()}
    assert {call.path for call in calls.values() if call is not None} == {"/orders/", "/orders/${captured.id}/"}
    assert {call.expect for call in calls.values() if call is not None} == {200, 204}
    assert "- createOrder is at /orders/, not at /orders." in capsys.readouterr().out


def test_a_service_that_has_moved_is_named(folder: Path) -> None:
    with pytest.raises(BakeoffError, match=r"refuses every operation .*moved to https://orders\.example/orders"):
        probed(folder, "moved")


def test_headers_that_the_service_asks_for_are_sent(folder: Path) -> None:
    probed(folder, "header")

    headers = {name: set(each.http.headers) for name, each in operations(folder).items() if each.http is not None}
    assert headers["getOrder"] == {"X-Tenant"}
    assert headers["createOrder"] == headers["updateOrder"] == headers["deleteOrder"] == {"X-Tenant", "Idempotency-Key"}


@pytest.mark.parametrize("rule", ["etag", "version"])
def test_optimistic_versions_are_sent_to_a_new_entity(folder: Path, rule: str) -> None:
    table = probed(folder, rule)

    found = operations(folder)
    update, create = found["updateOrder"], found["createOrder in sessions"]
    assert update.http is not None and create.http is not None
    assert (update.weight, update.needs, create.creates) == (0, "order in sessions", "order in sessions")
    if rule == "etag":
        assert update.http.headers == {"If-Match": 'W/"${captured.etag}"'}
        assert create.http.capture["etag"] == "header:etag"
    else:
        assert '"version":${captured.version}' in str(update.message)
        assert create.http.capture["version"] == "/version"
    (session,) = table["sessions"]
    assert session["steps"] == ["createOrder in sessions", "updateOrder"]


def test_states_become_the_order_of_a_session(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = probed(folder, "states")

    assert {each["name"]: each["steps"] for each in table["sessions"]} == {
        "shipOrder on a new order": ["createOrder in sessions", "payOrder", "shipOrder"],
        "payOrder on a new order": ["createOrder in sessions", "payOrder"],
    }
    found = operations(folder)
    assert [found[name].weight for name in ("payOrder", "shipOrder", "updateOrder", "deleteOrder")] == [0, 0, 1, 1]
    printed = capsys.readouterr().out
    assert "- shipOrder comes after payOrder." in printed
    assert "- payOrder passes once on each order." in printed


def test_values_that_must_be_unique_are(folder: Path) -> None:
    probed(folder, "unique")

    assert '"number":${integer 1 2147483647}' in str(operations(folder)["createOrder"].message)


def test_what_is_refused_is_left_out(folder: Path) -> None:
    probed(folder, "refuses")

    found = operations(folder)
    for name in ("createOrder", "updateOrder"):
        assert "coupon" not in str(found[name].message)
        assert "item" in str(found[name].message)


def test_messages_name_entities_that_others_create(folder: Path) -> None:
    probed(folder, "customers")

    found = operations(folder)
    assert found["createOrder"].needs == "customer"
    assert '"buyer_id":${captured.id}' in str(found["createOrder"].message)
    assert found["getOrder"].needs == "order"


def test_paths_name_what_a_list_shows(folder: Path) -> None:
    probed(folder, "catalogue")

    found = operations(folder)
    lists, reads = found["listProducts"].http, found["getProduct"].http
    assert lists is not None and reads is not None
    assert (found["listProducts"].creates, lists.capture) == ("product", {"id": "/products/*/slug"})
    assert (found["getProduct"].needs, reads.path) == ("product", "/products/${captured.id}")


def test_many_rules_are_learnt_together(folder: Path) -> None:
    rules = ("created", "wrapped", "header", "etag", "states", "unique", "refuses", "catalogue", "customers")

    table = probed(folder, *rules)

    assert "without" not in table
    assert len(table["sessions"]) == 3


def test_an_operation_that_nothing_repairs_is_left_out_with_the_reply(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = description()
    missing = {"get": {"operationId": "lost", "responses": {"200": {"description": "never"}}}}
    document["paths"]["/lost"] = missing
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")

    with serving() as server:
        make_project(InitOptions(["orders"], probe=server.url))

    assert 'without = ["lost"]' in (folder / "bakeoff.toml").read_text("utf-8")
    printed = capsys.readouterr().out
    assert '- lost is left out, because the service refuses it: 404: {"message": "no such order"}.' in printed
    assert "and change line 8 of bakeoff.toml." in printed


def test_without_a_service_nothing_is_written(folder: Path) -> None:
    (folder / "openapi.json").write_text(json.dumps(description()), "utf-8")

    with pytest.raises(BakeoffError, match=r"No HTTP reply from 127\.0\.0\.1:1"):
        make_project(InitOptions(["orders"], probe="http://127.0.0.1:1"))
    with pytest.raises(UsageError, match="is not an address of a target"):
        make_project(InitOptions(["orders"], probe="http://127.0.0.1:1/path"))

    assert not (folder / "bakeoff.toml").exists()


def test_a_file_that_is_there_is_not_changed_and_gets_its_entries_printed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    document = description("created")
    document["paths"]["/lost"] = {"get": {"operationId": "lost", "responses": {"200": {"description": "never"}}}}
    (folder / "openapi.json").write_text(json.dumps(document), "utf-8")
    before = '[targets.orders]\nrun = "./orders"\n\n[workloads.orders]\nopenapi = "openapi.json"\n'
    (folder / "bakeoff.toml").write_text(before, "utf-8")

    with serving("created") as server:
        make_project(InitOptions(probe=server.url))

    assert (folder / "bakeoff.toml").read_text("utf-8") == before
    found, entries = capsys.readouterr().out.split("Add to it, or to the tables and entries of these names:")
    assert "- createOrder answers 201, not 200." in found and "- lost is left out, because" in found
    create = {"name": "createOrder", "http": {"expect": 201}}
    assert tomllib.loads(entries) == {"workloads": {"orders": {"without": ["lost"], "operations": [create]}}}

    (folder / "bakeoff.toml").write_text(before + entries.replace("[workloads.orders]\n", ""), "utf-8")
    with serving("created") as server:
        make_project(InitOptions(["orders"], probe=server.url))
    assert capsys.readouterr().out.rstrip().endswith("it accepts each operation as described.")


@pytest.mark.parametrize(
    "given",
    [
        {"openapi": "openapi.json"},
        {"login": "ann:right"},
        {"from_curl": ["curl http://127.0.0.1:1"]},
        {"words": ["http://127.0.0.1:2"]},
    ],
)
def test_a_probe_of_what_a_file_has_takes_nothing_for_a_new_one(folder: Path, given: dict[str, Any]) -> None:
    (folder / "bakeoff.toml").write_text('[workloads.orders]\nopenapi = "openapi.json"\n', "utf-8")

    with pytest.raises(UsageError, match=r"is for a new bakeoff\.toml: this one has orders already"):
        make_project(InitOptions(probe="http://127.0.0.1:1", **given))


PROTO = """
syntax = "proto3";
package shop;
message Order { string id = 1; string item = 2; }
message CreateOrderRequest { string item = 1; }
message Id { string id = 1; }
service Orders {
  rpc CreateOrder(CreateOrderRequest) returns (Order);
  rpc GetOrder(Id) returns (Order);
  rpc PayOrder(Id) returns (Order);
  rpc RefundOrder(Id) returns (Order);
  rpc Planned(Id) returns (Order);
}
"""


class _Orders(grpc.GenericRpcHandler):
    """Orders are paid once and then refunded; each call needs the metadata x-shop, and Planned does not exist."""

    def __init__(self, codec: ProtoCodec) -> None:
        self._codec = codec
        self._states: dict[str, str] = {}

    def service(self, details: Any) -> Any:
        name = details.method.rsplit("/", 1)[-1]
        if name == "Planned":
            return None
        return grpc.unary_unary_rpc_method_handler(lambda request, context: self._answer(name, request, context))

    def _answer(self, name: str, request: bytes, context: Any) -> bytes:
        if "x-shop" not in dict(context.invocation_metadata()):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "the header x-shop is missing")
        if name == "CreateOrder":
            order = f"o{len(self._states)}"
            self._states[order] = "new"
            return self._codec.encode("shop.Order", {"id": order})
        document: Any = self._codec.decode("shop.Id", request)
        order = document["id"]
        if order not in self._states:
            context.abort(grpc.StatusCode.NOT_FOUND, "no such order")
        before = {"PayOrder": "new", "RefundOrder": "paid"}.get(name)
        if before is not None and self._states[order] != before:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, f"the order is {self._states[order]}")
        self._states[order] = {"PayOrder": "paid", "RefundOrder": "refunded"}.get(name, self._states[order])
        return self._codec.encode("shop.Order", {"id": order})


@contextmanager
def serving_grpc(proto: Path) -> Iterator[str]:
    server = grpc.server(futures.ThreadPoolExecutor(4))
    server.add_generic_rpc_handlers((_Orders(ProtoCodec(ProtoSource(proto))),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


def test_services_of_grpc_are_probed_too(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "orders.proto").write_text(PROTO, "utf-8")

    with serving_grpc(folder / "orders.proto") as url:
        make_project(InitOptions(["orders"], probe=url))

    table = tomllib.loads((folder / "bakeoff.toml").read_text("utf-8"))["workloads"]["orders"]
    assert table["without"] == ["Planned"]
    words = "- Planned is left out, because the service does not implement it (UNIMPLEMENTED)."
    assert words in capsys.readouterr().out
    assert {tuple(each["steps"]) for each in table["sessions"]} == {
        ("CreateOrder in sessions", "PayOrder"),
        ("CreateOrder in sessions", "PayOrder", "RefundOrder"),
    }
    assert all(each.grpc is not None and "x-shop" in each.grpc.metadata for each in operations(folder).values())


@pytest.mark.parametrize(
    ("text", "member", "without", "having"),
    [
        (
            '{"a":${integer 1 3},"b":"x-${uuid}","c":[${choice true|false}]}',
            "b",
            '{"a":${integer 1 3},"c":[${choice true|false}]}',
            '{"a":${integer 1 3},"b":${sequence},"c":[${choice true|false}]}',
        ),
        ('{"a":"\\"${uuid}\\"","b":1}', "b", '{"a":"\\"${uuid}\\""}', '{"a":"\\"${uuid}\\"","b":${sequence}}'),
        ('{"b":{"c":"é${run}"}}', "b", "{}", '{"b":${sequence}}'),
    ],
)
def test_messages_are_changed_with_their_slots(text: str, member: str, without: str, having: str) -> None:
    assert MessageTemplate(text).written(MessageTemplate(text).document) == text
    assert MessageTemplate(text).without(member) == without
    assert MessageTemplate(text).having([member], "${sequence}") == having


def test_without_a_description_the_service_shows_its_own(folder: Path) -> None:
    with serving("created", "described") as server:
        make_project(InitOptions(["orders"], probe=server.url))

    assert (folder / "openapi.json").is_file()
    assert "http = { expect = 201 }" in (folder / "bakeoff.toml").read_text("utf-8")


@pytest.mark.parametrize(
    ("code", "text", "names"),
    [
        (
            422,
            '{"detail":[{"type":"missing","loc":["header","x-api-version"],"msg":"Field required"}]}',
            "x-api-version",
        ),
        (400, "Required request header 'X-Request-Id' for method parameter type String is not present", "X-Request-Id"),
        (400, '{"error":"missing x-tenant-id header"}', "x-tenant-id"),
        (401, "no X-Api-Key", "X-Api-Key"),
        (400, "the e-mail is not valid", None),
        (400, "Idempotency-Key is required", "Idempotency-Key"),
        (400, "header accept: must be JSON", "accept"),
    ],
)
def test_headers_are_found_in_what_services_say(code: int, text: str, names: str | None) -> None:
    try:
        document = json.loads(text)
    except ValueError:
        document = None

    found = named_headers(Reply(code, code, {}, document, text))

    assert found[:1] == ([] if names is None else [names])


def test_what_a_service_does_not_implement_is_grouped_by_its_status() -> None:
    statuses = {"list": 200, **dict.fromkeys(("add", "change", "copy", "move"), 405), "export": 501, "import": 403}
    call = HttpCall(method="POST", path="/", expect=200)
    service = Service("http", lambda operation, _: Reply(statuses[operation.name], statuses[operation.name]))

    learnt = Probe(service, {name: Operation(name=name, http=call) for name in statuses}).learn()

    assert left_out(learnt) == [
        "- 4 operations are left out, because the service does not implement them (405): add, change, copy, …",
        "- export is left out, because the service does not implement it (501).",
        "- import is left out, because the service refuses it: 403.",
    ]


def test_creations_that_need_one_another_end(folder: Path) -> None:
    call = HttpCall(method="POST", path="/", expect=200, capture={"id": "/id"})
    circle = {
        "a": Operation(name="a", http=call, creates="a", needs="b"),
        "b": Operation(name="b", http=call, creates="b", needs="a"),
    }
    service = Service("http", lambda _operation, _sent: Reply(200, 200, {}, {"id": 1}))

    learnt = Probe(service, circle).learn()

    assert set(learnt.refused) == {"a", "b"}
    assert learnt.requests == 0


def test_checks_of_replies_move_with_what_they_check(folder: Path) -> None:
    probed(folder, "wrapped")

    read = operations(folder)["getOrder"]
    assert read.http is not None
    assert read.http.reply == {"/data/order/id": "${captured.id}"}


def test_what_passes_by_chance_names_an_entity_of_each_run(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probed(folder, "customers", "example")

    creation = operations(folder)["createOrder"]
    assert creation.needs is not None and "${captured.id}" in str(creation.message)
    assert "createOrder names a customer in buyer_id." in capsys.readouterr().out


def test_what_takes_others_with_it_has_weight_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    probed(folder, "customers", "cascade")

    weights = {name: each.weight for name, each in operations(folder).items()}
    assert weights["deleteCustomer"] == 0
    assert weights["deleteOrder"] > 0
    assert "getOrder is refused after deleteCustomer, which has weight 0." in capsys.readouterr().out


def test_many_other_statuses_are_one_line() -> None:
    call = HttpCall(method="POST", path="/", expect=200)
    service = Service("http", lambda operation, _: Reply(int(operation.name[:3]), int(operation.name[:3])))
    names = ["201 a", "201 b", "201 c", "201 d", "202 e"]

    learnt = Probe(service, {name: Operation(name=name, http=call) for name in names}).learn()

    lines = ["4 operations answer 201, not 200: 201 a, 201 b, 201 c, …", "202 e answers 202, not 200."]
    assert list(grouped(learnt.lines)) == lines
