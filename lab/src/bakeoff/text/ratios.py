"""Ratios as people read them. No digit is rounded off that decides whether there is a difference."""

import math
from collections.abc import Sequence

_MOST_PLACES = 9


def places_apart(value: float, references: Sequence[float], least: int) -> int:
    """As many places as keep a value apart from each reference; `least` where only arithmetic separates them."""
    others = [reference for reference in references if reference != value]
    for places in range(least, _MOST_PLACES):
        if all(round(value, places) != round(other, places) for other in others):
            return places
    return least


def times(value: float, *, differs: bool = False) -> str:
    """`1.25×`, from ten on `12.5×`; one that `differs` from 1 is not written as 1.00×."""
    return f"{_digits(value) if differs else _two_places(value)}×"


def bounds(low: float | None, high: float | None, rounds: int, between: str) -> str:
    """`1.21–1.30`; where so few rounds leave an end open, `1.21 or more`, or `not bounded by 3 rounds`."""
    if low is None and high is None:
        return f"not bounded by {rounds} rounds"
    if low is None or high is None:
        return f"{_digits(low)} or more" if low is not None else f"{_digits(high or 0.0)} or less"
    return f"{_digits(low)}{between}{_digits(high)}"


def _digits(value: float) -> str:
    """A bound is 1.00 only where it is 1."""
    is_near_one = 0.5 < value < 2
    return f"{_useful(value):.{places_apart(value, (1.0,), 2)}f}" if is_near_one else _two_places(value)


def _two_places(value: float) -> str:
    """Below a tenth two digits: 0.00096 is not written as 0.00."""
    places = 1 - math.floor(math.log10(value)) if 0 < value < 0.0995 else 2
    return f"{_useful(value):.{places}f}" if value < 9.995 else f"{value:,.1f}"


def _useful(value: float) -> float:
    """Without what arithmetic adds, so that a half is rounded alike wherever it is written."""
    return float(f"{value:.{_MOST_PLACES}g}")
