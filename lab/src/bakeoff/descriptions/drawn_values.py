"""Values of messages and parameters: JSON in which texts, numbers and truth values may differ in each request."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias
from urllib.parse import quote

from bakeoff.documents.checked import Json

Quote: TypeAlias = Callable[[str], str]

# Slots whose value is another one in each place.
_DRAWING = re.compile(r"\$\{(uuid|integer|decimal|choice|alphanumeric|date)\b")


@dataclass(frozen=True)
class Slot:
    """A slot of a template: `samples` are values that it may take, the extreme ones among them.

    One with a `name` can be repeated by it.
    """

    text: str
    samples: Sequence[str]
    choices: Sequence[str] = ()
    name: str = ""

    @property
    def draws(self) -> bool:
        return bool(self.choices) or _DRAWING.match(self.text) is not None

    def quoted(self, quote: Quote) -> str:
        """Its template, in which `quote` writes the texts of a choice: these hold no bars and braces then."""
        text = f"${{choice {'|'.join(quote(each) for each in self.choices)}}}" if self.choices else self.text
        return f"${{{self.name}={text[2:]}" if self.name else text


@dataclass(frozen=True)
class Drawn:
    """A text, or with `is_bare` a number or a truth value: parts as they are, and slots."""

    parts: Sequence[str | Slot]
    is_bare: bool = False

    def sample(self, number: int = 0) -> str:
        """One of its values, as text."""
        return "".join(
            part if isinstance(part, str) else part.samples[number % len(part.samples)] for part in self.parts
        )

    @property
    def samples(self) -> Sequence[str]:
        """Values with the extremes of its slots."""
        return [self.sample(number) for number in range(max([1, *(len(each.samples) for each in self._slots)]))]

    def quoted(self, quote: Quote, in_choice: Quote | None = None) -> str:
        """Its template, in which `quote` writes all that is not drawn, and `in_choice` the texts of choices."""
        return "".join(quote(part) if isinstance(part, str) else part.quoted(in_choice or quote) for part in self.parts)

    def named(self, name: str) -> "Drawn":
        """The same, with a name for each value that is drawn."""
        return self._with_each(name, lambda slot, own: replace(slot, name=own))

    def again(self, name: str) -> "Drawn":
        """What `named` makes with this name, once more."""
        return self._with_each(name, lambda slot, own: Slot(f"${{value.{own}}}", slot.samples))

    def _with_each(self, name: str, change: Callable[[Slot, str], Slot]) -> "Drawn":
        drawing = [index for index, part in enumerate(self.parts) if isinstance(part, Slot) and part.draws]
        names = {index: f"{name}_{count}" if count else name for count, index in enumerate(drawing)}
        parts = [
            change(part, names[index]) if isinstance(part, Slot) and index in names else part
            for index, part in enumerate(self.parts)
        ]
        return Drawn(parts, self.is_bare)

    @property
    def _slots(self) -> list[Slot]:
        return [part for part in self.parts if isinstance(part, Slot)]


Value: TypeAlias = "Drawn | Mapping[str, Value] | Sequence[Value] | None"


def literal(value: Json) -> Value:
    """A value that is always the same."""
    if value is None:
        return None
    if isinstance(value, str):
        return Drawn([value])
    if isinstance(value, Mapping):
        return {str(name): literal(each) for name, each in value.items()}
    if isinstance(value, Sequence):
        return [literal(each) for each in value]
    return Drawn([json.dumps(value)], is_bare=True)


def choice(values: Sequence[Json]) -> Value:
    """One of some values: drawn where all are texts, or all are numbers or truth values; else the first."""
    values = [each for index, each in enumerate(values) if each not in values[:index] or isinstance(each, bool)]
    are_texts = all(isinstance(each, str) for each in values)
    are_bare = all(isinstance(each, bool | int | float) for each in values)
    texts = [each if isinstance(each, str) else json.dumps(each) for each in values]
    if len(values) > 1 and (are_texts or are_bare):
        return Drawn([Slot("", texts, texts)], is_bare=are_bare)
    return literal(values[0]) if values else None


def sample_of(value: Value, number: int = 0) -> Json:
    """A JSON value that it can take."""
    if isinstance(value, Drawn):
        text = value.sample(number)
        return json.loads(text) if value.is_bare else text
    if isinstance(value, Mapping):
        return {name: sample_of(each, number) for name, each in value.items()}
    return None if value is None else [sample_of(each, number) for each in value]


def json_template(value: Value) -> str:
    """The template of its JSON text."""
    if isinstance(value, Drawn):
        return value.quoted(str) if value.is_bare else f'"{value.quoted(_in_json, _in_choice)}"'
    if isinstance(value, Mapping):
        return "{" + ",".join(f'"{_in_json(name)}":{json_template(each)}' for name, each in value.items()) + "}"
    return "null" if value is None else "[" + ",".join(map(json_template, value)) + "]"


def json_text(value: Value) -> Drawn:
    """Its JSON as a text, such as one within a form."""
    return Drawn(_joined(_json_parts(value)))


def as_text(value: Value) -> Drawn:
    """A value as one text: itself, or its JSON."""
    if isinstance(value, Drawn):
        return Drawn(value.parts)
    return Drawn([""]) if value is None else json_text(value)


def percent(text: str, safe: str = "") -> str:
    """A text as it stands in a URL."""
    return quote(text, safe=safe)


def header_template(value: Drawn) -> str:
    """The template of a header: other bytes than visible ASCII are escaped as in URLs."""
    return value.quoted(
        lambda text: quote(text, safe=_VISIBLE).replace("${", "$%7B"), lambda text: quote(text, safe=_OF_CHOICES)
    )


_OF_CHOICES = " !\"#$%&'()*+,/:;<=>?@[\\]^`~"
_VISIBLE = f"{_OF_CHOICES}{{|}}"


def _in_json(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)[1:-1].replace("${", "\\u0024{")


def _in_choice(text: str) -> str:
    return _in_json(text).translate({ord("|"): "\\u007c", ord("{"): "\\u007b", ord("}"): "\\u007d"})


def _json_parts(value: Value) -> list[str | Slot]:
    if isinstance(value, Drawn):
        return list(value.parts) if value.is_bare else ['"', *map(_part_in_json, value.parts), '"']
    if isinstance(value, Mapping):
        members: list[str | Slot] = ["{"]
        for index, (name, each) in enumerate(value.items()):
            members += [f'{"," if index else ""}"{_in_json(name)}":', *_json_parts(each)]
        return [*members, "}"]
    if value is None:
        return ["null"]
    items: list[str | Slot] = ["["]
    for index, each in enumerate(value):
        items += [*([","] if index else []), *_json_parts(each)]
    return [*items, "]"]


def _part_in_json(part: str | Slot) -> str | Slot:
    if isinstance(part, str):
        return _in_json(part)
    return replace(part, samples=list(map(_in_json, part.samples)), choices=list(map(_in_json, part.choices)))


def _joined(parts: Sequence[str | Slot]) -> list[str | Slot]:
    whole: list[str | Slot] = []
    for part in parts:
        if whole and isinstance(part, str) and isinstance(whole[-1], str):
            whole[-1] += part
        else:
            whole.append(part)
    return whole
