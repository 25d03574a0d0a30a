"""Loads the conformance cases of a workload."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path

import msgspec
from msgspec import UnsetType

from bakeoff.builds.digests import digest_of
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
from bakeoff.conformance.shorthand import ShorthandError, join_parts, write_out, written_out
from bakeoff.conformance.vector_file import (
    Header,
    VectorFile,
    WrittenCase,
    WrittenFrame,
    WrittenGrpc,
    WrittenHttp,
    WrittenPayload,
    WrittenRow,
    WrittenStep,
)
from bakeoff.documents.checked import Json, first_problem
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
    file = msgspec.convert(document, VectorFile)
    return [_case(path, file.subject, written) for written in file.cases]


class _Named(msgspec.Struct):
    """What a broken file may have."""

    cases: Sequence[Json]


def _with_case_name(problem: str, document: Json) -> str:
    """`cases.3.http: …` with the name of that case, which a person finds faster than its number."""
    match problem.split(".", 2):
        case ["cases", number, *_] if number.split(":")[0].isdigit():
            written = msgspec.convert(document, _Named).cases[int(number.split(":")[0])]
            return f'case "{written.get("name", "?")}": {problem}' if isinstance(written, Mapping) else problem
    return problem


def _case(path: Path, subject: str, written: WrittenCase) -> Case:
    field = "message"
    try:
        message = write_out(written.message)
        field = "given"
        given = tuple(written_out(written.given))
        field = "http"
        http = None if written.http is None else http_side(written.http)
        field = "grpc"
        grpc = None if written.grpc is None else grpc_side(written.grpc)
        field = "rows"
        rows = None if isinstance(written.rows, UnsetType) else _rows(written.rows or ())
        field = "steps"
        steps = tuple(_step(step) for step in written.steps)
    except ShorthandError as error:
        raise VectorError(f'{path}: case "{written.name}": {field}: {error}.') from error
    case = Case(
        name=written.name,
        subject=subject,
        rule=written.rule,
        call=Call(written.call),
        given=given,
        message=message,
        http=http,
        grpc=grpc,
        rows=rows,
        needs_token=written.token,
        profile=Profile(written.profile),
        steps=steps,
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


def http_side(written: WrittenHttp) -> HttpSide:
    """What a case says under `http`."""
    expect = written.expect
    return HttpSide(
        written.method,
        written.path,
        _headers(written.headers),
        None if written.body is None else _payload(written.body),
        HttpExpectation(expect.status, expect.headers, write_out(expect.body)),
    )


def grpc_side(written: WrittenGrpc) -> GrpcSide:
    """What a case says under `grpc`."""
    expect = written.expect
    return GrpcSide(
        written.method,
        _grpc_payloads(written),
        GrpcExpectation(
            _values(expect.code),
            expect.message,
            write_out(expect.body),
            None if expect.replies is None else tuple(written_out(expect.replies)),
            expect.headers,
            _values(expect.core_code),
        ),
        _headers(written.headers),
        None if written.frames is None else tuple(_frame(frame) for frame in written.frames),
    )


def _headers(headers: Mapping[str, Header]) -> dict[str, tuple[str, ...]]:
    return {name: _values(value) for name, value in headers.items()}


def _step(written: WrittenStep) -> Step:
    """Kept as it is written: what earlier steps captured comes into it when it is sent."""
    sides = {side: said for side, said in (("http", written.http), ("grpc", written.grpc)) if said is not None}
    return Step(written.operation, write_out(written.message), sides, written.rows)


def _values(value: Header) -> tuple[str, ...]:
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def _frame(written: WrittenFrame) -> Frame | BytesPayload:
    if written.bytes is not None:
        return BytesPayload(join_parts(written.bytes))
    return Frame(_payload(written), written.flag, written.length)


def _grpc_payloads(written: WrittenGrpc) -> tuple[Payload, ...] | None:
    if written.stream is not None:
        return tuple(_payload(payload) for payload in written.stream)
    if written.body is not None:
        return (_payload(written.body),)
    return None if isinstance(written.message, UnsetType) else (JsonPayload(write_out(written.message)),)


def _payload(written: WrittenPayload) -> Payload:
    if written.parts is not None:
        return BytesPayload(join_parts(written.parts))
    return JsonPayload(None if isinstance(written.json, UnsetType) else write_out(written.json))


def _rows(rows: Sequence[WrittenRow]) -> tuple[Row, ...]:
    return tuple(Row(tuple(map(str, written_out(row.key))), str(write_out(row.document))) for row in rows)
