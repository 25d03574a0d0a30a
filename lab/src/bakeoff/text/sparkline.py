"""A series of figures as one line of bars."""

import math
from collections.abc import Sequence
from statistics import median

_BARS = "▁▂▃▄▅▆▇█"


def sparkline(values: Sequence[float], *, baseline: float, longest: int = 60) -> str:
    """A bar for each value, as high as it reaches from `baseline` to the greatest of them.

    A series that is longer than the line may be is shortened to medians of neighbours.
    """
    step = max(1, math.ceil(len(values) / longest))
    points = [median(values[begin : begin + step]) for begin in range(0, len(values), step)]
    room = max(points, default=baseline) - baseline
    if room <= 0:
        return _BARS[0] * len(points)
    return "".join(_BARS[round(max(0.0, point - baseline) / room * (len(_BARS) - 1))] for point in points)
