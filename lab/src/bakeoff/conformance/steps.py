"""Cases of several steps: each is a request to one of the workload's operations, and may use what earlier replies held.

So create, get, update and delete of an entity are checked although the server assigns its id.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from bakeoff.conformance.calls import first_of
from bakeoff.conformance.case import Case, CaseStep, Exchange, GrpcSide, HttpSide, Side
from bakeoff.conformance.matching import compare_json, shown
from bakeoff.conformance.vectors import VectorError, side_from
from bakeoff.documents.checked import Json
from bakeoff.documents.json_pointer import members_of, names_of
from bakeoff.text.hints import hint
from bakeoff.workload.declaration import PROTOCOLS, GrpcCall, HttpCall, Operation, sent_text
from bakeoff.workload.loader import Workload

_SLOT = re.compile(r"\$\{(captured|login)\.([^{}]+)\}")
_ANY_SLOT = re.compile(r"\$\{[^{}]*\}")
_QUERY_PART = re.compile(r"\$\{captured\.[^{} ]+ [^{}]*\}")
_NEXT_LINK = re.compile(r'<(?P<url>[^>]*)>[^<]*;\s*rel="?(?:[\w-]+ )*next\b', re.IGNORECASE)


class CaptureError(Exception):
    """A reply without a value that later steps need."""


def with_operations(workload: Workload, case: Case) -> Case:
    """The case, its steps completed by what their operations say. Raises VectorError for what does not exist."""
    steps: list[CaseStep] = []
    for number, step in enumerate(case.steps, start=1):
        try:
            completed = _completed(workload, step)
            for side in ("http", "grpc"):
                _check_slots(completed, side, [each.sides[side] for each in steps if side in each.sides])
        except VectorError as error:
            raise VectorError(f'{workload.name}: case "{case.name}", step {number}: {error.message}') from error
        steps.append(completed)
    return replace(case, steps=tuple(steps))


def _completed(workload: Workload, step: CaseStep) -> CaseStep:
    operations = {each.name: each for each in workload.declared.operations}
    if step.operation not in operations:
        words = f'there is no operation "{step.operation}".'
        raise VectorError(f"{words} {hint(step.operation, list(operations), 'Operations')}")
    operation = operations[step.operation]
    sides: dict[str, Side] = {}
    for side in PROTOCOLS:
        call = operation.call(side)
        if call is not None:
            sides[side] = _side(operation, step, side, call)
    return replace(step, http=sides.get("http"), grpc=sides.get("grpc"), body=operation.body)


def _side(operation: Operation, step: CaseStep, side: str, call: HttpCall | GrpcCall) -> dict[str, Json]:
    """A step's table under `http` or `grpc`, completed by its operation: method, path, headers, status, captures."""
    own = step.sides.get(side, {})
    usual: dict[str, Json] = {"method": call.method, "capture": call.capture}
    expected: dict[str, Json] = {"code" if side == "grpc" else "status": first_of(call)}
    headers = call.metadata if isinstance(call, GrpcCall) else call.headers
    if isinstance(call, HttpCall):
        # The first page: no step has the token of another.
        usual["path"] = _QUERY_PART.sub("", call.path)
    merged = {
        **usual,
        **own,
        "headers": {**headers, **_members(own, "headers")},
        "expect": {**expected, **_members(own, "expect")},
    }
    if operation.body == "text" and isinstance(step.message, str) and "body" not in own:
        merged["body"] = {"parts": [step.message]}
    return merged


def _members(entry: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    value = entry.get(name, {})
    assert isinstance(value, Mapping)
    return value


def captures_of(side: Mapping[str, Json]) -> Mapping[str, str]:
    """The captures of a side: names, and places in the reply."""
    return {name: str(place) for name, place in _members(side, "capture").items()}


def _check_slots(step: CaseStep, side: str, before: Sequence[Mapping[str, Json]]) -> None:
    """Every slot of a step must be a value that an earlier step captures."""
    if side not in step.sides:
        return
    captured = [name for each in before for name in captures_of(each)]
    entry = step.sides[side]
    sent = [text for place in captures_of(entry).values() if (text := sent_text(place)) is not None]
    for text in _texts([entry.get("path"), entry["headers"], entry["expect"], entry.get("body"), step.message, sent]):
        for slot in _ANY_SLOT.findall(text):
            found = _SLOT.fullmatch(slot)
            if found is None:
                words = f"{slot} has no value here: give the step a {side} path, headers or captures without it."
                raise VectorError(words)
            if found[2] not in captured:
                known = hint(found[2], captured, "Captured are")
                raise VectorError(f"{slot}: no earlier step captures {found[2]}. {known}")


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | Sequence):
        for member in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(member)


def step_case(case: Case, step: CaseStep, side: str, captured: Mapping[str, Json]) -> Case:
    """One step as a case, with the captured values in their places."""
    entry = filled(step.sides[side], captured)
    assert isinstance(entry, Mapping)
    return replace(
        case,
        message=filled(step.message, captured),
        http=side_from(entry, HttpSide) if side == "http" else None,
        grpc=side_from(entry, GrpcSide) if side == "grpc" else None,
        steps=(),
        body=step.body,
    )


def filled(value: Json, captured: Mapping[str, Json]) -> Json:
    """A value with each slot replaced: by the captured value itself where it is the whole text, else by its text."""
    if isinstance(value, str):
        whole = _SLOT.fullmatch(value)
        if whole is not None:
            return captured[whole[2]]
        texts = {name: each if isinstance(each, str) else shown(each) for name, each in captured.items()}
        return _SLOT.sub(lambda found: texts[found[2]], value)
    if isinstance(value, list):
        return [filled(each, captured) for each in value]
    if isinstance(value, Mapping):
        return {name: filled(each, captured) for name, each in value.items()}
    return value


def captured_from(
    exchange: Exchange, places: Mapping[str, str], earlier: Mapping[str, Json] | None = None
) -> dict[str, Json]:
    """The values at these places of a reply; `earlier` were captured before. Raises CaptureError for a missing one."""
    before = earlier or {}
    return {name: _captured(exchange, place, before, name) for name, place in places.items()}


def _captured(exchange: Exchange, place: str, before: Mapping[str, Json], name: str) -> Json:
    sent = sent_text(place)
    return filled(sent, before) if sent is not None else _captured_at(exchange, place, before.get(name))


def _captured_at(exchange: Exchange, place: str, before: Json) -> Json:
    place, _, condition = place.partition(" while ")
    found = _count_after(exchange, place, before) if place.startswith("count:") else _value_at(exchange, place)
    return found if not condition or _holds(exchange, condition, found) else ""


def _count_after(exchange: Exchange, place: str, before: Json) -> Json:
    """The number captured before, or the first one, and so much more; empty after an empty list."""
    first, _, step = place.removeprefix("count:").partition("+")
    more = int(step) if step.isdecimal() else _items(exchange, step)
    return int(str(before or first)) + more if more else ""


def _holds(exchange: Exchange, condition: str, found: Json) -> bool:
    """Whether there is more after a reply."""
    if condition.startswith("<"):
        way, _, place = condition.partition(" ")
        bound = str(_value_at(exchange, f"optional:{place}"))
        if not (bound.isdecimal() and str(found).isdecimal()):
            return False
        return int(str(found)) < int(bound) + (way == "<=")
    pointer, has, least = condition.rpartition(" has ")
    if has:
        return _items(exchange, pointer) >= int(least)
    expected = not condition.startswith("not ")
    return _value_at(exchange, f"optional:{condition.removeprefix('not ')}") is expected


def _items(exchange: Exchange, pointer: str) -> int:
    found = _value_at(exchange, f"optional:{pointer}")
    return len(found) if isinstance(found, list) else 0


def _value_at(exchange: Exchange, place: str) -> Json:
    if place.startswith("optional:"):
        try:
            found = _value_at(exchange, place.removeprefix("optional:"))
        except CaptureError:
            found = None
        return "" if found is None else found
    if place.startswith("query:"):
        name, _, inner = place.removeprefix("query:").partition(":")
        return _parameter(str(_value_at(exchange, inner)), name)
    if place.startswith("header:"):
        name = place.removeprefix("header:")
        header = exchange.headers.get(name.rstrip("/"))
        if header is None:
            raise CaptureError(f"the reply has no header {name.rstrip('/')}")
        return header.rsplit("/", 1)[-1] if name.endswith("/") else unquoted(header)
    try:
        return _at(exchange.document, place)
    except KeyError as error:
        raise CaptureError(f"the reply has nothing at {place}: {shown(exchange.document)}") from error


def _at(document: Json, pointer: str) -> Json:
    """The value at a pointer, in which -1 is the last item of a list. Raises KeyError where there is none."""
    for name in names_of(pointer):
        is_last = name == "-1" and isinstance(document, list) and document
        document = document[-1] if is_last and isinstance(document, list) else members_of(document)[name]
    return document


def _parameter(text: str, name: str) -> str:
    """A parameter in the query of a URL, or of the next one that a header Link names; without a name the query."""
    link = _NEXT_LINK.search(text)
    url = link["url"] if link is not None else "" if text.startswith("<") else text
    if not name and "?" in url:
        return urlsplit(url).query
    values = parse_qs(urlsplit(url).query, keep_blank_values=True).get(name)
    if values is None:
        raise CaptureError(f"{shown(text)} has no parameter {name}")
    return values[0]


def unquoted(header: str) -> str:
    """A header without the quotes around its whole value: those of an entity tag, weak or strong."""
    tag = header.removeprefix("W/")
    return tag[1:-1] if len(tag) > 1 and tag[0] == tag[-1] == '"' else header


def compare_stored(expected: Json, stored: str | None, key: Sequence[str]) -> list[str]:
    """Whether the document under a key is what a step expects: a text exactly, an object as a reply is compared."""
    row = f"row {shown(list(key))}"
    if expected is None:
        return [] if stored is None else [f"{row}: stored as {shown(stored)}, but it should not be there"]
    if stored is None:
        return [f"{row}: expected, but not stored"]
    if isinstance(expected, str):
        return [] if stored == expected else [f"{row}: expected {shown(expected)}, stored {shown(stored)}"]
    return compare_json(row, expected, json.loads(stored))
