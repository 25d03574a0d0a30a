"""Charts along the load: throughput, and what it took, against virtual users."""

from collections.abc import Callable, Iterable, Sequence
from operator import itemgetter

from bakeoff.reporting import numbers
from bakeoff.reporting.chart_shape import Axis, Chart, Format, Mark, MarkKind, Point
from bakeoff.reporting.charts.making import THROUGHPUT, lines, point, references_for, series
from bakeoff.reporting.shape import LevelFigures, ReferenceLine, ReportedContender

_FEW = 12


def throughput_chart(
    group: str, contenders: Sequence[ReportedContender], reference_lines: Sequence[ReferenceLine]
) -> Chart:
    """Operations a second against the load, with the maximum and the breaking point of each contender."""
    drawn = [
        series(each, [point(_x(level), level["throughput_per_s"]) for level in drawn_levels(each)])
        for each in contenders
    ]
    highest = max((y or 0.0 for each in drawn for _, y, *_ in each["points"]), default=0.0)
    references, beyond = references_for(highest, reference_lines)
    return lines(
        "throughput",
        "Throughput by load",
        load_axis(contenders),
        THROUGHPUT,
        drawn,
        group=group,
        note="Circle: maximum. Square: optimal parallelism. Cross: breaking point. Whiskers: interval over the rounds.",
        marks=[mark for each in contenders for mark in _marks(each)],
        references=references,
        beyond=beyond,
    )


def resource_charts(group: str, contenders: Sequence[ReportedContender]) -> list[Chart]:
    """What the target used at each load: the documents' four measures."""
    measures: list[tuple[str, str, Format, Callable[[LevelFigures], float | None]]] = [
        ("CPU %", "Mean CPU of the target, % of one core", "percent", _cpu_percent),
        ("Memory", "Mean memory of the target, MB", "mb", _memory_mb),
        ("CPU % per request", "CPU % × seconds per request", "derived", itemgetter("cpu_percent_s_each")),
        ("Memory per request", "MB × seconds per request", "derived", itemgetter("memory_mb_s_each")),
    ]
    charts = [
        lines(
            "resources",
            title,
            load_axis(contenders),
            {"label": title, "scale": "linear", "format": form, "ticks": None},
            [series(each, _points(drawn_levels(each), pick)) for each in contenders],
            group=group,
            variant=variant,
            preferred=variant == "CPU %",
        )
        for variant, title, form, pick in measures
    ]
    return [chart for chart in charts if chart["series"]]


def load_axis(contenders: Sequence[ReportedContender]) -> Axis:
    """Virtual users, or the arrival rate of an open model, each level with its tick."""
    values = load_axis_values(contenders)
    open_model = any(level["arrival_rate_per_s"] is not None for each in contenders for level in drawn_levels(each))
    return {
        "label": "arrivals/s" if open_model else "virtual users",
        "scale": "log",
        "format": "rate" if open_model else "count",
        "ticks": [(value, numbers.count(value)) for value in values] if len(values) <= _FEW else None,
    }


def load_axis_values(contenders: Sequence[ReportedContender]) -> list[float]:
    """The loads that were held, from the least."""
    return sorted({_x(level) for each in contenders for level in drawn_levels(each)})


def drawn_levels(contender: ReportedContender) -> list[LevelFigures]:
    """Users and arrivals have no axis in common: beside levels of the closed model, rates are in tables alone."""
    closed = [level for level in contender["levels"] if level["arrival_rate_per_s"] is None]
    return closed or contender["levels"]


def _x(level: LevelFigures) -> float:
    # A logarithmic scale has no zero; no load at all is an error in the stored data, and still drawn.
    return max(level["arrival_rate_per_s"] or float(level["users"]), 1.0)


def _marks(contender: ReportedContender) -> Iterable[Mark]:
    for level in drawn_levels(contender):
        users = level["users"]
        if level["load"] == contender["best_load"]:
            yield _mark(contender, level, "maximum", "maximum")
        if users and users == contender["optimal_users"]:
            yield _mark(contender, level, "optimal", "optimal parallelism")
        if users and users == contender["breaking_users"]:
            yield _mark(contender, level, "breaking", "breaking point")


def _mark(contender: ReportedContender, level: LevelFigures, kind: MarkKind, words: str) -> Mark:
    here = level["throughput_per_s"]["median"]
    return {
        "identity": contender["identity"],
        "style": contender["style"],
        "kind": kind,
        "x": _x(level),
        "y": here,
        "words": f"{contender['name']}, {words}: {numbers.rate(here)}/s at {level['load']}",
    }


def _points(levels: Sequence[LevelFigures], pick: Callable[[LevelFigures], float | None]) -> list[Point]:
    return [[_x(level), value] for level in levels if (value := pick(level)) is not None]


def _cpu_percent(level: LevelFigures) -> float | None:
    own = level["costs"].get("target")
    return None if own is None or own["cpu_percent_mean"] is None else own["cpu_percent_mean"]["median"]


def _memory_mb(level: LevelFigures) -> float | None:
    own = level["costs"].get("target")
    return None if own is None else own["memory_mean_mb"]["median"]
