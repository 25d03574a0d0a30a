"""Cases of several steps, against an API that assigns ids itself."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from bakeoff.conformance.case import Case
from bakeoff.conformance.exchange import HttpReply, HttpRequest
from bakeoff.conformance.http_protocol import HttpProtocol
from bakeoff.conformance.runner import load_cases, run_cases
from bakeoff.conformance.vectors import VectorError
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload

WORKLOAD = """
version = 1
name = "users"
title = "Users"
database = "none"
vectors = "vectors"
audit = "audit.sql"
[[operations]]
name = "create"
weight = 1
creates = "user"
http = { method = "POST", path = "/users", expect = 201, capture = { id = "/id" }, headers = { X-Tenant = "7" } }
message = '{"name":"${choice Ada|Alan}"}'
[[operations]]
name = "get"
weight = 1
needs = "user"
http = { method = "GET", path = "/users/${captured.id}", expect = [200, 404] }
[[operations]]
name = "update"
weight = 1
needs = "user"
http = { method = "PUT", path = "/users/${captured.id}", expect = 200 }
message = '{"name":"${choice Ada|Alan}"}'
[[operations]]
name = "delete"
weight = 1
needs = "user"
http = { method = "DELETE", path = "/users/${captured.id}", expect = 204 }
"""

STEPS: list[dict[str, Any]] = [
    {
        "operation": "create",
        "message": {"name": "Ada"},
        "http": {"expect": {"body": {"id": {"$any": "integer"}, "name": "Ada"}}},
        "rows": [{"key": ["${captured.id}"], "document": {"id": "${captured.id}", "name": "Ada"}}],
    },
    {"operation": "get", "http": {"expect": {"body": {"id": "${captured.id}", "name": "Ada"}}}},
    {
        "operation": "update",
        "message": {"name": "Alan", "note": "was ${captured.id}"},
        "rows": [{"key": ["${captured.id}"], "document": '{"id": 41, "name": "Alan"}'}],
    },
    {"operation": "get", "http": {"expect": {"body": {"$includes": {"name": "Alan"}}}}},
    {"operation": "delete", "rows": [{"key": ["${captured.id}"], "document": None}]},
    {"operation": "get", "http": {"expect": {"status": 404}}},
]


class Users:
    """The API and its table; a fault is what one method does instead."""

    def __init__(self, **faults: Callable[[Any], Any]) -> None:
        self.rows: dict[str, Any] = {}
        self.requests: list[HttpRequest] = []
        self._faults = faults

    def send(self, request: HttpRequest) -> HttpReply:
        self.requests.append(request)
        status, document = self._answer(request)
        document = self._faults.get(request.method, lambda unchanged: unchanged)(document)
        return HttpReply(status, {}, b"" if document is None else json.dumps(document).encode())

    def _answer(self, request: HttpRequest) -> tuple[int, Any]:
        identity = request.path.removeprefix("/users").lstrip("/")
        if request.method == "POST":
            identity = str(41 + len(self.rows))
            self.rows[identity] = {"id": int(identity), "name": json.loads(request.body or b"")["name"]}
            return 201, self.rows[identity]
        if identity not in self.rows:
            return 404, {}
        if request.method == "PUT":
            self.rows[identity]["name"] = json.loads(request.body or b"")["name"]
        if request.method == "DELETE":
            del self.rows[identity]
            return 204, None
        return 200, self.rows[identity]

    def at(self, key: Sequence[str]) -> str | None:
        return json.dumps(self.rows[key[0]]) if key[0] in self.rows else None

    def of(self, _: Case) -> list[Any]:
        raise AssertionError("steps look at the keys that they name")


@pytest.fixture
def users(empty_checkout: Project) -> Workload:
    folder = empty_checkout.root / "contract" / "users"
    (folder / "vectors").mkdir(parents=True)
    (folder / "workload.toml").write_text(WORKLOAD, "utf-8")
    (folder / "audit.sql").write_text("SELECT", "utf-8")
    return load_workload(empty_checkout, "users")


def written(users: Workload, steps: Sequence[dict[str, Any]]) -> tuple[Case, ...]:
    case = {"name": "life-of-a-user", "rule": "stored", "profile": "core", "steps": steps}
    document = {"version": 1, "subject": "users", "cases": [case]}
    Path(users.directory / "vectors" / "users.json").write_text(json.dumps(document), "utf-8")
    return load_cases(users)


def differences(users: Workload, api: Users, steps: Sequence[dict[str, Any]] = STEPS) -> tuple[str, ...]:
    (result,) = run_cases(written(users, steps), HttpProtocol(users, api.send), api)
    return result.differences


def test_each_step_uses_what_earlier_replies_held(users: Workload) -> None:
    api = Users()

    assert differences(users, api) == ()

    sent = [(request.method, request.path) for request in api.requests]
    assert sent == [("POST", "/users")] + [(method, "/users/41") for method in ("GET", "PUT", "GET", "DELETE", "GET")]
    assert api.requests[0].headers["x-tenant"] == ("7",)
    assert json.loads(api.requests[2].body or b"") == {"name": "Alan", "note": "was 41"}


@pytest.mark.parametrize(
    ("method", "fault", "difference"),
    [
        ("POST", lambda user: {**user, "name": "Eve"}, 'step 1 (create): body.name: expected "Ada", got "Eve"'),
        ("POST", lambda user: {"name": user["name"]}, "step 1 (create): body.id: expected"),
        ("GET", lambda user: {**user, "id": 1}, "step 2 (get): body.id: expected 41, got 1"),
        ("GET", lambda user: user and {**user, "name": "Ada"}, 'step 4 (get): body.name: expected "Alan", got "Ada"'),
        ("DELETE", lambda _: "gone", None),
    ],
)
def test_the_first_step_that_differs_is_named(
    users: Workload, method: str, fault: Callable[[Any], Any], difference: str | None
) -> None:
    found = differences(users, Users(**{method: fault}))

    assert found[0].startswith(difference) if difference else found == (), found


def test_rows_under_assigned_ids_are_compared(users: Workload) -> None:
    class Forgetful(Users):
        def at(self, _: Sequence[str]) -> str | None:
            return None

    class Hoarding(Users):
        def at(self, key: Sequence[str]) -> str | None:
            return super().at(key) or "{}"

    assert differences(users, Forgetful()) == ('step 1 (create): row ["41"]: expected, but not stored',)
    (kept,) = differences(users, Hoarding())
    assert kept.startswith('step 5 (delete): row ["41"]: stored as "{}", but it should not be there')


def test_a_reply_without_a_value_to_capture_is_a_difference(users: Workload) -> None:
    steps: list[dict[str, Any]] = [{"operation": "create", "message": {"name": "Ada"}}, {"operation": "get"}]

    assert differences(users, Users(POST=lambda _: {"ok": True}), steps) == (
        'step 1 (create): the reply has nothing at /id: {"ok": true}',
    )


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"operation": "creat"}], 'step 1: there is no operation "creat". Did you mean create?'),
        ([{"operation": "get"}], "step 1: ${captured.id}: no earlier step captures id. Captured are: none."),
        (
            [STEPS[0], {"operation": "get", "http": {"expect": {"body": "${captured.ids}"}}}],
            "step 2: ${captured.ids}: no earlier step captures ids. Did you mean id?",
        ),
        ([{"operation": "create", "message": {"name": "${uuid}"}}], "step 1: ${uuid} has no value here"),
    ],
)
def test_what_does_not_exist_is_refused(users: Workload, steps: Sequence[dict[str, Any]], words: str) -> None:
    with pytest.raises(VectorError) as error:
        written(users, steps)
    assert words in error.value.message


def test_a_case_has_steps_or_a_request(users: Workload) -> None:
    case = {"name": "a", "rule": "b", "profile": "core", "steps": [{"operation": "get"}], "message": {}}
    document = {"version": 1, "subject": "users", "cases": [case]}
    (users.directory / "vectors" / "users.json").write_text(json.dumps(document), "utf-8")
    with pytest.raises(VectorError, match="does not match the schema"):
        load_cases(users)


def test_a_step_sends_the_body_of_its_operation(empty_checkout: Project) -> None:
    folder = empty_checkout.root / "contract" / "users"
    (folder / "vectors").mkdir(parents=True)
    form = """[[operations]]
name = "search"
weight = 1
body = "form"
message = '{"q":"${choice a|b}"}'
http = { method = "POST", path = "/search", expect = 404 }
"""
    (folder / "workload.toml").write_text(WORKLOAD + form, "utf-8")
    (folder / "audit.sql").write_text("SELECT", "utf-8")
    steps = [{"operation": "search", "message": {"q": "two words", "n": 1.5}}]

    class Unfound(Users):
        def _answer(self, _: HttpRequest) -> tuple[int, Any]:
            return 404, {}

    api = Unfound()
    assert differences(load_workload(empty_checkout, "users"), api, steps) == ()
    (request,) = api.requests
    assert request.body == b"q=two+words&n=1.5"
    assert request.headers["content-type"] == ("application/x-www-form-urlencoded",)
