"""Numbers that a schema allows."""

import math
from decimal import Decimal

from bakeoff.descriptions.drawn_values import Drawn, Slot, Value, choice, literal
from bakeoff.descriptions.json_members import JsonObject, number_in, text_in
from bakeoff.documents.checked import Json

# A slot draws 32 bits, both ends included.
_MOST_VALUES = 2**32 - 1
_MOST_CHOICES = 20
_USUAL_LOWEST, _USUAL_WIDTH = 1, 998
_LARGEST = {"int8": 2**7 - 1, "int16": 2**15 - 1, "int32": 2**31 - 1, "uint8": 2**8 - 1}
_LARGEST_SHORT = 2**31 - 1
# Whole numbers up to this one survive a double.
_LARGEST_EXACT = 2**53


def number(schema: JsonObject, *, is_whole: bool) -> Value:
    """A number between the limits of its schema, and a multiple where it asks for one."""
    low, high = limits(schema, is_whole=is_whole)
    step = _decimal_in(schema, "multipleOf")
    if step is not None and step > 0 and (not is_whole or step != 1):
        return _multiple(step if not is_whole else _whole_step(step), low, high, is_whole=is_whole)
    if is_whole or (low == high and low == int(low)):
        return integer(math.ceil(low), math.floor(high))
    return _decimal(low, high)


def integer(low: int, high: int) -> Drawn:
    """A whole number between two, both included."""
    high = min(high, low + _MOST_VALUES - 1)
    if low >= high or max(abs(low), abs(high)) > _LARGEST_EXACT:
        return Drawn([str(low)], is_bare=True)
    return Drawn([Slot(f"${{integer {low} {high}}}", [str(low), str(high)])], is_bare=True)


def unique_integer(schema: JsonObject) -> Drawn:
    """A whole number that hardly another request has: of fifteen digits where the schema allows it."""
    low, high = limits(schema, is_whole=True, width=_LARGEST_EXACT)
    if low <= 10**14 and high >= 10**15:
        halves = [
            Slot("${integer 1000000 9999999}", ["1000000", "9999999"]),
            Slot("${integer 1000000 9999999}", ["1000000", "9999999"]),
        ]
        # The digit before them makes a number of whatever stands for the slots.
        return Drawn(["1", *halves], is_bare=True)
    return integer(math.ceil(low), math.floor(high))


def distinct_numbers(schema: JsonObject, count: int, *, is_whole: bool) -> list[Json]:
    """Different numbers, as many as there are up to a count."""
    low, high = limits(schema, is_whole=is_whole)
    step = _decimal_in(schema, "multipleOf") or (Decimal(1) if is_whole or high - low >= count else Decimal("0.01"))
    first = (low / step).to_integral_value(rounding="ROUND_CEILING") * step
    values = [first + index * step for index in range(count)]
    return [_as_number(each) for each in values if each <= high]


def limits(schema: JsonObject, *, is_whole: bool, width: int = _USUAL_WIDTH) -> tuple[Decimal, Decimal]:
    """The lowest and the highest value, whatever way of excluding them the version of the document has."""
    least_step = Decimal(1) if is_whole else _least_step(schema)
    low = _limit(schema, "minimum", "exclusiveMinimum", least_step)
    high = _limit(schema, "maximum", "exclusiveMaximum", -least_step)
    largest = _LARGEST.get(text_in(schema, "format"))
    if low is None:
        low = Decimal(_USUAL_LOWEST) if high is None or high > _USUAL_LOWEST else high - width
    if high is None:
        high = low + width
    if low <= -_LARGEST_SHORT and high >= _LARGEST_SHORT:
        # The limits of a type say nothing of usual values.
        low, high = Decimal(_USUAL_LOWEST), Decimal(_USUAL_LOWEST + width)
    if is_whole:
        low, high = Decimal(math.ceil(low)), Decimal(math.floor(high))
    if largest is not None:
        high = min(high, Decimal(largest))
    return low, max(low, high)


def _least_step(schema: JsonObject) -> Decimal:
    """How far within limits that are excluded a value lies."""
    ends = [
        [each for name in names if (each := _decimal_in(schema, name)) is not None]
        for names in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum"))
    ]
    width = min(ends[1]) - max(ends[0]) if all(ends) else Decimal(1)
    return min(Decimal("0.01"), width / 1000) if width > 0 else Decimal("0.01")


def _limit(schema: JsonObject, name: str, excluding: str, inwards: Decimal) -> Decimal | None:
    included, excluded = _decimal_in(schema, name), schema.get(excluding)
    if excluded is True:
        return None if included is None else included + inwards
    other = _decimal_in(schema, excluding)
    if other is None:
        return included
    if included is None:
        return other + inwards
    return max(included, other + inwards) if inwards > 0 else min(included, other + inwards)


def _decimal_in(schema: JsonObject, name: str) -> Decimal | None:
    value = number_in(schema, name)
    return None if value is None or not math.isfinite(value) else Decimal(repr(value))


def _whole_step(step: Decimal) -> Decimal:
    """The least whole number that is a multiple of a step."""
    return step * (Decimal(step.as_integer_ratio()[1]))


def _multiple(step: Decimal, low: Decimal, high: Decimal, *, is_whole: bool) -> Value:
    first = (low / step).to_integral_value(rounding="ROUND_CEILING") * step
    values = [first + index * step for index in range(_MOST_CHOICES)]
    return choice([_as_number(each, is_whole=is_whole) for each in values if each <= high] or [_as_number(first)])


def _as_number(value: Decimal, *, is_whole: bool = False) -> Json:
    return int(value) if is_whole or value == value.to_integral_value() else float(value)


def _decimal(low: Decimal, high: Decimal) -> Value:
    """A number with so many places that there are at least a hundred values, as far as a slot holds them."""
    scale = 2
    while (high - low) * 10**scale < 100 and scale < 12:
        scale += 1
    unit = Decimal(1).scaleb(-scale)
    bottom = low.quantize(unit, rounding="ROUND_CEILING") if abs(low) < 10**15 else None
    if bottom is None or high - low < unit * 2:
        return literal(_as_number(low))
    top = min(high, low + unit * (_MOST_VALUES - 2)).quantize(unit, rounding="ROUND_FLOOR")
    if top <= bottom:
        return literal(_as_number(low))
    text = f"${{decimal {bottom:f} {top:f}}}"
    inner = [bottom + unit if bottom == bottom.quantize(unit * 10) else bottom, top]
    return Drawn([Slot(text, [f"{each:f}" for each in inner])], is_bare=True)
