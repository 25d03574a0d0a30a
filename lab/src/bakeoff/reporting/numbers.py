"""How figures are written: three significant digits, commas between thousands, units beside them."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from bakeoff.text import digits, ratios
from bakeoff.text.prose import listed

NOTHING = "–"


def rounded(value: float, digits: int = 8) -> float:
    """A figure with as many digits as are useful; keeps documents small."""
    return float(f"{value:.{digits}g}")


def count(value: float) -> str:
    return f"{value:,.0f}"


def grouped(words: str) -> str:
    """A load with its thousands separated: `1,000/s` of `1000/s`."""
    return re.sub(r"\d{4,}", lambda digits: count(int(digits[0])), words)


def rate(value: float | None) -> str:
    """Operations a second."""
    return NOTHING if value is None else digits.rate(value)


def three_digits(value: float | None) -> str:
    """Three significant digits: 0.123, 1.23, 12.3, 123, 12,345."""
    return NOTHING if value is None else digits.three(value)


def p_value(value: float | None) -> str:
    """Two significant digits are as many as a probability is known to."""
    if value is None:
        return NOTHING
    return f"{value:.1e}" if 0 < value < 0.0001 else f"{value:#.2g}"


def two_places(value: float | None) -> str:
    """Three significant digits, and no more than two places."""
    return number(value, 0 if (value or 0.0) >= 100 else 1 if (value or 0.0) >= 10 else 2)


def number(value: float | None, places: int, unit: str = "") -> str:
    """A figure with so many places and its unit, or a dash where there is none."""
    return NOTHING if value is None else f"{value:,.{places}f}{unit}"


def megabytes(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}" if value >= 99.95 else f"{value:.1f}"


def data_rate(bytes_per_s: float | None) -> str:
    """Megabytes a second."""
    return NOTHING if bytes_per_s is None else three_digits(bytes_per_s / 1e6)


def percent(share: float | None) -> str:
    """A fraction (0 to 1) as per cent; what is not zero is never written as zero."""
    if share is None:
        return NOTHING
    value = share * 100
    if value == 0:
        return "0%"
    if 0 < value < 0.01:
        return "<0.01%"
    return f"{value:,.0f}%" if value >= 9.95 else f"{value:.1f}%" if value >= 0.95 else f"{value:.2f}%"


def percent_of_hundred(value: float | None) -> str:
    """A figure that is per cent already (0 to 100), written alike."""
    return percent(None if value is None else value / 100)


def percent_of_core(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}%"


def ratio(value: float | None) -> str:
    return NOTHING if value is None else ratios.times(value)


def seconds(value: float | None) -> str:
    """A duration: 250 ms, 9.5 s, 2 min, 1 h 5 min."""
    if value is None:
        return NOTHING
    if value < 0.9995:
        return f"{value * 1000:.0f} ms"
    if value < 59.95:
        return f"{value:.1f}".removesuffix(".0") + " s"
    minutes, rest = divmod(round(value), 60)
    hours, minutes = divmod(minutes, 60)
    parts = [f"{hours} h" if hours else "", f"{minutes} min" if minutes else "", f"{rest} s" if rest else ""]
    return " ".join([part for part in parts if part][:2])


def moment(moment: datetime) -> str:
    """An instant as people read it."""
    return f"{moment.astimezone(UTC):%-d %B %Y, %H:%M} UTC"


def minute(moment: datetime) -> str:
    """An instant as lists have room for it."""
    return f"{moment.astimezone(UTC):%Y-%m-%d %H:%M}"


def ranks(first: int | None, ties: Sequence[str]) -> str:
    """`1`, or with ties every rank that it may have: `1–3`; a dash where there is none."""
    if first is None:
        return NOTHING
    return f"{first}–{first + len(ties)}" if ties else str(first)


def few(names: Sequence[str], most: int = 2) -> str:
    """Names for a small place: all of them, or how many."""
    return listed(names) if len(names) <= most else f"{len(names)} others"


def plural(number: int, noun: str) -> str:
    """`1 round`, `3 rounds`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
