"""Which rule an event breaks first: the README's table as code, every rule of it switchable."""

import math
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from json_reader import Members, Number
from timestamps import is_epoch, is_timestamp

Rules = Collection[str]

_HEX_UUID = "[0-9a-f]{8}-[0-9a-f]{4}-%s[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}"
_KNOWN_NAMES = ("CarCreated", "LoanCreated", "LoanPaymentSubmitted", "CarServiceDone")
_MAXIMUM_NAME = 100
_MAXIMUM_ID = 255
_MAXIMUM_ENTITIES = 1000
_MAXIMUM_DEPTH = 32
_MAXIMUM_LITERAL = 1100
_MAXIMUM_EXPONENT = 1100
_SURROGATE = re.compile("[\ud800-\udfff]")


class WithoutKind:
    """A google.protobuf.Value in which nothing is set."""


@dataclass(frozen=True)
class Entity:
    """A valid entity update."""

    key: tuple[str, str]
    attributes: Members


def entities_of(event: Members, rules: Rules) -> list[Entity]:
    """The entity updates of an event, in order, up to the first that is none."""
    entities = []
    for entry in _elements(_member(_member(event, "eventBody"), "entities")):
        kind, identity, attributes = (_member(entry, name) for name in ("entityType", "entityId", "updatedAttributes"))
        if any(_entity_problems("", entry, rules)):
            break
        key = (str(kind or ""), str(identity or ""))
        entities.append(Entity(key, attributes if isinstance(attributes, Members) else Members()))
    return entities


def first_problem(event: Members, rules: Rules) -> str | None:
    """The message about the rule that the event breaks, or None."""
    problems = list(_event_problems(event, rules))
    if not problems:
        return None
    return problems[0 if "first-broken-rule" in rules else -1]


def _event_problems(event: Members, rules: Rules) -> Iterator[str]:
    yield from _names(event, "", ("eventHeader", "eventBody"), rules)
    header, body = _member(event, "eventHeader"), _member(event, "eventBody")
    yield from _required_object(header, "eventHeader", "header-required", "header-kind", rules)
    yield from _required_object(body, "eventBody", "body-required", "event-body-kind", rules)
    if isinstance(header, Members):
        yield from _header_problems(header, rules)
    if isinstance(body, Members):
        yield from _body_problems(body, rules)


def _header_problems(header: Members, rules: Rules) -> Iterator[str]:
    names = ("uuid", "eventName", "createdDate", "savedDate", "eventType")
    yield from _names(header, "eventHeader.", names, rules)
    uuid, name, created, saved, kind = (_member(header, field) for field in names)
    yield from _text(uuid, "eventHeader.uuid", "uuid-required", None, rules)
    if isinstance(uuid, str) and (uuid or "empty-is-absent" not in rules) and not _is_uuid(uuid, rules):
        yield "eventHeader.uuid: must be a UUID"
    yield from _text(name, "eventHeader.eventName", "event-name-required", ("event-name-length", _MAXIMUM_NAME), rules)
    if isinstance(name, str) and name and "event-name-open" not in rules and name not in _KNOWN_NAMES:
        yield "eventHeader.eventName: unknown"
    yield from _date(created, "eventHeader.createdDate", rules)
    yield from _date(saved, "eventHeader.savedDate", rules)
    yield from _text(kind, "eventHeader.eventType", "", ("event-type-length", _MAXIMUM_NAME), rules)
    if "optional-header-fields" not in rules and any(field in (None, Absent) for field in (created, saved, kind)):
        yield "eventHeader: incomplete"


def _body_problems(body: Members, rules: Rules) -> Iterator[str]:
    yield from _names(body, "eventBody.", ("entities",), rules)
    entities = _member(body, "entities")
    path = "eventBody.entities"
    is_absent = entities is Absent or (entities is None and "null-is-absent" in rules)
    if not is_absent and not isinstance(entities, list) and "entities-kind" in rules:
        yield f"{path}: must be an array"
        return
    count = len(_elements(entities))
    maximum = _MAXIMUM_ENTITIES - ("inclusive-limits" not in rules)
    if (count == 0 and "entities-required" in rules) or (count > maximum and "entities-maximum" in rules):
        yield f"{path}: must hold 1 to {_MAXIMUM_ENTITIES} entities"
    for index, entity in enumerate(_elements(entities)):
        shown_index = index if "path-has-index" in rules else 0
        yield from _entity_problems(f"{path}[{shown_index}]", entity, rules)


def _entity_problems(path: str, entity: Any, rules: Rules) -> Iterator[str]:
    if not isinstance(entity, Members):
        if "entity-kind" in rules:
            yield f"{path}: must be an object"
        return
    yield from _names(entity, f"{path}.", ("entityType", "entityId", "updatedAttributes"), rules)
    kind, identity, attributes = (_member(entity, name) for name in ("entityType", "entityId", "updatedAttributes"))
    yield from _text(kind, f"{path}.entityType", "entity-type-required", ("entity-type-length", _MAXIMUM_NAME), rules)
    yield from _text(identity, f"{path}.entityId", "entity-id-required", ("entity-id-length", _MAXIMUM_ID), rules)
    path += ".updatedAttributes"
    yield from _required_object(attributes, path, "attributes-required", "attributes-kind", rules)
    if isinstance(attributes, Members):
        if not attributes.pairs and "attributes-may-be-empty" not in rules:
            yield f"{path}: required"
        yield from _attribute_problems(path, attributes, rules)


def _attribute_problems(path: str, attributes: Members, rules: Rules) -> Iterator[str]:
    deepest = _depth(attributes) if "depth-is-nesting" in rules else sum(_is_nested(v) for v in _walk(attributes))
    if deepest > _MAXIMUM_DEPTH - ("inclusive-limits" not in rules) and "depth" in rules:
        yield f"{path}: nested deeper than {_MAXIMUM_DEPTH} levels"
        return
    for value in _walk(attributes):
        if isinstance(value, str):
            yield from _storable(value, path, rules)
        elif isinstance(value, Number) and not _is_in_range(value.text, rules):
            yield f"{path}: contains a number outside the double range"
        elif isinstance(value, WithoutKind) and "value-kind" in rules:
            yield f"{path}: contains a value without a kind"


def _names(container: Members, path: str, known: Collection[str], rules: Rules) -> Iterator[str]:
    names = [name for name, _ in container.pairs]
    if "duplicate-fields" in rules:
        yield from (f"{path}{name}: duplicate field" for name in known if names.count(name) > 1)
    if "unknown-fields-ignored" not in rules:
        yield from (f"{path}{name}: unknown field" for name in names if name not in known)


def _required_object(value: Any, path: str, required: str, kind: str, rules: Rules) -> Iterator[str]:
    if isinstance(value, Members):
        return
    is_absent = value is None and "null-is-absent" in rules
    if is_absent or value is Absent or kind not in rules:
        if required in rules:
            yield f"{path}: required"
    else:
        yield f"{path}: must be an object"


def _text(value: Any, path: str, required: str, length: tuple[str, int] | None, rules: Rules) -> Iterator[str]:
    is_absent = value is Absent or (value is None and "null-is-absent" in rules)
    if is_absent or (value == "" and "empty-is-absent" in rules):
        if required in rules:
            yield f"{path}: required"
    elif not isinstance(value, str):
        if "string-kind" in rules or value is None:
            yield f"{path}: must be a string"
    else:
        yield from _storable(value, path, rules)
        if length is not None and length[0] in rules:
            maximum = length[1] - ("inclusive-limits" not in rules)
            if _characters(value, rules) > maximum:
                yield f"{path}: must have at most {length[1]} characters"


def _date(value: Any, path: str, rules: Rules) -> Iterator[str]:
    if value is Absent or (value is None and "null-is-absent" in rules) or (value == "" and "empty-is-absent" in rules):
        return
    if isinstance(value, str):
        yield from _storable(value, path, rules)
    if "timestamp" not in rules:
        return
    is_valid = is_timestamp(value, rules) if isinstance(value, str) else False
    if isinstance(value, Number):
        is_valid = is_epoch(value.text, rules)
    if not is_valid:
        yield f"{path}: must be an RFC 3339 timestamp or epoch milliseconds"


def _storable(text: str, path: str, rules: Rules) -> Iterator[str]:
    if "\0" in text and "nul" in rules:
        yield f"{path}: contains \\u0000, which cannot be stored"
    if _SURROGATE.search(text) and "lone-surrogate" in rules:
        yield f"{path}: contains a lone surrogate, which cannot be stored"


def _is_uuid(text: str, rules: Rules) -> bool:
    if "uuid-format" not in rules:
        return True
    pattern = _HEX_UUID % ("[0-9a-f]" if "uuid-any-version" in rules else "4")
    return bool(re.fullmatch(pattern, text.lower() if "uuid-any-case" in rules else text, re.ASCII))


def _is_in_range(literal: str, rules: Rules) -> bool:
    if literal in ("nan", "inf", "-inf"):
        return "number-range" not in rules
    if len(literal) > _MAXIMUM_LITERAL - ("inclusive-limits" not in rules) and "number-length" in rules:
        return False
    number = float(literal)
    mantissa, _, exponent = literal.lower().partition("e")
    is_zero = not any(digit in "123456789" for digit in mantissa)
    if math.isinf(number) or (number == 0 and not is_zero):
        return "number-range" not in rules
    if abs(int(exponent or 0)) > _MAXIMUM_EXPONENT - ("inclusive-limits" not in rules) and "number-exponent" in rules:
        return False
    if is_zero:
        return "zero-is-a-number" in rules or literal == "0"
    return "whole-number-range" in rules or 1e-300 < abs(number) < 1e300


def _characters(text: str, rules: Rules) -> int:
    if "characters-are-code-points" in rules:
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def _walk(root: Any) -> Iterator[Any]:
    """All values, and all names as the texts they are."""
    rest = [root]
    while rest:
        value = rest.pop()
        yield value
        if isinstance(value, Members):
            rest += [part for pair in value.pairs for part in pair]
        elif isinstance(value, list):
            rest += value


def _depth(root: Any) -> int:
    deepest = 0
    rest = [(root, 1)]
    while rest:
        value, level = rest.pop()
        if _is_nested(value):
            deepest = max(deepest, level)
            children = [child for _, child in value.pairs] if isinstance(value, Members) else value
            rest += [(child, level + 1) for child in children]
    return deepest


def _is_nested(value: Any) -> bool:
    return isinstance(value, Members | list)


class Absent:
    """Stands for a field that is not there; null is None."""


def _member(container: Any, name: str) -> Any:
    """The value of a field; the last one, where a target lets it win."""
    if not isinstance(container, Members):
        return Absent
    return next((value for found, value in reversed(container.pairs) if found == name), Absent)


def _elements(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
