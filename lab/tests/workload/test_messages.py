"""A protocol's own message stands in the place of the operation's."""

import pytest

from as_json import as_json
from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.workload.loader import load_workload
from bakeoff.workload.plan import Load, compile_plan

NOTES = """\
version = 1
name = "notes"
title = "Notes"
database = "none"
proto = "notes.proto"
[[operations]]
name = "create"
weight = 1
creates = "note"
http = { method = "POST", path = "/notes", expect = 201, capture = { id = "/id" } }
grpc = { method = "notes.Notes/Create", expect = "OK", capture = { id = "/id" } }
message = '{ "text": "x" }'
[[operations]]
name = "change"
weight = 1
needs = "note"
http = { method = "PUT", path = "/notes/${captured.id}", expect = 200 }
grpc = { method = "notes.Notes/Change", expect = "OK", message = '{ "id": "${captured.id}", "text": "y" }' }
message = '{ "text": "y" }'
effect = { kind = "put", document = "", members = ["text"], key = ["${captured.id}"] }
[[operations]]
name = "get"
weight = 1
needs = "note"
http = { method = "GET", path = "/notes/${captured.id}", expect = 200 }
grpc = { method = "notes.Notes/Get", expect = "OK", message = '{ "id": "${captured.id}" }' }
"""

PROTO = """
syntax = "proto3";
package notes;
message Note { string id = 1; string text = 2; }
service Notes {
  rpc Create(Note) returns (Note);
  rpc Change(Note) returns (Note);
  rpc Get(Note) returns (Note);
}
"""
ID = {"slot": "captured", "name": "id"}


def _plan(project: Project, protocol: str) -> dict[str, dict[str, object]]:
    plan = compile_plan(load_workload(project, "notes"), Load("t", protocol, "127.0.0.1", 1, "smoke", phases=[]))
    return {operation["name"]: operation for operation in as_json(plan)["operations"]}


def _write(project: Project, workload: str) -> Project:
    folder = project.root / "contract" / "notes"
    folder.mkdir(parents=True)
    (folder / "workload.toml").write_text(workload, "utf-8")
    (folder / "notes.proto").write_text(PROTO, "utf-8")
    return project


def test_each_protocol_sends_its_own_message(empty_checkout: Project) -> None:
    project = _write(empty_checkout, NOTES)
    over_http, over_grpc = _plan(project, "http"), _plan(project, "grpc")
    assert over_http["change"]["variants"] == [['{"text":"y"}']]
    assert over_grpc["change"]["variants"] == [['{"id":"', ID, '","text":"y"}']]
    assert over_grpc["get"]["variants"] == [['{"id":"', ID, '"}']]


def test_a_request_without_a_message_has_no_media_type(empty_checkout: Project) -> None:
    operation = _plan(_write(empty_checkout, NOTES), "http")["get"]
    assert operation["variants"] == [[]]
    assert operation["http"]["headers"] == {}  # type: ignore[index]


@pytest.mark.parametrize(
    ("text", "wrong", "words"),
    [
        ('members = ["text"]', 'members = ["txet"]', 'members names txet.*Did you mean "?text'),
        ('{ "id": "${captured.id}", "text": "y" }', '{ "id": "${captured.di}", "text": "y" }', "does not capture di"),
        ('{ "id": "${captured.id}", "text": "y" }', '{ "id": "${captured.id}", "txet": "y" }', "has no"),
        ('{ "id": "${captured.id}" }', '{ "di": "${captured.id}" }', "notes.Note has no field di"),
    ],
)
def test_what_a_message_of_a_protocol_names_must_exist(
    empty_checkout: Project, text: str, wrong: str, words: str
) -> None:
    assert text in NOTES
    with pytest.raises(UsageError, match=words):
        load_workload(_write(empty_checkout, NOTES.replace(text, wrong)), "notes")
