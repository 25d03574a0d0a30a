"""Charts along the load: throughput, and what it took, against virtual users."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter

from bakeoff.judging.judgement import JudgedContender, Level, ReferenceLine
from bakeoff.reporting import numbers
from bakeoff.reporting.chart import (
    THROUGHPUT,
    Axis,
    Chart,
    Format,
    Mark,
    MarkKind,
    Point,
    identity,
    point,
    references_for,
    series,
)

_FEW = 12


def throughput_chart(
    group: str, contenders: Sequence[JudgedContender], reference_lines: Sequence[ReferenceLine]
) -> Chart:
    """Operations a second against the load, with the maximum and the breaking point of each contender."""
    drawn = [
        series(each, [point(_x(level), level.throughput_per_s) for level in drawn_levels(each)]) for each in contenders
    ]
    highest = max((y or 0.0 for each in drawn for _, y, *_ in each.points), default=0.0)
    references, beyond = references_for(highest, reference_lines)
    return Chart(
        slot="throughput",
        title="Throughput by load",
        x=load_axis(contenders),
        y=THROUGHPUT,
        series=drawn,
        group=group,
        note="Circle: maximum. Square: optimal parallelism. Cross: breaking point. Whiskers: interval over the rounds.",
        marks=[mark for each in contenders for mark in _marks(each)],
        references=references,
        beyond=beyond,
    )


def resource_charts(group: str, contenders: Sequence[JudgedContender]) -> list[Chart]:
    """CPU and memory of the target at each load: the documents' four measures."""
    measures: list[tuple[str, str, Format, Callable[[Level], float | None]]] = [
        ("CPU %", "Mean CPU of the target, % of one core", "percent", _of_target("cpu_percent_mean")),
        ("Memory", "Mean memory of the target, MB", "mb", _of_target("memory_mean_mb")),
        ("CPU % per request", "CPU % × seconds per request", "derived", attrgetter("cpu_percent_s_each")),
        ("Memory per request", "MB × seconds per request", "derived", attrgetter("memory_mb_s_each")),
    ]
    charts = [
        Chart(
            slot="resources",
            title=title,
            x=load_axis(contenders),
            y=Axis(title, "linear", form),
            series=[series(each, _points(each, pick)) for each in contenders],
            group=group,
            variant=variant,
            preferred=variant == "CPU %",
        )
        for variant, title, form, pick in measures
    ]
    return [chart for chart in charts if chart.series]


def load_axis(contenders: Sequence[JudgedContender]) -> Axis:
    """Virtual users, or the arrival rate of an open model, each level with its tick."""
    values = load_axis_values(contenders)
    open_model = any(level.arrival_rate_per_s is not None for each in contenders for level in drawn_levels(each))
    ticks = [(value, numbers.count(value)) for value in values] if len(values) <= _FEW else None
    return Axis("arrivals/s", "log", "rate", ticks) if open_model else Axis("virtual users", "log", "count", ticks)


def load_axis_values(contenders: Sequence[JudgedContender]) -> list[float]:
    """The loads that were held, from the least."""
    return sorted({_x(level) for each in contenders for level in drawn_levels(each)})


def drawn_levels(contender: JudgedContender) -> Sequence[Level]:
    """Users and arrivals have no axis in common: beside levels of the closed model, rates are in tables alone."""
    closed = [level for level in contender.levels if level.arrival_rate_per_s is None]
    return closed or contender.levels


def _x(level: Level) -> float:
    # A logarithmic scale has no zero; no load at all is an error in the stored data, and still drawn.
    return max(level.arrival_rate_per_s or float(level.virtual_users), 1.0)


def _marks(contender: JudgedContender) -> Iterable[Mark]:
    best, name = contender.best_level, contender.name
    for level in drawn_levels(contender):
        here, users = level.throughput_per_s.median, level.virtual_users or None
        marks: Sequence[tuple[MarkKind, str, bool]] = (
            ("maximum", "maximum", best is not None and level.load == best.load),
            ("optimal", "optimal parallelism", users is not None and users == contender.optimal_users),
            ("breaking", "breaking point", users is not None and users == contender.breaking_users),
        )
        for kind, words, is_there in marks:
            if is_there:
                text = f"{name}, {words}: {numbers.rate(here)}/s at {level.load}"
                yield Mark(identity(contender), contender.identity, kind, _x(level), numbers.rounded(here), text)


def _points(contender: JudgedContender, pick: Callable[[Level], float | None]) -> list[Point]:
    levels = drawn_levels(contender)
    return [[_x(level), numbers.rounded(value)] for level in levels if (value := pick(level)) is not None]


def _of_target(figure: str) -> Callable[[Level], float | None]:
    return lambda level: None if (found := level.of_target(figure)) is None else found.median
