"""Changes of operations that a probe tries, and how a workload's table writes them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import msgspec
from msgspec.structs import replace

from bakeoff.documents.checked import Json
from bakeoff.workload.declaration import GrpcCall, HttpCall, Operation

_SLOT = re.compile(r"\$\{[^{}]*\}")
_MARK = "\x00{}\x00"


@dataclass(frozen=True)
class Change:
    """Operations as they would be, by name, and `words` for a person.

    `steps` are names of operations that must be sent before the changed one, to one entity. With `about`, a name, it
    also helps if the service then complains of something else.
    """

    words: str
    operations: Mapping[str, Operation]
    steps: Sequence[str] = ()
    about: str = ""


def with_call(operation: Operation, protocol: str, **members: object) -> Operation:
    """The operation with other members of its call."""
    call = operation.call(protocol)
    assert call is not None
    return replace(operation, **{protocol: replace(call, **members)})


def with_header(operation: Operation, protocol: str, name: str, value: str) -> Operation:
    call = operation.call(protocol)
    if isinstance(call, HttpCall):
        return with_call(operation, protocol, headers={**call.headers, name: value})
    assert isinstance(call, GrpcCall)
    return with_call(operation, protocol, metadata={**call.metadata, name.lower(): value})


def with_capture(operation: Operation, protocol: str, name: str, place: str) -> Operation:
    call = operation.call(protocol)
    assert call is not None
    return with_call(operation, protocol, capture={**call.capture, name: place})


def with_message(operation: Operation, protocol: str, message: str) -> Operation:
    call = operation.call(protocol)
    if call is not None and call.message is not None:
        return with_call(operation, protocol, message=message)
    return replace(operation, message=message)


def as_json(document: Json) -> str:
    """A document as JSON in a template: what looks like a slot in it is none."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).replace("${", r"\u0024{")


class MessageTemplate:
    """A JSON message with slots, as a document: each slot is a text in it, until it is written again."""

    def __init__(self, text: str) -> None:
        self._slots: list[str] = []
        self.document: Json = json.loads(self._marked(text))

    def written(self, document: Json) -> str:
        """A document as a template, its slots where they were: bare ones without quotes."""
        text = as_json(document)
        for index, slot in enumerate(self._slots):
            mark = json.dumps(_MARK.format(index))
            text = text.replace(mark[:-1] + 'n"', slot).replace(mark[1:-1], slot)
        return text

    def members(self) -> Iterator[tuple[str, str]]:
        """The members of the message, each as a template."""
        if isinstance(self.document, Mapping):
            yield from ((name, self.written(value)) for name, value in self.document.items())

    def at(self, path: Sequence[str]) -> Json:
        """The value at a path of the document."""
        value = self.document
        for name in path:
            value = _object(value)[name]
        return value

    def texts(self) -> Iterator[tuple[str, ...]]:
        """The paths of the texts in the message, which stand in quotes."""
        for path in paths_of(self.document):
            value = self.at(path)
            if isinstance(value, str) and not (value.startswith("\x00") and value.endswith("n")):
                yield path

    def without(self, *names: str) -> str:
        assert isinstance(self.document, Mapping)
        return self.written({key: value for key, value in self.document.items() if key not in names})

    def having(self, path: Sequence[str], value: str) -> str:
        """The template with the template of a value, as JSON, at a path of names."""
        self._slots.append(value)
        bare = _MARK.format(len(self._slots) - 1) + "n"
        return self.written(_replaced(self.document, path, bare))

    def _marked(self, text: str) -> str:
        def mark(found: re.Match[str]) -> str:
            self._slots.append(found.group())
            marked = json.dumps(_MARK.format(len(self._slots) - 1))[1:-1]
            # A slot that is a whole value without quotes needs them here.
            before = text[: found.start()]
            return marked if len(re.findall(r'(?<!\\)"', before)) % 2 else f'"{marked}n"'

        return _SLOT.sub(mark, text)


def paths_of(document: Json, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The paths of the members of a document, those of members of members too."""
    if isinstance(document, Mapping):
        for name, value in document.items():
            yield (*path, name)
            yield from paths_of(value, (*path, name))


def _replaced(document: Json, path: Sequence[str], value: Json) -> Json:
    if not path or not isinstance(document, Mapping):
        return value
    return {**document, path[0]: _replaced(document.get(path[0]), path[1:], value)}


def entry_of(changed: Operation, original: Operation | None, protocol: str) -> dict[str, Json]:
    """The entry of `operations` that makes the original, as described, the changed one; whole where there is none."""
    new = _members(changed)
    old = _members(Operation(name=changed.name) if original is None else original)
    entry = {name: value for name, value in new.items() if value != old.get(name) and name != protocol}
    call, old_call = _object(new.get(protocol)), _object(old.get(protocol))
    differing = {name: value for name, value in call.items() if value != old_call.get(name)}
    # A table that is empty now replaces the one that was described.
    differing |= {name: {} for name, value in old_call.items() if name not in call and isinstance(value, Mapping)}
    return {"name": changed.name, **entry, **({protocol: differing} if differing else {})}


def _members(operation: Operation) -> dict[str, Json]:
    members: dict[str, Json] = msgspec.to_builtins(operation)
    return {name: _said(value) for name, value in members.items() if _is_said(value)}


def _said(value: Json) -> Json:
    if isinstance(value, Mapping):
        return {name: _said(each) for name, each in value.items() if _is_said(each)}
    return value


def _is_said(value: Json) -> bool:
    return value is not None and (not isinstance(value, Sequence | Mapping) or len(value) > 0)


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, Mapping) else {}
