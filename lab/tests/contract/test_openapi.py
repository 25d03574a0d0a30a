"""openapi.yaml stays valid, and says what the README, the workload and the vectors say."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator
from openapi_spec_validator import validate

from bakeoff.conformance.calls import http_table
from bakeoff.conformance.case import Call
from bakeoff.conformance.runner import load_cases
from bakeoff.project import Project
from bakeoff.workload.loader import Workload, load_workload

Document = dict[str, Any]
NOT_FOUND = 404
UNAUTHENTICATED = 401


@pytest.fixture(scope="module")
def events(gallery: Project) -> Workload:
    return load_workload(gallery, "events")


@pytest.fixture(scope="module")
def openapi(events: Workload) -> Document:
    document: Document = yaml.safe_load((events.directory / "openapi.yaml").read_text("utf-8"))
    return document


@pytest.fixture(scope="module")
def readme(events: Workload) -> str:
    return (events.directory / "README.md").read_text("utf-8")


def resolved(openapi: Document, entry: Document) -> Document:
    """The object itself where the entry is a reference."""
    while "$ref" in entry:
        target: Any = openapi
        for name in entry["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        entry = target
    return entry


def operations(openapi: Document) -> Iterator[tuple[str, str, Document]]:
    for path, methods in openapi["paths"].items():
        for method, operation in methods.items():
            yield method.upper(), path, operation


def replies(openapi: Document) -> Iterator[tuple[str, Document]]:
    """Each status of each operation with what it says; 404 is the `default`, because it belongs to no path."""
    for method, path, operation in operations(openapi):
        for status, reply in operation["responses"].items():
            yield f"{method} {path} {status}", resolved(openapi, reply)


def problems(openapi: Document, schema: Document, value: Any) -> list[str]:
    """Violations of the schema, its references resolved in the document."""
    validator = Draft202012Validator({**schema, "components": openapi["components"]})
    return [error.message for error in validator.iter_errors(value)]


def media(entry: Document) -> Document:
    content: Document = entry["content"]["application/json"]
    return content


def test_the_document_is_valid(openapi: Document) -> None:
    validate(openapi)


def test_every_example_obeys_its_schema(openapi: Document) -> None:
    bodies = [
        ("request", operation["requestBody"]) for _, _, operation in operations(openapi) if "requestBody" in operation
    ]
    for place, entry in [*bodies, *replies(openapi)]:
        examples = media(entry)["examples"]
        assert examples, place
        for name, example in examples.items():
            assert problems(openapi, media(entry)["schema"], example["value"]) == [], f"{place} {name}"


def test_the_paths_are_those_of_the_readme(openapi: Document, readme: str) -> None:
    named = set(re.findall(r"^\| `(GET|POST) (/\S+)`", readme, re.MULTILINE))

    assert {(method, path) for method, path, _ in operations(openapi)} == named


def test_the_paths_are_those_of_the_workload(openapi: Document, events: Workload) -> None:
    tables = [http_table(events, call) for call in (Call.SINGLE, Call.BATCH, Call.HEALTH)]

    assert {(method, path) for method, path, _ in operations(openapi)} == {
        (table.method, table.path) for table in tables
    }


def test_the_statuses_are_those_of_the_readme(openapi: Document, readme: str) -> None:
    table = re.search(r"\| what \| REST \| gRPC \|\n(.*?)\n\n", readme, re.DOTALL)
    assert table is not None
    rest = " ".join(line.split("|")[1] + line.split("|")[2] for line in table[1].splitlines())
    named = {int(status) for status in re.findall(r"\b[2-5]\d\d\b", rest)}

    assert {
        int(status)
        for _, _, operation in operations(openapi)
        for status in operation["responses"]
        if status != "default"
    } == (named - {NOT_FOUND})


def test_every_message_of_the_readme_replies_is_an_example(openapi: Document, readme: str) -> None:
    section = readme.split("## Replies")[1].split("## Write modes")[0]
    examples = {
        str(example["value"]["message"])
        for _, reply in replies(openapi)
        for example in media(reply)["examples"].values()
    }
    fixed = {"path: not found", "method: not allowed", "internal error", "database: unavailable"}
    fixed |= {"overloaded: the write queue is full, retry later", "database: unavailable, retry later"}
    fixed |= {"authorization: a valid bearer token is required"}
    fixed |= {"events: must hold 1 to 10000 events", "0 of 3 events processed; event 0: eventHeader.uuid: required"}

    assert {message for message in fixed if message not in section} == set()
    assert fixed <= examples


@dataclass(frozen=True)
class HttpCase:
    """A case as it goes over HTTP."""

    name: str
    rule: str
    method: str
    path: str
    message: Any
    sends_message: bool
    status: int
    reply: Any


@pytest.fixture(scope="module")
def http_cases(events: Workload) -> list[HttpCase]:
    usual = {call: http_table(events, call) for call in (Call.SINGLE, Call.BATCH, Call.HEALTH)}
    return [
        HttpCase(
            name=case.name,
            rule=case.rule,
            method=case.http.method or usual[case.call].method,
            path=(case.http.path or usual[case.call].path).split("?")[0],
            message=case.message,
            sends_message=case.message is not None and case.http.body is None,
            status=case.http.expect.status,
            reply=case.http.expect.body,
        )
        for case in load_cases(events)
        if case.http is not None
    ]


def written(expected: Any) -> Any:
    """An expected reply with a value in place of each matcher."""
    if isinstance(expected, Mapping):
        if expected.keys() == {"$any"}:
            return {"uuid": "6f1d2c3b-4a59-4e68-8b7a-9c0d1e2f3a4b", "integer": 0, "string": "x"}[expected["$any"]]
        return {name: written(value) for name, value in expected.items()}
    return [written(value) for value in expected] if isinstance(expected, list) else expected


def test_every_reply_of_the_vectors_is_described(openapi: Document, http_cases: list[HttpCase]) -> None:
    for case in http_cases:
        methods = openapi["paths"].get(case.path)
        if methods is None:
            assert case.status in (NOT_FOUND, UNAUTHENTICATED), case.name
        else:
            operation = methods.get(case.method.lower()) or next(iter(methods.values()))
            reply = resolved(openapi, operation["responses"][str(case.status)])
            if case.method != "HEAD":
                assert problems(openapi, media(reply)["schema"], written(case.reply)) == [], case.name


def test_every_request_that_the_vectors_call_valid_obeys_the_schema(
    openapi: Document, http_cases: list[HttpCase]
) -> None:
    valid = [case for case in http_cases if case.status == 200 and case.method == "POST" and case.sends_message]

    assert valid
    for case in valid:
        schema = media(openapi["paths"][case.path]["post"]["requestBody"])["schema"]
        assert problems(openapi, schema, case.message) == [], case.name


RULES_IN_THE_SCHEMA = """uuid-required uuid-format string-kind event-name-length entities-required entities-maximum
    entity-id-length attributes-kind timestamp-epoch-length"""


@pytest.mark.parametrize("rule", RULES_IN_THE_SCHEMA.split())
def test_requests_that_break_these_rules_break_the_schema(
    rule: str, openapi: Document, http_cases: list[HttpCase]
) -> None:
    schema = media(openapi["paths"]["/api/v1/events"]["post"]["requestBody"])["schema"]
    broken = [case for case in http_cases if case.rule == rule and case.status == 400 and case.sends_message]

    assert broken
    assert [case.name for case in broken if not problems(openapi, schema, case.message)] == []
