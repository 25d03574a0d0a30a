"""Cases of several steps: each is a request to one of the workload's operations, and may use what earlier replies held.

So create, get, update and delete of an entity are checked although the server assigns its id.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bakeoff.conformance.case import Call, Case, Differences, Exchange, Step
from bakeoff.conformance.matching import compare_json, shown
from bakeoff.conformance.vectors import VectorError, grpc_side, http_side
from bakeoff.documents import Document
from bakeoff.hints import hint
from bakeoff.workload.loader import Workload

_SLOT = re.compile(r"\$\{(captured|login)\.([^{}]+)\}")
_ANY_SLOT = re.compile(r"\$\{[^{}]*\}")


class CaptureError(Exception):
    """A reply without a value that later steps need."""


def with_operations(workload: Workload, case: Case) -> Case:
    """The case, its steps completed by what their operations say. Raises VectorError for what does not exist."""
    steps: list[Step] = []
    for number, step in enumerate(case.steps, start=1):
        try:
            completed = _completed(workload, step)
            for side in ("http", "grpc"):
                _check_slots(completed, side, [each.sides[side] for each in steps if side in each.sides])
        except VectorError as error:
            raise VectorError(f'{workload.name}: case "{case.name}", step {number}: {error.message}') from error
        steps.append(completed)
    return replace(case, steps=tuple(steps))


def _completed(workload: Workload, step: Step) -> Step:
    operations = {each["name"]: each for each in workload.document["operations"]}
    if step.operation not in operations:
        words = f'there is no operation "{step.operation}".'
        raise VectorError(f"{words} {hint(step.operation, list(operations), 'Operations')}")
    operation = operations[step.operation]
    sides = {side: _side(operation, step, side) for side in ("http", "grpc") if side in operation}
    return replace(step, sides=sides)


def _side(operation: Document, step: Step, side: str) -> Document:
    """What a step says under `http` or `grpc`, completed by its operation: method, path, headers, status, captures."""
    table, own = operation[side], step.sides.get(side, {})
    status, headers = ("status", "headers") if side == "http" else ("code", "metadata")
    accepted = table["expect"]
    first = accepted[0] if isinstance(accepted, list) else accepted
    usual = {name: table[name] for name in ("method", "path", "capture") if name in table}
    merged = {
        **usual,
        **own,
        "headers": {**table.get(headers, {}), **own.get("headers", {})},
        "expect": {status: first, **own.get("expect", {})},
    }
    if operation.get("body") == "text" and isinstance(step.message, str) and "body" not in own:
        merged["body"] = {"parts": [step.message]}
    return merged


def _check_slots(step: Step, side: str, before: Sequence[Mapping[str, Any]]) -> None:
    """Every slot of a step must be a value that an earlier step captures."""
    if side not in step.sides:
        return
    captured = [name for each in before for name in each.get("capture", {})]
    entry = step.sides[side]
    for text in _texts([entry.get("path"), entry["headers"], entry["expect"], entry.get("body"), step.message]):
        for slot in _ANY_SLOT.findall(text):
            found = _SLOT.fullmatch(slot)
            if found is None:
                raise VectorError(f"{slot} has no value here: give the step a {side} path or headers without it.")
            if found[2] not in captured:
                known = hint(found[2], captured, "Captured are")
                raise VectorError(f"{slot}: no earlier step captures {found[2]}. {known}")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for member in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(member)


def step_case(case: Case, step: Step, side: str, captured: Mapping[str, Any]) -> Case:
    """One step as a case of its own, with the captured values in their places."""
    entry = filled(step.sides[side], captured)
    return Case(
        case.name,
        case.subject,
        case.rule,
        Call.SINGLE,
        (),
        filled(step.message, captured),
        http_side(entry) if side == "http" else None,
        grpc_side(entry) if side == "grpc" else None,
        None,
        profile=case.profile,
    )


def filled(value: Any, captured: Mapping[str, Any]) -> Any:
    """A value with each slot replaced: by the captured value itself where it is the whole text, else by its text."""
    if isinstance(value, str):
        whole = _SLOT.fullmatch(value)
        if whole is not None:
            return captured[whole[2]]
        return _SLOT.sub(lambda found: _text(captured[found[2]]), value)
    if isinstance(value, list):
        return [filled(each, captured) for each in value]
    if isinstance(value, Mapping):
        return {name: filled(each, captured) for name, each in value.items()}
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else shown(value)


def captured_from(exchange: Exchange, places: Mapping[str, str]) -> dict[str, Any]:
    """The values at these places of a reply. Raises CaptureError for one that is not there."""
    return {name: _value_at(exchange, place) for name, place in places.items()}


def _value_at(exchange: Exchange, place: str) -> Any:
    if place.startswith("header:"):
        name = place.removeprefix("header:")
        value = exchange.headers.get(name.rstrip("/"))
        if value is None:
            raise CaptureError(f"the reply has no header {name.rstrip('/')}")
        return value.rsplit("/", 1)[-1] if name.endswith("/") else value
    value = exchange.document
    for part in place.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and name.isdecimal() and int(name) < len(value):
            value = value[int(name)]
        elif isinstance(value, Mapping) and name in value:
            value = value[name]
        else:
            raise CaptureError(f"the reply has nothing at {place}: {shown(exchange.document)}")
    return value


def compare_stored(expected: Any, stored: str | None, key: Sequence[str]) -> list[str]:
    """Whether the document under a key is what a step expects: a text exactly, an object as a reply is compared."""
    import json

    row = f"row {shown(list(key))}"
    if expected is None:
        return [] if stored is None else [f"{row}: stored as {shown(stored)}, but it should not be there"]
    if stored is None:
        return [f"{row}: expected, but not stored"]
    if isinstance(expected, str):
        return [] if stored == expected else [f"{row}: expected {shown(expected)}, stored {shown(stored)}"]
    return compare_json(row, expected, json.loads(stored))


def in_step(number: int, step: Step, differences: Differences) -> Differences:
    """The differences, each with the step that it belongs to."""
    place = f"step {number} ({step.operation})"
    return Differences(
        tuple(f"{place}: {each}" for each in differences.strict), tuple(f"{place}: {each}" for each in differences.core)
    )
