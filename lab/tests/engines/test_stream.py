import json
from typing import Any, get_args

import pytest
from msgspec import Struct
from msgspec.structs import fields

from bakeoff.engines.stream import Record, StreamError, read_records
from bakeoff.project import FORMATS, Project
from made_up_records import record_of

START = {
    "type": "start",
    "version": 1,
    "engine": {"name": "e", "version": "1"},
    "workload": "w",
    "target": "t",
    "protocol": "http",
    "connections": 1,
    "time_unix_ns": 1,
}
SECOND = {
    "type": "second",
    "phase": 0,
    "second": 0,
    "time_unix_ns": 1,
    "sent": 1,
    "ok": 0,
    "failed": 1,
    "errors": {"grpc_UNAVAILABLE": 1},
    "operations": 0,
    "bytes_sent": 0,
    "bytes_received": 0,
    "unsent": 0,
    "service_histogram": None,
    "response_histogram": None,
}
END = {"type": "end", "reason": "completed", "message": "", "time_unix_ns": 2}


def read(project: Project, *lines: Any) -> list[Record]:
    encoded = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    return list(read_records(encoded, "the stream"))


def test_valid_records_come_through(project: Project) -> None:
    assert read(project, START, SECOND, END) == [record_of(each) for each in (START, SECOND, END)]


def test_version_2_carries_outcomes_by_operation(project: Project) -> None:
    operation = {
        **{name: SECOND[name] for name in ("sent", "ok", "failed", "errors")},
        "statuses": {"UNAVAILABLE": 1},
        "checked": 0,
        "checks_failed": 0,
        "service_histogram": None,
        "response_histogram": None,
    }
    start = {**START, "checks": {"read": 0.01}}
    second = {**SECOND, "by_operation": {"read": operation}}
    assert read(project, start, second, END) == [record_of(each) for each in (start, second, END)]
    with pytest.raises(StreamError, match=r"by_operation\.read: 'checked' is a required property"):
        del operation["checked"]
        read(project, start, {**SECOND, "by_operation": {"read": operation}})


@pytest.mark.parametrize(
    ("lines", "reason"),
    [
        ([b'{"type": "sta'], "line 1: not JSON"),
        ([{**START, "version": 3}], "is of version 3; this lab reads version 1"),
        ([{**START, "protocol": 3}], r"line 1: does not match stream.schema.json: protocol: 3 is not of type 'string'"),
        ([START, {**SECOND, "errors": {"grpc_unavailable": 1}}], "errors: 'grpc_unavailable' does not match"),
        ([START, {"type": "surprise"}], r"line 2: .*'surprise' is not known"),
        ([START, ["not", "a", "record"]], "line 2: .*None is not known"),
        ([START, {key: END[key] for key in ("type", "reason", "message")}], "'time_unix_ns' is a required property"),
    ],
)
def test_what_is_no_record_is_named(project: Project, lines: list[Any], reason: str) -> None:
    with pytest.raises(StreamError, match=reason):
        read(project, *lines)


@pytest.mark.parametrize("record", get_args(Record))
def test_records_are_those_of_the_schema(record: type[Struct]) -> None:
    schema = json.loads((FORMATS / "stream.schema.json").read_text())
    defined = schema["$defs"][record.__struct_config__.tag]
    members = {field.encode_name: field.required for field in fields(record)}
    assert set(members) | {"type"} == set(defined["properties"])
    assert {name for name, required in members.items() if required} | {"type"} == set(defined["required"])
