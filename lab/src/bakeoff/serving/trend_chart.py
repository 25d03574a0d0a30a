"""A series of runs as a drawing: points in the order of time, levels between change points. Pure."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.history.trends import ChangePoint
from bakeoff.reporting.numbers import three_digits

WIDTH, HEIGHT = 960, 296
LEFT, _RIGHT, _TOP, _BOTTOM = 80, 64, 16, 56
_MOST_LINES = 5
_MOST_TICKS = 6


@dataclass(frozen=True)
class Point:
    """Where a run is drawn."""

    x: float
    y: float
    value: float


@dataclass(frozen=True)
class Segment:
    """The median between two change points, as a line."""

    x1: float
    x2: float
    y: float


@dataclass(frozen=True)
class TrendChart:
    """Coordinates in a box of WIDTH × HEIGHT. `grid` and `ticks` are places with what is written at them."""

    points: Sequence[Point]
    levels: Sequence[Segment]
    grid: Sequence[tuple[float, str]]
    ticks: Sequence[tuple[float, str]]


def trend_chart(
    values: Sequence[float], changes: Sequence[ChangePoint], names: Sequence[str] = ()
) -> TrendChart | None:
    """The drawing, from zero to a round figure above the highest value; None where there is nothing to draw.

    Of the points' names those stand on the axis that have room, the first and the last among them.
    """
    if not values:
        return None
    spacing = _round_spacing(max(values) or 1.0)
    lines = math.ceil((max(values) or 1.0) / spacing)
    top = lines * spacing
    step = (WIDTH - LEFT - _RIGHT) / max(1, len(values) - 1)

    def x_of(index: float) -> float:
        return round(LEFT + index * step, 1)

    def y_of(value: float) -> float:
        return round(_TOP + (1 - value / top) * (HEIGHT - _TOP - _BOTTOM), 1)

    edges = [0, *(change.index for change in changes), len(values)]
    heights = [changes[0].before, *(change.after for change in changes)] if changes else []
    return TrendChart(
        points=[Point(x_of(index), y_of(value), value) for index, value in enumerate(values)],
        levels=[
            Segment(x_of(begin), x_of(end - 1), y_of(height))
            for begin, end, height in zip(edges[:-1], edges[1:], heights, strict=False)
        ],
        ticks=[(x_of(index), names[index]) for index in _spread(len(names), _MOST_TICKS)],
        grid=[(y_of(spacing * line), three_digits(spacing * line)) for line in range(lines + 1)],
    )


def _spread(count: int, most: int) -> list[int]:
    """Evenly spread places, the first and the last among them."""
    shown = min(count, most)
    return sorted({round(place * (count - 1) / max(1, shown - 1)) for place in range(shown)})


def _round_spacing(highest: float) -> float:
    """The least of 1, 2, 5, 10, 20, … that reaches the highest value with few lines."""
    unit = 10.0 ** math.floor(math.log10(highest / _MOST_LINES))
    return next(unit * factor for factor in (1, 2, 5, 10) if unit * factor * _MOST_LINES >= highest)
