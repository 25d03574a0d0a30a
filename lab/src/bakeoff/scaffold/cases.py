"""Conformance cases of an imported API: each kind of entity from its creation to its deletion."""

import json
import re
from collections.abc import Mapping, Sequence

from bakeoff.descriptions.imported import READ_WEIGHT, ImportedApi, ImportedOperation, Life, Table
from bakeoff.descriptions.json_members import object_in
from bakeoff.documents.checked import Json
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import parse_template

# Slots that steps fill.
_FILLED = re.compile(r"\$\{(?:captured|login)\.[^{}]*\}")


def cases_of(api: ImportedApi) -> list[Table]:
    """The cases as vectors hold them."""
    cases: list[Table] = []
    if api.health is not None:
        expected = _expected(api.health.get("expect", "OK"))
        cases.append({"name": "health", "rule": "health", "profile": "core", "call": "health", **expected})
    return cases + [case for life in api.lives if (case := _life(life, api.operations)) is not None]


def sample(template: str, number: int = 0, values: dict[str, str] | None = None) -> Json:
    """A document that a message template can make; its captured values stay slots, for steps to fill.

    `values` takes those of named slots.
    """
    slots = _FILLED.findall(template)
    text = template
    for index, slot in enumerate(slots):
        # A number stands bare in JSON, and a marker must do so too.
        text = text.replace(slot, str(_marker(index)), 1)
    document = json.loads(_rendered(text, number, values))
    return _with_slots(document, {str(_marker(index)): slot for index, slot in enumerate(slots)})


def _rendered(template: str, number: int, values: dict[str, str] | None = None) -> str:
    event = Event("00000000", 0, number, 1_768_473_000_000, values={} if values is None else values)
    return render(parse_template(template), RandomNumbers(1, number, 0), event)


def _marker(index: int) -> int:
    return 7_000_000_000_000_000 + index


def _with_slots(value: Json, slots: Mapping[str, str]) -> Json:
    if isinstance(value, Mapping):
        return {name: _with_slots(each, slots) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_with_slots(each, slots) for each in value]
    return slots.get(str(value), value)


def _life(life: Life, operations: Sequence[ImportedOperation]) -> Table | None:
    """A case of create, read, update and delete of a kind of entity; None where nothing creates and reads it."""
    kind = life.kind
    create = next((each for each in operations if each.creates == kind), None)
    needing = [each for each in operations if each.needs == kind]
    reading = next((each for each in needing if each.weight == READ_WEIGHT), None)
    if create is None or reading is None:
        return None
    delete = next((each for each in needing if (each.effect or {}).get("kind") == "delete"), None)
    updating = [each for each in needing if each.message is not None and each not in (reading, delete)]
    update = next(iter(updating), None)
    steps: list[Table] = [_step(each) for each in operations if each.is_login]
    steps += _written_and_read(create, reading, 0, compares=life.compares)
    if update is not None:
        steps += _written_and_read(update, reading, 1, compares=life.compares)
    if delete is not None:
        steps.append(_step(delete))
        if life.missing is not None:
            steps.append(_expecting(_step(reading), _expected(life.missing)))
    return {
        "name": f"life-of-{re.sub(r'[^a-z0-9]+', '-', kind.lower()).strip('-')}",
        "rule": "kept",
        "profile": "core",
        "why": "what is created is found, until it is deleted",
        "steps": steps,
    }


def _step(operation: ImportedOperation, number: int = 0) -> Table:
    values: dict[str, str] = {}
    step: dict[str, Json] = {"operation": operation.name}
    if operation.message is not None:
        make = _rendered if operation.is_text else sample
        step["message"] = make(operation.message, number, values)
    own = _made(operation.call, number, values)
    return {**step, "http": own} if own else step


def _made(call: Table, number: int, values: dict[str, str]) -> dict[str, Json]:
    """The path, headers and captures of a request over HTTP that have slots which steps do not fill, made once."""

    def made(text: str) -> str:
        parts = re.split(f"({_FILLED.pattern})", text)
        return "".join(part if index % 2 else _rendered(part, number, values) for index, part in enumerate(parts))

    path, own = str(call.get("path", "")), dict[str, Json]()
    if (whole := made(path)) != path:
        own["path"] = whole
    for member in ("headers", "capture"):
        texts = {name: str(each) for name, each in object_in(call, member).items()}
        if "path" in call and any(made(each) != each for each in texts.values()):
            own[member] = {name: made(each) for name, each in texts.items()}
    return own


def _expecting(step: Table, expected: Table) -> Table:
    return {**step, **{side: {**object_in(step, side), **object_in(expected, side)} for side in expected}}


def _written_and_read(
    writing: ImportedOperation, reading: ImportedOperation, number: int, *, compares: bool
) -> Sequence[Table]:
    written = _step(writing, number)
    message = written.get("message")
    if not compares or writing.is_text or not isinstance(message, Mapping):
        return [written, _step(reading)]
    stored = (writing.effect or {}).get("members") or list(message)
    kept = {name: value for name, value in message.items() if isinstance(stored, Sequence) and name in stored}
    return [written, _expecting(_step(reading), {"http": {"expect": {"body": {"$includes": kept}}}})]


def _expected(status: Json) -> Table:
    """The status of a protocol: a number over HTTP, a name over gRPC."""
    if isinstance(status, int):
        return {"http": {"expect": {"status": status}}}
    return {"grpc": {"expect": {"code": status}}}
