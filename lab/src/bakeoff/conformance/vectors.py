"""Loads the conformance cases of a workload from its vector files."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from bakeoff.builds.digests import digest_of
from bakeoff.conformance import exact_json
from bakeoff.conformance.case import Call, Case, GrpcSide, HttpSide
from bakeoff.documents.checked import Json, first_problem
from bakeoff.errors import BakeoffError, UsageError


class ShorthandError(ValueError):
    """A malformed abbreviation."""


def join_parts(parts: Sequence[str | Mapping[str, str | int]]) -> bytes:
    """The bytes that the parts make: text, {"repeat", "times"} and {"hex", "times"}."""
    return b"".join(_part(part) for part in parts)


def write_out(value: Json) -> Json:
    """The JSON document with every {"$text": …} and {"$repeat": …, "times": …} expanded."""
    if isinstance(value, dict):
        if "$text" in value:
            return _text(value)
        if "$repeat" in value:
            raise ShorthandError("$repeat stands for elements of an array and must be in one")
        return {name: write_out(member) for name, member in value.items()}
    if isinstance(value, list):
        return written_out(value)
    return value


def written_out(values: Sequence[Json]) -> list[Json]:
    """The elements of an array, expanded in the same way."""
    return [written for element in values for written in _elements(element)]


def _elements(element: Json) -> list[Json]:
    if not (isinstance(element, dict) and "$repeat" in element):
        return [write_out(element)]
    times = element.get("times")
    if element.keys() != {"$repeat", "times"} or not isinstance(times, int):
        raise ShorthandError('$repeat needs "times", a whole number, and nothing else')
    return [write_out(element["$repeat"])] * times


def _text(value: Mapping[str, Json]) -> str:
    parts = value["$text"]
    if value.keys() != {"$text"} or not isinstance(parts, list):
        raise ShorthandError("$text holds a list of parts and has no neighbours")
    return "".join(_text_part(part) for part in parts)


def _text_part(part: Json) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.keys() == {"repeat", "times"} and isinstance(part["times"], int):
        return str(part["repeat"]) * part["times"]
    raise ShorthandError('a part of $text is a text, or an object with "repeat" and "times"')


def _part(part: str | Mapping[str, str | int]) -> bytes:
    if isinstance(part, str):
        return part.encode()
    content = bytes.fromhex(str(part["hex"])) if "hex" in part else str(part["repeat"]).encode()
    return content * int(part.get("times", 1))


# A table of a vector file, which the schema checked; msgspec reads it once its abbreviations are expanded.
_Written = Mapping[str, Any]
_Expand = Callable[[Any], Json]


class VectorError(BakeoffError):
    """A broken vector file; names the file, the case and the field."""


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
        document: Any = exact_json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise VectorError(f"{path} cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise VectorError(f"{path} is not valid JSON: {error}. Correct it there.") from error
    problem = first_problem(document, schema)
    if problem:
        raise VectorError(f"{path} does not match the schema {schema.name}: {_with_case_name(problem, document)}.")
    return [_case(path, document["subject"], written) for written in document["cases"]]


def _with_case_name(problem: str, document: Any) -> str:
    """`cases.3.http: …` with the name of that case, which a person finds faster than its number."""
    match problem.split(".", 2):
        case ["cases", number, *_] if number.split(":")[0].isdigit():
            written = document["cases"][int(number.split(":")[0])]
            return f'case "{written.get("name", "?")}": {problem}' if isinstance(written, Mapping) else problem
    return problem


def _case(path: Path, subject: str, written: _Written) -> Case:
    members = {**written, "subject": subject}
    for name, expanded in _EXPANDED.items():
        if name in written:
            try:
                members[name] = expanded(written[name])
            except ShorthandError as error:
                raise VectorError(f'{path}: case "{written["name"]}": {name}: {error}.') from error
    case = msgspec.convert(members, Case)
    _check(path, case)
    return case


def _check(path: Path, case: Case) -> None:
    """Checks the rules that the schema cannot express."""
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


_Side = TypeVar("_Side", HttpSide, GrpcSide)


def side_from(written: _Written, kind: type[_Side]) -> _Side:
    """A side of a case, from its table under `http` or `grpc`."""
    return msgspec.convert(_side(written), kind)


def _side(written: _Written) -> _Written:
    """The table without abbreviations: every header and every code is a list."""
    side: dict[str, Any] = {name: write_out(value) for name, value in written.items() if name not in _PAYLOADS}
    side |= {name: read(written[name]) for name, read in _PAYLOADS.items() if name in written}
    side["headers"] = {name: _values(value) for name, value in written.get("headers", {}).items()}
    side["expect"] |= {name: _values(side["expect"][name]) for name in ("code", "core_code") if name in side["expect"]}
    return side


def _values(value: str | Sequence[str] | None) -> Sequence[str]:
    return [value] if isinstance(value, str) else value or ()


def _payload(written: _Written) -> _Written:
    """A payload or a frame. A message is `json` or `parts`; `bytes` are no frame."""
    frame = {name: written[name] for name in ("flag", "length") if name in written}
    if "bytes" in written:
        return {"content": join_parts(written["bytes"]), "flag": None}
    if "parts" in written:
        return {**frame, "content": join_parts(written["parts"])}
    return {**frame, "document": write_out(written.get("json"))}


def _payloads(written: Sequence[_Written]) -> list[_Written]:
    return [_payload(each) for each in written]


_PAYLOADS: Mapping[str, _Expand] = {"body": _payload, "stream": _payloads, "frames": _payloads}
# Steps keep their sides as they are: captured values fill them first.
_EXPANDED: Mapping[str, _Expand] = {
    "message": write_out,
    "given": written_out,
    "http": _side,
    "grpc": _side,
    # Null means that no row is expected; a case without `rows` does not look.
    "rows": lambda rows: written_out(rows or ()),
    "steps": lambda steps: [{**step, "message": write_out(step.get("message"))} for step in steps],
}
