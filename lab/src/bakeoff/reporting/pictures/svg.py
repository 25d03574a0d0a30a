"""Draws a chart of the report as an SVG for a slide."""

import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.reporting.chart import Axis, Chart, ChartSeries, Mark, Point
from bakeoff.reporting.palette import LIGHT, faded, style
from bakeoff.reporting.pictures.canvas import HEIGHT, WIDTH, Canvas, shortened, width_of
from bakeoff.reporting.pictures.scales import Scale, fitted, ticks

_LEFT, _RIGHT, _BOTTOM = 92, WIDTH - 40, HEIGHT - 140
_LEGEND_SIZE, _TICK_SIZE, _NOTE_SIZE = 17, 16, 15
_MANY_POINTS = 24
_WHISKER_STEP = 4
_ROW_ROOM = 300


@dataclass(frozen=True)
class _Area:
    """Where the data of a chart are drawn."""

    left: float
    top: float
    right: float = _RIGHT
    bottom: float = _BOTTOM


def svg_of(chart: Chart) -> str:
    """The whole file."""
    canvas = Canvas(chart.title)
    canvas.words(shortened(chart.title, WIDTH - 80, 28), 40, 52, 28, bold=True)
    note = _note(chart)
    top = HEIGHT - (60 if len(note) > 2 else 38)
    for number, line in enumerate(note):
        canvas.words(line, 40, top + 22 * number, _NOTE_SIZE, LIGHT.muted)
    draw: Mapping[str, Callable[[Canvas, Chart], None]] = {"lines": _lines, "dots": _dots, "bars": _bars}
    draw[chart.kind](canvas, chart)
    return canvas.document()


def _note(chart: Chart) -> list[str]:
    """The note in three lines at most."""
    beyond = f" Off the chart: {'; '.join(chart.beyond)}." if chart.beyond else ""
    most = int((WIDTH - 80) / width_of("x", _NOTE_SIZE))
    lines = textwrap.wrap(f"{chart.note}{beyond}", most)
    return [*lines[:2], shortened(" ".join(lines[2:]), WIDTH - 80, _NOTE_SIZE)] if len(lines) > 2 else lines


def _lines(canvas: Canvas, chart: Chart) -> None:
    area = _Area(_LEFT, _legend(canvas, chart.series) + 12)
    points = [point for series in chart.series for point in series.points]
    heights = [value for point in points for value in point[1:] if value is not None]
    heights += [reference.value for reference in chart.references]
    along = [point[0] for point in points if point[0] is not None]
    x = fitted(chart.x, along, area.left, area.right)
    y = fitted(chart.y, heights, area.bottom, area.top, from_zero=True)
    _x_axis(canvas, chart.x, x, area)
    _y_axis(canvas, chart.y, y, area)
    for reference in chart.references:
        at = y.at(reference.value)
        canvas.line(area.left, at, area.right, at, LIGHT.muted, 1.5, (4, 4))
    for number, series in enumerate(chart.series):
        _line(canvas, series, x, y, _WHISKER_STEP * (number - (len(chart.series) - 1) / 2))
    for reference in chart.references:
        canvas.words(reference.label, area.left + 8, y.at(reference.value) - 6, _TICK_SIZE, LIGHT.muted)
    for mark in chart.marks:
        _mark(canvas, mark, x.at(mark.x), y.at(mark.y))


def _line(canvas: Canvas, series: ChartSeries, x: Scale, y: Scale, aside: float) -> None:
    """One line; its whiskers stand a little aside, so that those of one load do not hide each other."""
    look = style(series.style)
    colour = LIGHT.series[look.colour]
    stretches: list[list[tuple[float, float, Point]]] = [[]]
    for point in series.points:
        if (left := point[0]) is not None and (top := point[1]) is not None:
            stretches[-1].append((x.at(left), y.at(top), point))
        else:
            stretches.append([])
    places = [place for stretch in stretches for place in stretch]
    drawn = series.drawn
    for stretch in stretches if drawn != "points" else ():
        if stretch:
            canvas.path([(left, top) for left, top, _ in stretch], colour, 2.5, () if drawn == "curve" else look.dash)
    if drawn == "curve":
        return
    for number, (left, top, point) in enumerate(places):
        low, high = (point[2], point[3]) if len(point) > 3 else (None, None)
        if low is not None and high is not None:
            canvas.line(left + aside, y.at(low), left + aside, y.at(high), colour, 2)
        if len(places) <= _MANY_POINTS or (number + 5 * series.style) % 12 == 6:
            canvas.point(look, left, top, 5)


def _mark(canvas: Canvas, mark: Mark, x: float, y: float) -> None:
    if mark.kind == "maximum":
        canvas.ring(x, y, 12, LIGHT.text)
    elif mark.kind == "optimal":
        canvas.box(x - 10, y - 10, 20, 20, "none", LIGHT.text)
    else:
        canvas.line(x - 10, y - 10, x + 10, y + 10, LIGHT.danger, 2.5)
        canvas.line(x - 10, y + 10, x + 10, y - 10, LIGHT.danger, 2.5)


def _dots(canvas: Canvas, chart: Chart) -> None:
    area = _Area(_ROW_ROOM, 90)
    values = [value for series in chart.series for point in series.points for value in point if value is not None]
    values += [reference.value for reference in chart.references]
    x = fitted(chart.x, values, area.left, area.right, from_zero=True)
    _x_axis(canvas, chart.x, x, area)
    for reference in chart.references:
        at = x.at(reference.value)
        canvas.line(at, area.top, at, area.bottom, LIGHT.muted, 1.5, (4, 4))
        side = "end" if at > (area.left + area.right) / 2 else "start"
        canvas.words(reference.label, at + (-8 if side == "end" else 8), area.top + 14, _TICK_SIZE, LIGHT.muted, side)
    for series, y in zip(chart.series, _row_places(len(chart.series), area), strict=True):
        _row_name(canvas, series.name, y)
        look = style(series.style)
        colour = faded(LIGHT.series[look.colour]) if series.faded is True else LIGHT.series[look.colour]
        middle, low, high = series.points[0]
        # Without one bound it reaches to the edge, without a cap.
        ends = [x.at(bound) for bound in (low, high) if bound is not None]
        if ends:
            left, right = ends[0] if low is not None else area.left, ends[-1] if high is not None else area.right
            canvas.line(left, y, right, y, colour, 2)
        for end in ends:
            canvas.line(end, y - 7, end, y + 7, colour, 2)
        if middle is not None:
            canvas.point(look, x.at(middle), y, 7, colour)


def _bars(canvas: Canvas, chart: Chart) -> None:
    area = _Area(_ROW_ROOM, 120)
    fills = (LIGHT.roles[0], "url(#hatch)", LIGHT.roles[2])
    left = 40.0
    for stack in chart.stacks:
        canvas.box(left, 76, 18, 18, fills[stack.style % len(fills)], LIGHT.text)
        canvas.words(stack.name, left + 26, 91, _LEGEND_SIZE)
        left += width_of(stack.name, _LEGEND_SIZE) + 60
    sums = [sum(stack.values[row] or 0.0 for stack in chart.stacks) for row in range(len(chart.rows))]
    x = fitted(chart.x, sums, area.left, area.right, from_zero=True)
    _x_axis(canvas, chart.x, x, area)
    thickness = min(34.0, 0.62 * (area.bottom - area.top) / max(1, len(chart.rows)))
    for number, y in enumerate(_row_places(len(chart.rows), area)):
        _row_name(canvas, chart.rows[number].name, y)
        reached = 0.0
        for stack in chart.stacks:
            value = stack.values[number] or 0.0
            begin, end = x.at(reached), x.at(reached + value)
            canvas.box(begin, y - thickness / 2, end - begin, thickness, fills[stack.style % len(fills)], LIGHT.text)
            reached += value


def _row_places(rows: int, area: _Area) -> list[float]:
    height = (area.bottom - area.top) / max(1, rows)
    return [area.top + (row + 0.5) * height for row in range(rows)]


def _row_name(canvas: Canvas, name: str, y: float) -> None:
    canvas.words(shortened(name, _ROW_ROOM - 60, _LEGEND_SIZE), _ROW_ROOM - 16, y + 6, _LEGEND_SIZE, anchor="end")


def _legend(canvas: Canvas, shown: Sequence[ChartSeries]) -> float:
    """Names of the lines, in as many lines as they need; returns where they end."""
    x, y = 40.0, 90.0
    for series in shown:
        name = shortened(series.name, 420, _LEGEND_SIZE)
        needed = 62 + width_of(name, _LEGEND_SIZE)
        if x + needed > WIDTH - 40 and x > 40:
            x, y = 40.0, y + 28
        look = style(series.style)
        canvas.line(x, y - 6, x + 34, y - 6, LIGHT.series[look.colour], 2.5, look.dash)
        canvas.point(look, x + 17, y - 6, 5)
        canvas.words(name, x + 42, y, _LEGEND_SIZE)
        x += needed
    return y + 10


def _x_axis(canvas: Canvas, axis: Axis, scale: Scale, area: _Area) -> None:
    free = area.left - 40
    for value, words in ticks(axis, scale):
        at = scale.at(value)
        canvas.line(at, area.top, at, area.bottom, LIGHT.grid)
        half = width_of(words, _TICK_SIZE) / 2
        if at - half >= free:
            canvas.words(words, at, area.bottom + 24, _TICK_SIZE, LIGHT.muted, "middle")
            free = at + half + 10
    canvas.words(axis.label, (area.left + area.right) / 2, area.bottom + 52, _TICK_SIZE, LIGHT.muted, "middle")


def _y_axis(canvas: Canvas, axis: Axis, scale: Scale, area: _Area) -> None:
    for value, words in ticks(axis, scale):
        at = scale.at(value)
        canvas.line(area.left, at, area.right, at, LIGHT.grid)
        canvas.words(words, area.left - 10, at + 5, _TICK_SIZE, LIGHT.muted, "end")
    canvas.words(axis.label, 30, (area.top + area.bottom) / 2, _TICK_SIZE, LIGHT.muted, "middle", upright=True)
