"""The template language of formats/README.md: text with slots → segments."""

import datetime
import re
from collections.abc import Callable, Mapping
from decimal import Decimal, InvalidOperation
from functools import partial

from bakeoff.errors import BakeoffError
from bakeoff.text.hints import hint
from bakeoff.workload import slots
from bakeoff.workload.slots import AnySlot, BareSlot, NamedSlot, Segments

_SLOT = re.compile(r"\$\{([^{}]*)\}")
_NAMED = re.compile(r"([a-zA-Z0-9_]+)=(.*)", re.DOTALL)
# In place of a number: the rows of the workload's seed, which only the compiler of a plan knows.
SEEDED = "seeded"
_UNKNOWN_ROWS = 2
# Enough to reach a third of ten thousand values, and short enough for a plan.
_QUANTILES = 4096
_STRING_OR_SLOT_OR_SPACE = re.compile(r'"(?:[^"\\]|\\.)*"|\$\{[^{}]*\}|\s+')


class TemplateError(BakeoffError):
    """A template with an unknown or malformed slot."""


def parse_template(text: str) -> Segments:
    """Segments of a template: literal strings and slots as a plan holds them; `fill` is left for the compiler."""
    segments: Segments = []
    position = 0
    for match in _SLOT.finditer(text):
        append_literal(segments, text[position : match.start()])
        segments.append(_parse_slot(match.group(1)))
        position = match.end()
    append_literal(segments, text[position:])
    return segments


def append_literal(segments: Segments, text: str) -> None:
    """Adds a literal, joined to the one before it."""
    if not text:
        return
    if segments and isinstance(segments[-1], str):
        segments[-1] += text
    else:
        segments.append(text)


def without_white_space(json_text: str) -> str:
    """JSON text (slots included) without the white space between its tokens."""
    return _STRING_OR_SLOT_OR_SPACE.sub(
        lambda found: "" if found.group().isspace() else found.group(), json_text.strip()
    )


def _parse_slot(inside: str) -> AnySlot:
    if named := _NAMED.match(inside):
        return NamedSlot(named[1], _parse_bare_slot(named[2]))
    return _parse_bare_slot(inside)


def _parse_bare_slot(inside: str) -> BareSlot:
    name, _, argument = inside.partition(" ")
    source, dot, value = name.partition(".")
    if dot and source in _NAMING:
        return _NAMING[source](value) if not argument else _query_part(inside, source, value, argument)
    parse = _SLOTS.get(name)
    if parse is None:
        known = [*sorted(_SLOTS), "captured.NAME", "login.NAME", "value.NAME"]
        raise TemplateError(f"${{{inside}}} is not a slot. {hint(name, known, 'Slots are')}")
    try:
        return parse(argument)
    except (ValueError, InvalidOperation) as error:
        raise TemplateError(f"${{{inside}}}: {error or 'its arguments cannot be read'}.") from error


def _query_part(inside: str, source: str, name: str, prefix: str) -> BareSlot:
    if source != "captured" or not prefix.startswith(("?", "&")):
        words = "a captured value takes the beginning of a part of a query, such as ${captured.next &page=}"
        raise TemplateError(f"${{{inside}}}: {words}.")
    return slots.CapturedSlot(name, prefix)


def _without_arguments(kind: Callable[[], BareSlot], argument: str) -> BareSlot:
    if argument:
        raise ValueError("takes no arguments")
    return kind()


def _two(argument: str, what: str) -> tuple[str, str]:
    words = argument.split()
    if len(words) != 2:
        raise ValueError(f"needs two arguments, {what}")
    return words[0], words[1]


def _integer(argument: str) -> BareSlot:
    low, high = (_whole(word) for word in _two(argument, "MIN and MAX"))
    _check_order(low, high)
    return slots.IntegerSlot(low, high)


def _whole(word: str) -> int:
    return _UNKNOWN_ROWS if word == SEEDED else int(word)


def _decimal(argument: str) -> BareSlot:
    low, high = (Decimal(word) for word in _two(argument, "MIN and MAX"))
    scale = -int(low.as_tuple().exponent)
    if scale < 1 or scale != -int(high.as_tuple().exponent):
        raise ValueError("MIN and MAX must be written with the same number of decimal places, at least 1")
    units = 10**scale
    _check_order(int(low * units), int(high * units))
    return slots.DecimalSlot(int(low * units), int(high * units), scale)


def _date(argument: str) -> BareSlot:
    first, last = (int(word) for word in _two(argument, "FROM and TO, years"))
    _check_order(first, last + 1)
    datetime.date(first, 1, 1)
    datetime.date(last, 1, 1)
    return slots.DateSlot(first, last)


def _check_order(low: int, high: int) -> None:
    if not low < high:
        raise ValueError("the first argument must be less than the second")
    # One draw has 32 bits, and both ends go through a double.
    if high - low >= 2**32:
        raise ValueError("the range holds more than 4,294,967,296 values")


def _choice(argument: str) -> BareSlot:
    choices = argument.split("|")
    if len(choices) < 2:
        raise ValueError("needs at least two texts with | between them")
    return slots.ChoiceSlot(choices)


def _zipf(argument: str) -> BareSlot:
    """Quantiles of Zipf's law, equally likely: no engine needs the law, and all draw the same."""
    words = argument.split()
    if len(words) != 3:
        raise ValueError("needs three arguments, MIN, MAX and EXPONENT")
    low, high, exponent = _whole(words[0]), _whole(words[1]), float(words[2])
    _check_order(low, high)
    if not 0 < exponent <= 3:
        raise ValueError("the exponent must be above 0 and at most 3")
    count = high - low + 1
    numbers = (_zipf_index((place + 0.5) / _QUANTILES, count, exponent) for place in range(_QUANTILES))
    return slots.ChoiceSlot([str(low + number) for number in numbers])


def _zipf_index(share: float, count: int, exponent: float) -> int:
    """As formats/README.md prescribes it for the pick of keys."""
    ranks = count + 1.0
    power = 1 - exponent
    x = ranks**share if power == 0 else (1 + share * (ranks**power - 1)) ** (1 / power)
    return min(count - 1, int(x) - 1)


def _alphanumeric(argument: str) -> BareSlot:
    length = int(argument)
    if not 1 <= length <= 1000:
        raise ValueError("the length must be 1 to 1000")
    return slots.AlphanumericSlot(length)


_PLAIN = (
    *(slots.UuidSlot, slots.TimestampSlot, slots.UserSlot, slots.SequenceSlot, slots.MergeSlot, slots.MergeValueSlot),
    *(slots.RunSlot, slots.KeySlot, slots.FillSlot),
)
_SLOTS: Mapping[str, Callable[[str], BareSlot]] = {
    **{str(kind.__struct_config__.tag): partial(_without_arguments, kind) for kind in _PLAIN},
    "integer": _integer,
    "decimal": _decimal,
    "choice": _choice,
    "zipf": _zipf,
    "alphanumeric": _alphanumeric,
    "date": _date,
}
_NAMING: Mapping[str, Callable[[str], BareSlot]] = {
    "captured": slots.CapturedSlot,
    "login": slots.LoginSlot,
    "value": slots.ValueSlot,
}
