"""From values to places on a picture, and the ticks between them."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bakeoff.reporting import numbers
from bakeoff.reporting.chart import Axis

_LONG_DECADES = 3.2
_FEWEST_TICKS = 3


@dataclass(frozen=True)
class Scale:
    """Maps values from `low` to `high` onto pixels from `begin` to `end`."""

    low: float
    high: float
    begin: float
    end: float
    logarithmic: bool = False

    def at(self, value: float) -> float:
        """The place of a value; values outside are kept at the edge."""
        low, high, here = self.low, self.high, min(max(value, self.low), self.high)
        if self.logarithmic:
            low, high, here = math.log10(low), math.log10(high), math.log10(here)
        share = (here - low) / (high - low) if high > low else 0.5
        return self.begin + share * (self.end - self.begin)


def fitted(axis: Axis, values: Iterable[float], begin: float, end: float, *, from_zero: bool = False) -> Scale:
    """A scale on which all values have room."""
    known = [value for value in values if math.isfinite(value) and (axis.scale == "linear" or value > 0)]
    low, high = min(known, default=1.0), max(known, default=1.0)
    if axis.scale == "log":
        room = (high / low) ** 0.04 if high > low else 2.0
        return Scale(low / room, high * room, begin, end, logarithmic=True)
    if from_zero:
        low, high = min(0.0, low), high * 1.06 or 1.0
    return Scale(low, high if high > low else low + 1, begin, end)


def ticks(axis: Axis, scale: Scale) -> list[tuple[float, str]]:
    """Values and words of the ticks that lie on a scale."""
    if axis.ticks is not None:
        return [(value, words) for value, words in axis.ticks if scale.low <= value <= scale.high]
    values = _log_ticks(scale) if scale.logarithmic else even_ticks(scale.low, scale.high)
    return [(value, _words(axis, value, scale.high)) for value in values]


def even_ticks(low: float, high: float) -> list[float]:
    """About six even steps of 1, 2 or 5."""
    rough = (high - low) / 6
    size = 10 ** math.floor(math.log10(rough))
    step = next(digit * size for digit in (1, 2, 5, 10) if digit * size >= rough * (1 - 1e-9))
    first = math.ceil(low / step - 1e-9)
    return [numbers.rounded(place * step) for place in range(first, math.floor(high / step + 1e-9) + 1)]


def _log_ticks(scale: Scale) -> Sequence[float]:
    decades = math.log10(scale.high / scale.low)
    digits = (1,) if decades > _LONG_DECADES else (1, 2, 5)
    powers = range(math.floor(math.log10(scale.low)), math.ceil(math.log10(scale.high)) + 1)
    candidates = (float(f"{digit}e{power}") for power in powers for digit in digits)
    fitting = [value for value in candidates if scale.low <= value <= scale.high]
    return even_ticks(scale.low, scale.high) if len(fitting) < _FEWEST_TICKS else fitting


def _words(axis: Axis, value: float, highest: float) -> str:
    if axis.format == "ratio":
        return f"{value:.4g}×"
    if axis.format == "percent":
        return f"{value:,.0f}%"
    if axis.format in ("rate", "count") and highest >= 10_000:
        return f"{value / 1000:,.4g}k" if value else "0"
    return f"{value:,.4g}"
