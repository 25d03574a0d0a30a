"""Lists in pages: recognised in descriptions, and followed by a session."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

import lists_api
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
from lists_api import FLAG, LIST, TEXT, WHOLE, ListsApi, members

URL = {"type": ["string", "null"], "format": "uri"}

NUMBERS = {"type": "array", "items": WHOLE}


def asked(name: str, schema: Mapping[str, Any] = TEXT, *, required: bool = False) -> dict[str, Any]:
    return {"name": name, "in": "query", "required": required, "schema": schema}


def listing(*parameters: Any, shown: Mapping[str, Any] | None = None, **reply: Any) -> dict[str, Any]:
    schema = members({**({} if shown and LIST in shown.values() else {"items": NUMBERS}), **(shown or {})})
    content = {"application/json": {"schema": schema}}
    responses = {"200": {"description": "a page", "content": content, **reply}}
    return {"operationId": "list", "parameters": list(parameters), "responses": responses}


def imported(folder: Path, paths: Mapping[str, Any]) -> ImportedApi:
    document = {"openapi": "3.1.0", "info": {"title": "t", "version": "1"}, "paths": paths}
    (folder / "api.json").write_text(json.dumps(document), "utf-8")
    return import_openapi(folder / "api.json")


LINK = {"headers": {"Link": {"schema": TEXT}}}
TOTAL = {"headers": {"X-Total-Count": {"schema": WHOLE}}}
LINKED = {"links": {"more": {"operationId": "list", "parameters": {"from": "$response.body#/page/last"}}}}
LINKED_BY_HEADER = {"links": {"more": {"operationId": "list", "parameters": {"query.from": "$response.header.X-Next"}}}}


@pytest.mark.parametrize(
    ("entry", "parameter", "place"),
    [
        # Tokens.
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
        (listing(asked("page_token"), shown={"next_page_token": TEXT}), "page_token", "/next_page_token"),
        (
            listing(asked("after"), shown={"pageInfo": members({"hasNextPage": FLAG, "endCursor": TEXT})}),
            "after",
            "/pageInfo/endCursor while /pageInfo/hasNextPage",
        ),
        (listing(asked("after"), shown={"has_more": FLAG, "last_id": TEXT}), "after", "/last_id while /has_more"),
        (
            listing(asked("starting_after"), shown={"pages": members({"next": members({"starting_after": TEXT})})}),
            "starting_after",
            "/pages/next/starting_after",
        ),
        (
            listing(asked("after"), shown={"paging": members({"cursors": members({"after": TEXT})})}),
            "after",
            "/paging/cursors/after",
        ),
        # URLs in links.
        (
            listing(asked("page", WHOLE), shown={"_links": members({"next": members({"href": TEXT})})}),
            "page",
            "query:page:/_links/next/href",
        ),
        (
            listing(asked("page", WHOLE), shown={"_links": {"additionalProperties": members({"href": TEXT})}}),
            "page",
            "query:page:/_links/next/href",
        ),
        (
            listing(asked("page[number]", WHOLE), shown={"links": members({"next": {"type": ["string", "null"]}})}),
            "page%5Bnumber%5D",
            "query:page[number]:/links/next",
        ),
        (
            listing(
                {**asked("page", members({"cursor": TEXT, "size": WHOLE})), "style": "deepObject"},
                shown={"links": members({"next": {"oneOf": [TEXT, members({"href": TEXT})]}})},
            ),
            "page%5Bcursor%5D",
            "query:page[cursor]:/links/next",
        ),
        (
            listing(asked("page"), shown={"hydra:view": members({"hydra:next": URL})}),
            "page",
            "query:page:/hydra:view/hydra:next",
        ),
        (
            listing(asked("v", {"const": 1}, required=True), shown={"value": LIST, "nextLink": TEXT}),
            "%24skiptoken",
            "query:$skiptoken:/nextLink",
        ),
        # The last item.
        (
            listing(asked("starting_after"), shown={"data": LIST, "has_more": FLAG}),
            "starting_after",
            "/data/-1/id while /has_more",
        ),
        (
            listing(asked("start_after"), asked("limit", {**WHOLE, "default": 20}), shown={"data": LIST}),
            "start_after",
            "/data/-1/id while /data has 20",
        ),
    ],
)
def test_a_list_with_pages_is_sent_by_a_session(tmp_path: Path, entry: Any, parameter: str, place: str) -> None:
    api = imported(tmp_path, {"/a": {"get": entry}})

    (operation,) = api.operations
    first = "/a?v=1" if "skiptoken" in parameter else "/a?"
    assert operation.call["path"] == f"{first}${{captured.next &{parameter}=}}"
    assert operation.call["capture"] == {"next": f"optional:{place}"}
    assert api.members["sessions"] == [{"name": "pages of list", "weight": 1, "steps": ["list"] * 3}]
    assert operation.members("http")["weight"] == 0


SIZE = asked("per_page", {**WHOLE, "default": 30})


@pytest.mark.parametrize(
    ("entry", "part", "place"),
    [
        (listing(asked("page", WHOLE), shown={"total_pages": WHOLE}), "page=", "count:1+1 while <= /total_pages"),
        (
            listing(asked("page", {**WHOLE, "default": 0}), shown={"last": FLAG, "totalPages": WHOLE}),
            "page=",
            "count:0+1 while not /last",
        ),
        (
            listing(asked("page", {**WHOLE, "minimum": 0}), shown={"meta": members({"pageCount": WHOLE})}),
            "page=",
            "count:0+1 while < /meta/pageCount",
        ),
        (listing(asked("page", WHOLE), SIZE), "page=", "count:1+1 while /items has 30"),
        (listing(asked("offset", WHOLE), shown={"total": WHOLE}), "offset=", "count:0+/items while < /total"),
        (listing(asked("offset", WHOLE), shown={"hasMore": FLAG}), "offset=", "count:0+/items while /hasMore"),
        (listing(asked("offset", WHOLE), SIZE, **TOTAL), "offset=", "count:0+/items while < header:x-total-count"),
        (
            listing(asked("startIndex", WHOLE), shown={"totalResults": WHOLE, "Resources": LIST}),
            "startIndex=",
            "count:1+/Resources while <= /totalResults",
        ),
        (listing(asked("skip", WHOLE), shown={"next_skip": WHOLE}), "skip=", "optional:/next_skip"),
        # The query of a URL as it is, where the description does not have its parameters.
        (listing(shown={"value": LIST, "@odata.nextLink": TEXT}), "", "optional:query::/@odata.nextLink"),
        (listing(asked("$skip", WHOLE), shown={"@odata.nextLink": URL}), "", "optional:query::/@odata.nextLink"),
        (listing(shown={"links": members({"next": TEXT})}), "", "optional:query::/links/next"),
        (listing(**LINK), "", "optional:query::header:link"),
    ],
)
def test_pages_are_counted_or_follow_a_whole_query(tmp_path: Path, entry: Any, part: str, place: str) -> None:
    (operation,) = imported(tmp_path, {"/a": {"get": entry}}).operations

    assert operation.call["path"] == f"/a?${{captured.next &{part}}}"
    assert operation.call["capture"] == {"next": place}


@pytest.mark.parametrize(
    "entry",
    [
        listing(asked("page", WHOLE), shown={"total": WHOLE}),
        listing(asked("page", TEXT), SIZE),
        listing(asked("from", TEXT), shown={"total": WHOLE}),
        listing(asked("starting_after"), shown={"data": LIST}),
        listing(asked("after"), shown={"last_id": TEXT}),
        listing(asked("filter", required=True), **LINK),
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
    after_items = listing(asked("starting_after"), shown={"data": LIST, "has_more": FLAG})
    for entry in (after_items, listing(**LINK)):
        api = imported(tmp_path, {"/a": {"get": entry}, "/a/{id}": {"delete": deletion}})
        assert "sessions" not in api.members


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


def test_a_session_follows_the_pages_of_each_kind_and_begins_again_after_the_last(tmp_path: Path) -> None:
    (tmp_path / "api.json").write_text(json.dumps(lists_api.document()), "utf-8")
    (tmp_path / "bakeoff.toml").write_text('[workloads.w]\nopenapi = "api.json"\n', "utf-8")
    workload = load_workload(Project(tmp_path), "w")
    plan = compile_plan(workload, Load("w", "http", "127.0.0.1", 1, "smoke", phases=[]))
    api = ListsApi()
    for session in plan.sessions:
        captured: dict[str, str] = {}
        for number, step in enumerate([*session.steps, session.steps[0]]):
            call = plan.operations[step].http
            assert call is not None
            path = render(call.path, RandomNumbers(1, 0, number), Event("", 0, number, 0, captured=captured))
            _, document, headers = api.answer(path)
            found = captured_from(Exchange(Differences(), document, headers), call.capture, captured)
            captured = {name: str(value) for name, value in found.items()}

    assert api.refused == []
    assert api.starts == {name: [0, 2, 4, 0] for name in lists_api.KINDS}
