"""Lists in pages: recognised in descriptions, and followed by a session."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from bakeoff.conformance.case import Differences, Exchange
from bakeoff.conformance.steps import captured_from
from bakeoff.descriptions.imported import ImportedApi
from bakeoff.descriptions.openapi_import import import_openapi
from bakeoff.project import Project
from bakeoff.scaffold.import_files import imported_scaffold, write_import
from bakeoff.workload.loader import Workload, load_workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render

TEXT = {"type": "string"}
WHOLE = {"type": "integer"}
URL = {"type": ["string", "null"], "format": "uri"}


def asked(name: str, schema: Mapping[str, Any] = TEXT, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


def listing(*parameters: Any, shown: Mapping[str, Any] | None = None, **reply: Any) -> dict[str, Any]:
    members = {"items": {"type": "array", "items": WHOLE}, **(shown or {})}
    content = {"application/json": {"schema": {"type": "object", "properties": members}}}
    responses = {"200": {"description": "a page", "content": content, **reply}}
    return {"operationId": "list", "parameters": list(parameters), "responses": responses}


def imported(folder: Path, paths: Mapping[str, Any]) -> ImportedApi:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(folder / "api.json")


LINK = {"headers": {"Link": {"schema": TEXT}}}
LINKED = {"links": {"more": {"operationId": "list", "parameters": {"from": "$response.body#/page/last"}}}}
LINKED_BY_HEADER = {"links": {"more": {"operationId": "list", "parameters": {"query.from": "$response.header.X-Next"}}}}


@pytest.mark.parametrize(
    ("entry", "parameter", "place"),
    [
        (listing(asked("pageToken"), shown={"nextPageToken": TEXT}), "pageToken", "/nextPageToken"),
        (
            listing(asked("cursor"), shown={"meta": {"properties": {"next_cursor": TEXT}}}),
            "cursor",
            "/meta/next_cursor",
        ),
        (listing(asked("after", WHOLE), shown={"nextAfter": {"type": ["integer", "null"]}}), "after", "/nextAfter"),
        (listing(asked("page[after]"), shown={"a/b": {"properties": {"next": TEXT}}}), "page%5Bafter%5D", "/a~1b/next"),
        (listing(asked("page", WHOLE), shown={"next_page": WHOLE}), "page", "/next_page"),
        (listing(asked("page", WHOLE), shown={"next": URL}), "page", "query:page:/next"),
        (listing(asked("limit"), asked("offset"), shown={"next": URL}), "offset", "query:offset:/next"),
        (listing(asked("cursor"), asked("page"), shown={"next": URL}), "cursor", "query:cursor:/next"),
        (listing(asked("per_page"), asked("page"), **LINK), "page", "query:page:header:link"),
        (listing(asked("from"), shown={"page": {"properties": {"last": TEXT}}}, **LINKED), "from", "/page/last"),
        (listing(asked("from"), **LINKED_BY_HEADER), "from", "header:x-next"),
    ],
)
def test_a_list_with_pages_is_sent_by_a_session(tmp_path: Path, entry: Any, parameter: str, place: str) -> None:
    api = imported(tmp_path, {"/a": {"get": entry}})

    (operation,) = api.operations
    assert operation.call["path"] == f"/a?${{captured.next &{parameter}=}}"
    assert operation.call["capture"] == {"next": f"optional:{place}"}
    assert api.members["sessions"] == [{"name": "pages of list", "weight": 1, "steps": ["list"] * 3}]
    assert operation.members("http")["weight"] == 0


@pytest.mark.parametrize(
    "entry",
    [
        listing(asked("limit"), shown={"next": TEXT}),
        listing(asked("page"), shown={"next": TEXT}),
        listing(asked("cursor"), shown={"total": WHOLE}),
        listing(asked("cursor", required=True), shown={"nextCursor": TEXT}),
        listing(asked("cursor"), asked("filter", required=True), shown={"nextCursor": TEXT}),
        listing(asked("cursor"), shown={"nextCursor": {"type": "object"}}),
        listing(asked("other"), **LINKED),
    ],
)
def test_other_lists_are_as_they_were(tmp_path: Path, entry: Any) -> None:
    api = imported(tmp_path, {"/a": {"get": entry}})

    (operation,) = api.operations
    assert "capture" not in operation.call and "sessions" not in api.members
    assert operation.members("http")["weight"] == 1


def test_no_page_is_asked_for_by_its_number_where_deletions_make_a_list_shorter(tmp_path: Path) -> None:
    identity = {"name": "id", "in": "path", "required": True, "schema": WHOLE}
    deletion = {"operationId": "delete", "parameters": [identity], "responses": {"204": {"description": "gone"}}}
    numbered = listing(asked("page"), asked("offset"), shown={"next": URL})
    for paths, parameter in (({"/a": {"get": numbered}}, "page"),
                             ({"/a": {"get": numbered}, "/a/{id}": {"delete": deletion}}, "offset")):  # fmt: skip
        api = imported(tmp_path, paths)
        assert api.operations[0].call["path"] == f"/a?${{captured.next &{parameter}=}}"


PAGED = {
    "/books": {"get": listing(asked("cursor"), asked("size", {"const": 2}, required=True), shown={"next": TEXT})},
    "/notes": {"get": {**listing(asked("page"), **LINK), "operationId": "notes"}},
}


def workload_of(folder: Path, table: str) -> Workload:
    imported(folder, PAGED)
    (folder / "bakeoff.toml").write_text(f'[workloads.w]\nopenapi = "api.json"\n{table}', "utf-8")
    return load_workload(Project(folder), "w")


OWN = '[[workloads.w.sessions]]\nname = "pages of list"\nweight = 9\nsteps = ["list"]\n'


@pytest.mark.parametrize(
    ("table", "sessions"),
    [
        ("", {"pages of list": 1, "pages of notes": 1}),
        ('only = ["notes"]\n', {"pages of notes": 1}),
        ('without = ["notes"]\n', {"pages of list": 1}),
        (OWN, {"pages of list": 9, "pages of notes": 1}),
        ('query = { key = "secret" }\n', {"pages of list": 1, "pages of notes": 1}),
    ],
)
def test_a_project_has_the_sessions_of_its_operations(tmp_path: Path, table: str, sessions: dict[str, int]) -> None:
    declared = workload_of(tmp_path, table).declared

    assert {each.name: each.weight for each in declared.sessions} == sessions
    paths = {each.name: each.http.path for each in declared.operations if each.http is not None}
    if "query" in table:
        assert paths["notes"] == "/notes?${captured.next &page=}&key=secret"


def test_a_folder_of_a_workload_has_them_too(empty_checkout: Project) -> None:
    api = imported(empty_checkout.root, PAGED)

    write_import(empty_checkout, imported_scaffold("w", api, None), api, empty_checkout.root / "api.json")

    declared = load_workload(empty_checkout, "w").declared
    assert [each.name for each in declared.sessions] == ["pages of list", "pages of notes"]


def reply(path: str, last: int) -> Exchange:
    """A page of a list with so many pages."""
    parts = urlsplit(path)
    query = parse_qs(parts.query, keep_blank_values=True)
    if parts.path == "/books":
        number = int(query.get("cursor", ["a/+1"])[0].removeprefix("a/+"))
        return Exchange(Differences(), {"items": [number], **({"next": f"a/+{number + 1}"} if number < last else {})})
    number = int(query.get("page", ["1"])[0])
    more = f'<http://h/notes?page={number + 1}>; rel="next", ' if number < last else ""
    return Exchange(Differences(), [], {"link": f'{more}<http://h/notes?page=1>; rel="first"'})


def test_a_session_follows_the_pages_and_begins_again_after_the_last(tmp_path: Path) -> None:
    plan = compile_plan(workload_of(tmp_path, ""), Load("w", "http", "127.0.0.1", 1, "smoke", phases=[]))
    sent: dict[str, list[str]] = {}
    for session in plan.sessions:
        captured: dict[str, str] = {}
        for number, step in enumerate([*session.steps, session.steps[0]]):
            call = plan.operations[step].http
            assert call is not None
            path = render(call.path, RandomNumbers(1, 0, number), Event("", 0, number, 0, captured=captured))
            sent.setdefault(session.name, []).append(path)
            captured = {name: str(value) for name, value in captured_from(reply(path, 3), call.capture).items()}

    assert sent == {
        "pages of list": [
            "/books?size=2",
            "/books?size=2&cursor=a%2F%2B2",
            "/books?size=2&cursor=a%2F%2B3",
            "/books?size=2",
        ],
        "pages of notes": ["/notes?", "/notes?&page=2", "/notes?&page=3", "/notes?"],
    }
