"""The files of `bakeoff init` are valid as they stand, whatever was asked for."""

import itertools

import pytest

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.runner import load_cases
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.scaffold.scaffold import DATABASES, PROTOCOLS, scaffold_of, write_scaffold
from bakeoff.targets.manifest import find_targets
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.preload import preload_statements

# A word that SQL, protobuf and Python reserve, hyphens at odd places, and the longest name.
NAMES = ("users", "order", "message", "class", "a-1--b-", "x" * 58)
SQL = {"schema.sql", "reset.sql", "audit.sql", "upsert.sql"}


@pytest.mark.parametrize(("name", "protocol", "database"), list(itertools.product(NAMES, PROTOCOLS, DATABASES)))
def test_every_file_is_valid_and_the_plan_compiles(
    name: str, protocol: str, database: str, empty_checkout: Project
) -> None:
    written = write_scaffold(empty_checkout, scaffold_of(name, protocol, database, None))

    workload = load_workload(empty_checkout, name)
    (target,) = find_targets(empty_checkout)
    sides = [case.grpc if protocol == "grpc" else case.http for case in load_cases(workload)]
    load = Load(target.name, "grpc" if protocol == "grpc" else "http", "127.0.0.1", 1, "smoke", phases=[])
    plan = compile_plan(workload, load)

    assert (target.name, target.workload, target.protocol) == (f"{name}-{protocol}", name, protocol)
    assert len(sides) > 3
    assert None not in sides
    assert [operation.name for operation in plan.operations] == ["Save", "Read"]
    names = {path.name for path in written}
    assert (names & SQL == SQL) == workload.uses_database
    assert ("service.proto" in names) == (protocol == "grpc")
    if protocol == "grpc":
        call = workload.declared.operations[0].grpc
        assert call is not None and codec_of(workload).method(call.method) is not None
    if workload.uses_database:
        assert len(list(preload_statements(workload, plan, 3))) == 1


def test_nothing_but_text_of_the_workload_is_left_in_the_files(empty_checkout: Project) -> None:
    for path in write_scaffold(empty_checkout, scaffold_of("users", "rest", "postgresql", None)):
        text = path.read_text("utf-8")
        assert "{{" not in text, path
        assert "{%" not in text, path
        assert text.endswith("\n"), path
        assert not text.endswith("\n\n"), path


def test_the_new_target_is_skipped_until_it_is_described(empty_checkout: Project) -> None:
    write_scaffold(empty_checkout, scaffold_of("users", "rest", "none", None))

    (target,) = find_targets(empty_checkout)

    assert target.why_skipped is not None
    assert "Describe in targets/users/rest/target.toml how the API is built and started" in target.why_skipped


@pytest.mark.parametrize(
    ("url", "port", "path"),
    [
        (None, 8080, "/users"),
        ("http://127.0.0.1:9000", 9000, "/users"),
        ("http://127.0.0.1:9000/", 9000, "/users"),
        ("https://api.example/v1/people/", 443, "/v1/people"),
    ],
)
def test_a_url_says_where_the_api_is(url: str | None, port: int, path: str, empty_checkout: Project) -> None:
    write_scaffold(empty_checkout, scaffold_of("users", "rest", "none", url))

    (target,) = find_targets(empty_checkout)
    save, read = load_workload(empty_checkout, "users").declared.operations

    assert target.default_port == port
    assert save.http is not None and read.http is not None
    assert (save.http.path, read.http.path) == (path, f"{path}/${{captured.id}}")


@pytest.mark.parametrize(
    "name", ["", "Users", "1st", "-users", "my users", "my_users", "../users", "a/b", "ü", "x" * 59, "users\n"]
)
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(UsageError, match="is not a workload name: use lower-case letters"):
        scaffold_of(name, "rest", "none", None)


@pytest.mark.parametrize("name", ["target", "build"])
def test_a_name_that_would_hide_the_target_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="hold build outputs"):
        scaffold_of(name, "rest", "none", None)


@pytest.mark.parametrize(
    ("protocol", "database", "url", "words"),
    [
        ("soap", "none", None, '--protocol is "soap": use rest or grpc'),
        ("rest", "mysql", None, '--database is "mysql": use postgresql or none'),
        ("rest", "none", "127.0.0.1:8080", "is not an API address"),
        ("rest", "none", "http://127.0.0.1:8080/a?b=c", "is not an API address"),
        ("rest", "none", "http://127.0.0.1:8080/${user}", "is not an API address"),
        ("rest", "none", "http://127.0.0.1:99999/a", "is not an"),
        ("grpc", "none", "http://127.0.0.1:8080/a", "has a path, but gRPC addresses have none"),
    ],
)
def test_what_cannot_be_meant(protocol: str, database: str, url: str | None, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        scaffold_of("users", protocol, database, url)


@pytest.mark.parametrize("folder", ["contract/users", "targets/users"])
def test_nothing_is_overwritten(folder: str, empty_checkout: Project) -> None:
    existing = empty_checkout.root / folder
    existing.mkdir(parents=True, exist_ok=True)
    before = sorted(empty_checkout.root.rglob("*"))

    with pytest.raises(UsageError, match=f"{folder} already exists and was not changed"):
        write_scaffold(empty_checkout, scaffold_of(existing.name, "rest", "none", None))

    assert sorted(empty_checkout.root.rglob("*")) == before
