"""The rows of a target, and the effect of an entity update."""

import unicodedata
from typing import Any

from events import Entity, Rules, WithoutKind
from json_reader import Members, Number
from jsonb_text import object_text

from bakeoff.conformance.case import Case, Row

Document = dict[str, Any]

_MAXIMUM_LEVELS = 300
_MAXIMUM_EXPONENT_DIGITS = 4


class NotStorableError(Exception):
    """Text that PostgreSQL refuses, so that a target must refuse it first."""


class StoredState:
    """The rows of the table, in memory."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._documents: dict[tuple[str, str], Document] = {}

    def of(self, case: Case) -> list[Row]:
        """The rows that belong to the case, as jsonb text."""
        return [
            Row(key, object_text({name: _as_members(value) for name, value in document.items()}))
            for key, document in self._documents.items()
            if case.owns(key)
        ]

    def apply(self, entities: list[Entity]) -> None:
        """One transaction."""
        if "stored" not in self._rules:
            return
        if not all(_is_storable(entity.attributes) for entity in entities):
            raise NotStorableError
        for entity in entities if "entities-in-order" in self._rules else reversed(entities):
            self._apply(self._key(entity), self._plain(entity.attributes))

    def _key(self, entity: Entity) -> tuple[str, str]:
        kind, identity = (self._text(element) for element in entity.key)
        if "key-is-pair" in self._rules:
            return kind, identity
        return next((key for key in self._documents if key[1] == identity), (kind, identity))

    def _apply(self, key: tuple[str, str], update: Document) -> None:
        stored = self._documents.get(key, {}) if "merged" in self._rules else {}
        if "last-write-wins" not in self._rules:
            self._documents[key] = update | stored
        elif "merged-shallowly" not in self._rules:
            self._documents[key] = _merged_deeply(stored, update)
        else:
            self._documents[key] = stored | update
        if "null-is-stored" not in self._rules:
            self._documents[key] = {name: value for name, value in self._documents[key].items() if value is not None}

    def _plain(self, value: Any) -> Any:
        """The value with one member of each name, and as this target would store it."""
        if isinstance(value, Members):
            pairs = value.pairs if "last-duplicate-wins" in self._rules else reversed(value.pairs)
            return {self._text(name): self._plain(member) for name, member in pairs}
        if isinstance(value, list):
            return [self._plain(element) for element in value]
        if isinstance(value, Number):
            return self._number(value)
        if isinstance(value, WithoutKind):
            return None
        return self._text(value) if isinstance(value, str) else value

    def _number(self, number: Number) -> Number:
        if number.text in ("nan", "inf", "-inf"):
            return Number("0")
        return number if "number-text" in self._rules else Number(shortest(float(number.text), self._rules))

    def _text(self, text: str) -> str:
        text = text.replace("\0", "").encode("utf-8", "replace").decode()
        return text if "text-unchanged" in self._rules else unicodedata.normalize("NFC", text).strip().casefold()


def shortest(number: float, rules: Rules) -> str:
    """The shortest decimal that reads back as the same double."""
    if "shortest-number" not in rules:
        return f"{number:.17g}"
    text = repr(number)
    return text.removesuffix(".0") if "integral-number" in rules else text


def _merged_deeply(stored: Any, update: Any) -> Any:
    if not (isinstance(stored, dict) and isinstance(update, dict)):
        return update
    return stored | {name: _merged_deeply(stored.get(name), value) for name, value in update.items()}


def _as_members(value: Any) -> Any:
    if isinstance(value, dict):
        return Members([(name, _as_members(member)) for name, member in value.items()])
    if isinstance(value, list):
        return [_as_members(element) for element in value]
    return value


def _is_storable(root: Members) -> bool:
    """Far below what PostgreSQL can hold, far above what the contract allows."""
    rest: list[tuple[Any, int]] = [(root, 1)]
    while rest:
        value, level = rest.pop()
        if isinstance(value, Number):
            exponent = value.text.lower().partition("e")[2]
            if len(exponent.lstrip("+-")) > _MAXIMUM_EXPONENT_DIGITS:
                return False
        elif isinstance(value, Members | list):
            if level > _MAXIMUM_LEVELS:
                return False
            children = [child for _, child in value.pairs] if isinstance(value, Members) else value
            rest += [(child, level + 1) for child in children]
    return True
