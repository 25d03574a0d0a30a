"""Loads the conformance cases of a workload."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any

from bakeoff.conformance import exact_json
from bakeoff.conformance.case import (
    BytesPayload,
    Call,
    Case,
    Frame,
    GrpcExpectation,
    GrpcSide,
    HttpExpectation,
    HttpSide,
    JsonPayload,
    Payload,
    Profile,
    Row,
    Step,
)
from bakeoff.conformance.shorthand import ShorthandError, join_parts, write_out
from bakeoff.digests import digest_of
from bakeoff.documents import first_problem
from bakeoff.errors import BakeoffError, UsageError


class VectorError(BakeoffError):
    """A vector file that does not say what a target must do; names the file, the case and the field."""


def load_vectors(directory: Path, schema: Path, patterns: Sequence[str] = ()) -> tuple[Case, ...]:
    """The cases of all files of the folder, in order of file name and place, checked.

    A pattern is a shell pattern that a case's name or subject matches. Raises VectorError for an empty folder and a
    broken file, UsageError for a pattern that matches nothing.
    """
    files = sorted(directory.glob("*.json"))
    if not files:
        raise VectorError(f"{directory} contains no vectors: add at least one .json file of conformance cases.")
    return _chosen(_load_all(directory, tuple(files), schema, digest_of([*files, schema])), patterns)


@lru_cache(maxsize=4)
def _load_all(directory: Path, files: Sequence[Path], schema: Path, _content: str) -> tuple[Case, ...]:
    """Checking the files takes most of a second, so it is done once for all targets, until a file changes."""
    cases = [case for path in files for case in _load_file(path, schema)]
    repeated = [name for name, count in Counter(case.name for case in cases).items() if count > 1]
    if repeated:
        raise VectorError(f'{directory}: two cases are named "{repeated[0]}". Names must differ, also between files.')
    return tuple(cases)


def _chosen(cases: Sequence[Case], patterns: Sequence[str]) -> tuple[Case, ...]:
    for pattern in patterns:
        if not any(_matches(case, pattern) for case in cases):
            subjects = ", ".join(dict.fromkeys(case.subject for case in cases))
            raise UsageError(f'No conformance case matches "{pattern}". Give a case\'s name or a subject: {subjects}.')
    return tuple(case for case in cases if not patterns or any(_matches(case, pattern) for pattern in patterns))


def _matches(case: Case, pattern: str) -> bool:
    return fnmatchcase(case.name, pattern) or fnmatchcase(case.subject, pattern)


def _load_file(path: Path, schema: Path) -> list[Case]:
    try:
        document = exact_json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise VectorError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise VectorError(f"{path} is not valid JSON: {error}. Correct it there.") from error
    problem = first_problem(document, schema)
    if problem:
        raise VectorError(f"{path} does not match the schema {schema.name}: {_with_case_name(problem, document)}.")
    return [_case(path, document["subject"], entry) for entry in document["cases"]]


def _with_case_name(problem: str, document: Any) -> str:
    """`cases.3.http: …` with the name of that case, which a person finds faster than its number."""
    match problem.split(".", 2):
        case ["cases", number, *_] if number.split(":")[0].isdigit():
            entry = document["cases"][int(number.split(":")[0])]
            return f'case "{entry.get("name", "?")}": {problem}' if isinstance(entry, dict) else problem
    return problem


def _case(path: Path, subject: str, entry: Mapping[str, Any]) -> Case:
    field = "message"
    try:
        message = write_out(entry.get("message"))
        field = "given"
        given = tuple(write_out(list(entry.get("given", []))))
        field = "http"
        http = http_side(entry["http"]) if "http" in entry else None
        field = "grpc"
        grpc = grpc_side(entry["grpc"]) if "grpc" in entry else None
        field = "rows"
        rows = _rows(entry["rows"]) if "rows" in entry else None
        field = "steps"
        steps = tuple(_step(step) for step in entry.get("steps", ()))
    except ShorthandError as error:
        raise VectorError(f'{path}: case "{entry["name"]}": {field}: {error}.') from error
    call = Call(entry.get("call", "single"))
    needs_token = bool(entry.get("token", False))
    profile = Profile(entry["profile"])
    case = Case(
        entry["name"], subject, entry["rule"], call, given, message, http, grpc, rows, needs_token, profile, steps
    )
    _check(path, case)
    return case


def _check(path: Path, case: Case) -> None:
    """What the schema cannot say."""
    place = f'{path}: case "{case.name}"'
    for row in case.rows or ():
        if not case.owns(row.key):
            raise VectorError(
                f'{place}: rows: the key {list(row.key)} is not the case\'s own. One element must be "{case.name}" or '
                f'begin with "{case.name}/", so that cases do not share rows.'
            )
    if case.call in (Call.BATCH, Call.STREAM) and not isinstance(case.message, list | None):
        raise VectorError(f"{place}: message: a {case.call} sends a list of messages.")
    if case.call is Call.STREAM and case.http is not None:
        raise VectorError(f"{place}: http: a stream has no HTTP side.")


def http_side(entry: Mapping[str, Any]) -> HttpSide:
    """What a case says under `http`."""
    expect = entry["expect"]
    return HttpSide(
        entry.get("method"),
        entry.get("path"),
        _headers(entry),
        _payload(entry["body"]) if "body" in entry else None,
        HttpExpectation(int(expect["status"]), dict(expect.get("headers", {})), write_out(expect.get("body"))),
    )


def grpc_side(entry: Mapping[str, Any]) -> GrpcSide:
    """What a case says under `grpc`."""
    expect = entry["expect"]
    replies = tuple(write_out(expect["replies"])) if "replies" in expect else None
    return GrpcSide(
        entry.get("method"),
        _grpc_payloads(entry),
        GrpcExpectation(
            _values(expect["code"]),
            expect.get("message"),
            write_out(expect.get("body")),
            replies,
            dict(expect.get("headers", {})),
            _values(expect.get("core_code")),
        ),
        _headers(entry),
        tuple(_frame(frame) for frame in entry["frames"]) if "frames" in entry else None,
    )


def _headers(entry: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    return {name: _values(value) for name, value in entry.get("headers", {}).items()}


def _step(entry: Mapping[str, Any]) -> Step:
    """Kept as it is written: what earlier steps captured comes into it when it is sent."""
    sides = {side: entry[side] for side in ("http", "grpc") if side in entry}
    return Step(entry["operation"], write_out(entry.get("message")), sides, tuple(entry.get("rows", ())))


def _values(value: str | Sequence[str] | None) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _frame(entry: Mapping[str, Any]) -> Frame | BytesPayload:
    if "bytes" in entry:
        return BytesPayload(join_parts(entry["bytes"]))
    return Frame(_payload(entry), entry.get("flag", 0), entry.get("length"))


def _grpc_payloads(entry: Mapping[str, Any]) -> tuple[Payload, ...] | None:
    if "stream" in entry:
        return tuple(_payload(payload) for payload in entry["stream"])
    if "body" in entry:
        return (_payload(entry["body"]),)
    if "message" in entry:
        return (JsonPayload(write_out(entry["message"])),)
    return None


def _payload(entry: Mapping[str, Any]) -> Payload:
    if "parts" in entry:
        return BytesPayload(join_parts(entry["parts"]))
    return JsonPayload(write_out(entry["json"]))


def _rows(entries: Sequence[Mapping[str, Any]] | None) -> tuple[Row, ...]:
    return tuple(Row(tuple(write_out(entry["key"])), write_out(entry["document"])) for entry in entries or ())
