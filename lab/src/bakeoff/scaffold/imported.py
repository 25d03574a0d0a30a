"""An API as an OpenAPI document or a proto file describes it, in the words of a workload."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from bakeoff.documents.checked import Json
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import parse_template

Table: TypeAlias = Mapping[str, Json]

# Of an entity that a user reads as often as it writes.
READ_WEIGHT = 3


@dataclass(frozen=True)
class ImportedOperation:
    """One `[[operations]]` of the workload. `about` is what the description says of it, `call` its request."""

    name: str
    call: Table
    about: str = ""
    weight: int = 1
    creates: str | None = None
    needs: str | None = None
    message: str | None = None
    is_text: bool = False
    is_login: bool = False
    effect: Table | None = None
    reads: Table | None = None


@dataclass(frozen=True)
class ImportedApi:
    """The source of a new workload.

    - `health`: what [health] says for the protocol.
    - `address`: where the API answers, as the description says, or None.
    - `left_out`: operations that are not in the workload, each with the reason.
    - `advice`: what a person must decide.
    - `cases`: conformance cases as vectors hold them.
    """

    title: str
    protocol: str
    health: Table
    operations: Sequence[ImportedOperation]
    cases: Sequence[Table] = ()
    left_out: Sequence[str] = ()
    advice: Sequence[str] = ()
    address: str | None = None
    files: Mapping[str, str] = field(default_factory=dict)
    proto: str | None = None

    @property
    def read_back(self) -> Sequence[str]:
        """The operations that can read entities back without a login: they make an audit without a database."""
        reading = (each for each in self.operations if each.reads is not None and "absent" in each.reads)
        return [each.name for each in reading if "${login." not in json.dumps(each.call)]


def sample(template: str, number: int = 0) -> Json:
    """A document that a message template can make; its captured values stay slots, for steps to fill."""
    slots = re.findall(r"\$\{(?:captured|login)\.[^{}]*\}", template)
    text = template
    for index, slot in enumerate(slots):
        # A number stands bare in JSON, and a marker must do so too.
        text = text.replace(slot, str(_marker(index)), 1)
    numbers = RandomNumbers(1, number, 0)
    document = json.loads(render(parse_template(text), numbers, Event("00000000", 0, number, 1_768_473_000_000)))
    return _with_slots(document, {str(_marker(index)): slot for index, slot in enumerate(slots)})


def _marker(index: int) -> int:
    return 7_000_000_000_000_000 + index


def _with_slots(value: Json, slots: Mapping[str, str]) -> Json:
    if isinstance(value, Mapping):
        return {name: _with_slots(each, slots) for name, each in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_with_slots(each, slots) for each in value]
    return slots.get(str(value), value)


def life_of(kind: str, operations: Sequence[ImportedOperation], missing: Json, *, compares: bool) -> Table | None:
    """A case of create, read, update and delete of a kind of entity; None where nothing creates and reads it.

    `missing` is the status of a read after the deletion, None where the description has none. With `compares` a read
    must show what was sent.
    """
    create = next((each for each in operations if each.creates == kind), None)
    needing = [each for each in operations if each.needs == kind]
    reading = next((each for each in needing if each.weight == READ_WEIGHT), None)
    if create is None or reading is None:
        return None
    delete = next((each for each in needing if (each.effect or {}).get("kind") == "delete"), None)
    updating = [each for each in needing if each.message is not None and each not in (reading, delete)]
    update = next(iter(updating), None)
    steps: list[Table] = [_step(each) for each in operations if each.is_login]
    steps += _written_and_read(create, reading, 0, compares=compares)
    if update is not None:
        steps += _written_and_read(update, reading, 1, compares=compares)
    if delete is not None:
        steps.append(_step(delete))
        if missing is not None:
            steps.append({**_step(reading), **_expected(missing)})
    return {
        "name": f"life-of-{re.sub(r'[^a-z0-9]+', '-', kind.lower()).strip('-')}",
        "rule": "kept",
        "profile": "core",
        "why": "what is created is found, until it is deleted",
        "steps": steps,
    }


def _step(operation: ImportedOperation, number: int = 0) -> Table:
    if operation.message is None:
        return {"operation": operation.name}
    message = operation.message if operation.is_text else sample(operation.message, number)
    return {"operation": operation.name, "message": message}


def _written_and_read(
    writing: ImportedOperation, reading: ImportedOperation, number: int, *, compares: bool
) -> Sequence[Table]:
    written = _step(writing, number)
    if not compares or writing.is_text:
        return [written, _step(reading)]
    return [written, {**_step(reading), "http": {"expect": {"body": {"$includes": written["message"]}}}}]


def _expected(missing: Json) -> Table:
    """The status of a protocol: a number over HTTP, a name over gRPC."""
    if isinstance(missing, int):
        return {"http": {"expect": {"status": missing}}}
    return {"grpc": {"expect": {"code": missing}}}
