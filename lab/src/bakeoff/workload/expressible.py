"""Imported operations as the loader takes them: one that cannot be rendered is left out, with the reason."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bakeoff.descriptions.imported import ImportedApi, ImportedOperation
from bakeoff.documents.checked import Json
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.sendable import unsendable
from bakeoff.workload.slots import CapturedSlot, LoginSlot, slots_of
from bakeoff.workload.template import TemplateError, parse_template, without_white_space

_BASE_TIME_MS = 1_768_473_000_000


def expressible(api: ImportedApi) -> ImportedApi:
    """The API with the operations that can be sent; what needs one of the others is left out too."""
    reasons = {each.name: reason for each in api.operations if (reason := _why_not(each)) is not None}
    kept = [each for each in api.operations if each.name not in reasons]
    while True:
        created = {each.creates for each in kept}
        orphans = [each for each in kept if each.needs is not None and each.needs not in created]
        if not orphans:
            break
        reasons |= {each.name: f"no request creates the {each.needs}" for each in orphans}
        kept = [each for each in kept if each.name not in reasons]
    if not reasons:
        return api
    left_out = [*api.left_out, *(f"{name} is left out: {reason}." for name, reason in reasons.items())]
    lives = [each for each in api.lives if each.kind in {operation.creates for operation in kept}]
    return replace(api, operations=kept, left_out=left_out, lives=lives)


def _why_not(operation: ImportedOperation) -> str | None:
    """Why an operation cannot be rendered."""
    place, values = "", dict[str, str]()
    try:
        for place, template in _templates(operation):
            text = first_rendered(template, values=values)
            if place == "path" and (reason := unsendable(text)) is not None:
                return f"its path {reason}"
            if place == "message" and not operation.is_text:
                json.loads(text)
    except (TemplateError, ValueError) as error:
        return f"its {place} cannot be rendered: {' '.join(str(error).split()).rstrip('.')}"
    return None


def _templates(operation: ImportedOperation) -> Iterator[tuple[str, str]]:
    """The templates of a request, in the order in which they draw."""
    call: Mapping[str, Json] = operation.call
    if operation.message:
        yield "message", operation.message if operation.is_text else without_white_space(operation.message)
    if isinstance(path := call.get("path"), str):
        yield "path", path
    for member in ("headers", "metadata"):
        values = call.get(member)
        if isinstance(values, Mapping):
            yield from ((f"header {name}", str(value)) for name, value in values.items())


def first_rendered(template: str, empty: Sequence[str] = (), values: dict[str, str] | None = None) -> str:
    """The first text that a template makes; what replies will show is 1, which fits texts and numbers, or `empty`.

    `values` are those of named slots of earlier templates, and take those of this one.
    """
    segments = parse_template(template)
    captured = {slot.name: "" if slot.name in empty else "1" for slot in slots_of(segments, CapturedSlot)}
    login = {slot.name: "1" for slot in slots_of(segments, LoginSlot)}
    event = Event("00000000", 0, 0, _BASE_TIME_MS, key="1", captured=captured, login=login)
    event = event if values is None else replace(event, values=values)
    return render(segments, RandomNumbers(1, 0, 0), event)
