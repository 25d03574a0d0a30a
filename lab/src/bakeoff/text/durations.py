"""Lengths of time as people write them."""

import re

from bakeoff.errors import UsageError

_UNITS_S = {"": 1.0, "ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0}
_SHORTEST_S = 0.1


def seconds_of(text: str, *, shortest_s: float = _SHORTEST_S) -> float:
    """Seconds of a duration such as `10s`, `500ms`, `2m` or `90`."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)(ms|s|m|h|)", text.strip(), re.ASCII)
    seconds = float(match.group(1)) * _UNITS_S[match.group(2)] if match else -1.0
    if seconds < shortest_s:
        least = f", and at least {shortest_s * 1000:.0f}ms" if shortest_s else ""
        raise UsageError(f'"{text}" is not a duration: write 500ms, 10s or 2m{least}.')
    return seconds


def words_for(seconds: float) -> str:
    """A length of time as people say it."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"
