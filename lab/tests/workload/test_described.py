"""Workloads whose operations come from a description, in a project of one file."""

import json
import shutil
from pathlib import Path

import pytest

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.declaration import HttpCall, Operation
from bakeoff.workload.loader import Workload, load_workload

DESCRIPTIONS = Path(__file__).parents[1] / "descriptions"


def loaded(root: Path, table: str, description: str = "users.openapi.yaml") -> Workload:
    shutil.copytree(DESCRIPTIONS, root, ignore=shutil.ignore_patterns("*.py", "__pycache__"), dirs_exist_ok=True)
    name = "proto" if description.endswith(".proto") else "openapi"
    (root / "bakeoff.toml").write_text(f'[workloads.users]\n{name} = "{description}"\n{table}', "utf-8")
    return load_workload(Project(root), "users")


def listed(root: Path, table: str) -> Workload:
    """The workload without a description."""
    (root / "bakeoff.toml").write_text(f"[workloads.users]\n{table}", "utf-8")
    return load_workload(Project(root), "users")


def operations(workload: Workload) -> dict[str, Operation]:
    return {each.name: each for each in workload.declared.operations}


def http(operation: Operation) -> HttpCall:
    assert operation.http is not None
    return operation.http


def test_a_document_gives_the_operations(tmp_path: Path) -> None:
    workload = loaded(tmp_path, "")

    assert [*operations(workload)] == [
        *("login", "listUsers", "createUser", "getUser", "updateUser", "deleteUser", "search")
    ]
    assert workload.declared.title == "Users and their orders"
    assert workload.declared.health.http is not None


def test_a_proto_file_gives_the_operations(tmp_path: Path) -> None:
    workload = loaded(tmp_path, "", "users.proto")

    assert [*operations(workload)] == ["CreateUser", "GetUser", "DeleteUser"]
    assert workload.file("proto") == tmp_path / "users.proto"


def test_a_proto_file_whose_operations_are_all_listed_gives_none(tmp_path: Path) -> None:
    table = (
        '[[workloads.users.operations]]\nname = "Any"\ngrpc = { method = "users.v1.Users/CreateUser", expect = "OK" }'
    )

    assert [*operations(loaded(tmp_path, table, "users.proto"))] == ["Any"]


def test_an_operation_of_a_known_name_changes_that_one(tmp_path: Path) -> None:
    table = """
[[workloads.users.operations]]
name = "getUser"
weight = 9
http = { expect = [200, 404] }

[[workloads.users.operations]]
name = "own"
http = { method = "GET", path = "/own", expect = 200 }
"""
    found = operations(loaded(tmp_path, table))

    assert [*found][:2] == ["getUser", "own"]
    assert (found["getUser"].weight, http(found["getUser"]).expect) == (9, [200, 404])
    assert http(found["getUser"]).path == "/api/users/${captured.id}"
    assert (http(found["own"]).path, len(found)) == ("/own", 8)


def test_what_chosen_operations_need_is_sent_for_them_alone(tmp_path: Path) -> None:
    found = operations(loaded(tmp_path, 'only = ["getUser"]'))

    assert {name: each.weight for name, each in found.items()} == {"login": 0, "createUser": 0, "getUser": 3}


def test_patterns_leave_operations_out(tmp_path: Path) -> None:
    found = operations(loaded(tmp_path, 'only = ["*User*"]\nwithout = ["delete*", "listUsers"]'))

    assert [name for name, each in found.items() if each.weight] == ["createUser", "getUser", "updateUser"]


def test_headers_go_with_every_described_operation(tmp_path: Path) -> None:
    found = operations(loaded(tmp_path, 'headers = { authorization = "Bearer x", X-Key = "k" }'))

    assert dict(http(found["listUsers"]).headers) == {"authorization": "Bearer x", "X-Key": "k"}


def test_parts_of_the_query_go_with_every_operation_and_with_the_health_check(tmp_path: Path) -> None:
    workload = loaded(tmp_path, 'query = { key = "s", limit = "3" }\nheaders = { X-Key = "k" }')
    found = operations(workload)

    assert http(found["listUsers"]).path == "/api/users?key=s&limit=3"
    assert http(found["getUser"]).path == "/api/users/${captured.id}?key=s&limit=3"
    health = workload.declared.health.http
    assert health is not None
    assert (health.path, dict(health.headers)) == ("/api/health?key=s&limit=3", {"X-Key": "k"})


def test_an_import_is_made_again_when_a_file_that_it_refers_to_changes(tmp_path: Path) -> None:
    loaded(tmp_path, "")
    path = "get: { operationId: NAME, responses: { '200': { description: ok } } }"
    (tmp_path / "path.yaml").write_text(path.replace("NAME", "one"), "utf-8")
    text = "openapi: 3.0.3\ninfo: { title: t, version: '1' }\npaths: { /a: { $ref: path.yaml } }\n"
    (tmp_path / "users.openapi.yaml").write_text(text, "utf-8")
    assert [*operations(load_workload(Project(tmp_path), "users"))] == ["one"]

    (tmp_path / "path.yaml").write_text(path.replace("NAME", "two"), "utf-8")

    assert [*operations(load_workload(Project(tmp_path), "users"))] == ["two"]


OWN = """
headers = { X-Key = "k", x-client = "lab" }

[[workloads.users.operations]]
name = "own"
http = { method = "GET", path = "/own", expect = 200, headers = { x-key = "own" } }

[[workloads.users.operations]]
name = "plain"
http = { method = "GET", path = "/plain", expect = 200 }
"""


@pytest.mark.parametrize("is_described", [True, False])
def test_headers_go_with_the_operations_of_the_table_too_unless_they_have_their_own(
    tmp_path: Path, is_described: bool
) -> None:
    found = operations(loaded(tmp_path, OWN) if is_described else listed(tmp_path, OWN))

    assert dict(http(found["own"]).headers) == {"x-key": "own", "x-client": "lab"}
    assert dict(http(found["plain"]).headers) == {"X-Key": "k", "x-client": "lab"}


def test_an_operation_that_changes_a_described_one_has_the_headers_of_both(tmp_path: Path) -> None:
    table = """
headers = { X-Key = "k" }

[[workloads.users.operations]]
name = "getUser"
http = { expect = [200, 404] }
"""
    before = dict(http(operations(loaded(tmp_path, ""))["getUser"]).headers)

    assert dict(http(operations(loaded(tmp_path, table))["getUser"]).headers) == {**before, "X-Key": "k"}


@pytest.mark.parametrize("key", ["only", "without"])
def test_choosing_needs_a_description(tmp_path: Path, key: str) -> None:
    with pytest.raises(UsageError, match=rf"bakeoff\.toml, line 2: {key} chooses operations of a description\."):
        listed(tmp_path, f'{key} = ["own"]\n{OWN}')


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ('only = ["getUsr"]', 'line 3: only: the description has no operation "getUsr". Did you mean getUser'),
        ('without = ["get*",\n"x*"]', 'line 4: without: the description has no operation "x*". Operations: login, '),
        ('without = ["*"]', "line 3: only and without leave no operation"),
        ("only = 1", "line 3: only: 1 is not of type 'array'"),
        ("[[workloads.users.operations]]\nwheight = 2", "line 4: there is no key wheight. Did you mean weight?"),
        ('[[workloads.users.operations]]\nname = "x"\nweight = "2"', "line 5: operations.0.weight: '2' is not of type"),
        ('[[workloads.users.operations]]\nname = "x"\nhttp = { path = "/" }', "line 5: operations.0.http: 'method' is"),
    ],
)
def test_mistakes_are_named_with_their_line(tmp_path: Path, table: str, words: str) -> None:
    with pytest.raises(UsageError) as refused:
        loaded(tmp_path, table)
    assert words in refused.value.message
    assert refused.value.message.startswith(str(tmp_path / "bakeoff.toml"))


def test_a_description_that_does_not_exist_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r'line 2: openapi = "other.yaml", but there is no such file'):
        loaded(tmp_path, "", "other.yaml")


def test_an_import_is_kept_until_the_document_changes(tmp_path: Path) -> None:
    workload = loaded(tmp_path, "")
    (kept,) = (tmp_path / ".bakeoff" / "descriptions").iterdir()
    members = {"operations": [{"name": "kept", "http": {"method": "GET", "path": "/", "expect": 200}}]}
    kept.write_text(json.dumps({**json.loads(kept.read_text()), "members": members}))

    assert [*operations(load_workload(Project(tmp_path), "users"))] == ["kept"]
    source = tmp_path / "users.openapi.yaml"
    source.write_text(source.read_text("utf-8").replace("listUsers", "allUsers"), "utf-8")
    assert "allUsers" in operations(load_workload(Project(tmp_path), "users"))
    assert workload.digest != load_workload(Project(tmp_path), "users").digest


def test_a_project_that_cannot_be_written_imports_each_time(tmp_path: Path) -> None:
    (tmp_path / ".bakeoff").write_text("no folder", "utf-8")

    assert "getUser" in operations(loaded(tmp_path, ""))
