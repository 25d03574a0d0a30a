"""Finds what a workload names and does not have: kinds of keys, captures, operations, slots and members of messages.

Each is an error of the author's that conformance would show late, or a run never.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bakeoff.closed_toml import Place
from bakeoff.documents import Document
from bakeoff.hints import hint
from bakeoff.workload.messages import message_of, place_of_message
from bakeoff.workload.template import Slot, TemplateError, parse_template, slots_named

_PROTOCOLS = ("http", "grpc")
# Values that make every template a text of the right kind: bare or in quotes, a number can stand anywhere.
_ANY_VALUE = "0"


@dataclass(frozen=True)
class Problem:
    """What is wrong at a place of workload.toml. `text` is what to look for below it, where that is known."""

    place: Place
    words: str
    text: str = ""


def problems_of(document: Document) -> Iterator[Problem]:
    """Everything that a workload names and does not have."""
    operations: Sequence[Document] = document["operations"]
    names = [operation["name"] for operation in operations]
    for index, operation in enumerate(operations):
        if operation["name"] in names[:index]:
            yield Problem(("operations", index), f"two operations are named {operation['name']}. Names must differ.")
        for problem in _problems_of(document, operation):
            place = ("operations", index, *problem.place)
            yield Problem(place, f"operation {operation['name']}: {problem.words}", problem.text)
    for mix, weights in document.get("mixes", {}).items():
        for name in weights:
            if name not in names:
                words = f"the mix {mix} names the operation {name}, which does not exist."
                yield Problem(("mixes", mix, name), f"{words} {hint(name, names, 'Operations')}")


def _problems_of(document: Document, operation: Document) -> Iterator[Problem]:
    keys = list(document.get("keys", {}))
    if "key" in operation and operation["key"] not in keys:
        unknown = operation["key"]
        yield Problem(("key",), f'key = "{unknown}", but [keys] has no such kind. {hint(unknown, keys, "Kinds")}')
    yield from _needs(document, operation)
    yield from _templates(document, operation)
    yield from _members(operation)


def _needs(document: Document, operation: Document) -> Iterator[Problem]:
    needed = operation.get("needs")
    if needed is None:
        return
    creators = [each for each in document["operations"] if "creates" in each]
    kinds = list(dict.fromkeys(each["creates"] for each in creators))
    if needed not in kinds:
        words = f'needs = "{needed}", but no operation creates that.'
        yield Problem(("needs",), f"{words} {hint(needed, kinds, 'Created are')}")
        return
    for protocol in _PROTOCOLS:
        if protocol in operation and not any(protocol in each for each in creators if each["creates"] == needed):
            yield Problem((protocol,), f'needs "{needed}", which no operation with a {protocol} table creates.')


def _templates(document: Document, operation: Document) -> Iterator[Problem]:
    """Slots that nothing fills, in the message, the requests, the replies and the keys of the stored document."""
    for protocol in [each for each in _PROTOCOLS if each in operation]:
        table = operation[protocol]
        captured = _captured_by_needed(document, operation, protocol)
        logins = _captured_by_login(document, protocol)
        for place, template in _of_requests(operation, protocol):
            yield from _slots(place, template, operation, captured, None if place[-1] == "message" else logins)
        for pointer, value in table.get("reply", {}).items():
            if isinstance(value, str):
                yield from _slots((protocol, "reply", pointer), value, operation, captured, None)
        for name, names in (("effect", [*table.get("capture", {}), *captured]), ("reads", captured)):
            for part in operation.get(name, {}).get("key", []):
                yield from _slots((name,), part, operation, names, None)


def _of_requests(operation: Document, protocol: str) -> Iterator[tuple[Place, str]]:
    table = operation[protocol]
    message = message_of(operation, protocol)
    if message is not None:
        yield place_of_message(operation, protocol), message
    if "path" in table:
        yield (protocol, "path"), table["path"]
    for entry in ("headers", "metadata"):
        for name, value in table.get(entry, {}).items():
            yield (protocol, entry, name), value


def _captured_by_needed(document: Document, operation: Document, protocol: str) -> list[str]:
    creators = [each for each in document["operations"] if each.get("creates") == operation.get("needs", object())]
    tables = [each[protocol].get("capture", {}) for each in creators if protocol in each]
    return [name for name in (tables[0] if tables else {}) if all(name in table for table in tables)]


def _captured_by_login(document: Document, protocol: str) -> list[str]:
    logins = [each for each in document["operations"] if each.get("login") and protocol in each]
    return [name for each in logins for name in each[protocol].get("capture", {})]


def _slots(
    place: Place, template: str, operation: Document, captured: Sequence[str], logins: Sequence[str] | None
) -> Iterator[Problem]:
    """What is wrong with the slots of one template. `logins` of None: logins fill nothing here."""
    try:
        segments = parse_template(template)
    except TemplateError as error:
        yield Problem(place, error.message, _unknown_slot(template))
        return
    if slots_named(segments, "key") and "key" not in operation:
        yield Problem(place, "${key} is the operation's key, but it has none: add key = …, a kind of [keys].", "${key}")
    for slot in slots_named(segments, "captured"):
        if slot["name"] not in captured:
            yield Problem(place, _not_captured(slot, operation, captured), f"${{captured.{slot['name']}}}")
    named = list(_named_slots(operation))
    for slot in slots_named(segments, "value"):
        if slot["name"] not in named:
            words = f"no slot of the operation is named {slot['name']}. {hint(slot['name'], named, 'Named are')}"
            yield Problem(place, f"${{value.{slot['name']}}}: {words}", f"${{value.{slot['name']}}}")
    for slot in slots_named(segments, "login"):
        text = f"${{login.{slot['name']}}}"
        if logins is None:
            yield Problem(place, f"{text} stands in headers, metadata and paths only.", text)
        elif slot["name"] not in logins:
            words = f"no operation with login = true captures {slot['name']}."
            yield Problem(place, f"{text}: {words} {hint(slot['name'], logins, 'Captured are')}", text)


def _named_slots(operation: Document) -> Iterator[str]:
    """Names of slots, such as page of `${page=integer 1 9}`, wherever an operation's requests have them."""
    templates = [text for each in _PROTOCOLS if each in operation for _, text in _of_requests(operation, each)]
    for template in templates:
        yield from re.findall(r"\$\{(\w+)=", template)


def _not_captured(slot: Slot, operation: Document, captured: Sequence[str]) -> str:
    text, needed = f"${{captured.{slot['name']}}}", operation.get("needs")
    if needed is None and not captured:
        return f'{text}: nothing is captured for it. Add needs = "…", the kind that another operation creates.'
    source = f"what creates {needed}" if needed is not None else "the operation"
    return f"{text}: {source} does not capture {slot['name']}. {hint(slot['name'], captured, 'Captured are')}"


def _unknown_slot(template: str) -> str:
    """The slot that is not one, for the line that it stands on."""
    for found in re.finditer(r"\$\{[^{}]*\}", template):
        try:
            parse_template(found.group())
        except TemplateError:
            return found.group()
    return ""


def _members(operation: Document) -> Iterator[Problem]:
    """A message that is no JSON, and a stored document that is no part of it."""
    if operation.get("body") == "text":
        return
    messages = {place_of_message(operation, each): message_of(operation, each) for each in _PROTOCOLS}
    for place, message in messages.items():
        if message is not None and message.strip():
            yield from _members_of(operation, place, message)


def _members_of(operation: Document, place: Place, message: str) -> Iterator[Problem]:
    try:
        document = json.loads(filled(message.strip()))
    except ValueError as error:
        yield Problem(place, f"the message is not JSON when its slots are filled: {error}.")
        return
    effect = operation.get("effect", {})
    pointer = effect.get("document")
    if pointer is not None:
        yield from _pointer(document, pointer, effect.get("members", []))


def _pointer(document: Any, pointer: str, stored: Sequence[str]) -> Iterator[Problem]:
    reached = ""
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        members = _members_by_name(document)
        if name not in members:
            words = f'document = "{pointer}", but the message has no {name} at "{reached}".'
            yield Problem(("effect",), f"{words} {hint(name, list(members), 'Members there')}")
            return
        document, reached = members[name], f"{reached}/{part}"
    known = _members_by_name(document)
    for name in stored:
        if name not in known:
            words = f'members names {name}, but the message has none at "{reached}".'
            yield Problem(("effect",), f"{words} {hint(name, list(known), 'Members there')}", f'"{name}"')


def _members_by_name(document: Any) -> Mapping[str, Any]:
    if isinstance(document, list):
        return {str(index): element for index, element in enumerate(document)}
    return document if isinstance(document, dict) else {}


def filled(message: str) -> str:
    """The message with a value in the place of each slot."""
    return re.sub(r"\$\{([a-z]+) ?([^{}]*)\}", lambda found: _value(found[1], found[2]), message)


def _value(slot: str, arguments: str) -> str:
    if slot == "choice":
        return arguments.split("|")[0]
    return "" if slot == "fill" else _ANY_VALUE
