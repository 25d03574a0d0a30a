"""The whole distribution of latency, contenders over each other, at each load."""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting.chart import Axis, Chart, Point, series
from bakeoff.reporting.numbers import rounded
from bakeoff.results import histograms

MOST_LOADS = 24
"""Curves are drawn at so many loads at most: evenly chosen, and always the leader's optimal one."""

_PERCENTILE = Axis(
    "percentile of requests",
    "log",
    "nines",
    [
        (1.0, "0%"), (2.0, "50%"), (10.0, "90%"), (100.0, "99%"), (1e3, "99.9%"), (1e4, "99.99%"), (1e5, "99.999%"),
        (1e6, "99.9999%"), (1e7, "99.99999%"),
    ],
)  # fmt: skip
_STEPS_A_DECADE = 10
_MS = 1_000_000
_LATENCY = Axis("latency, ms", "log", "ms")


def latency_charts(group: str, contenders: Sequence[JudgedContender]) -> list[Chart]:
    """One chart for each load and one for all phases together; preferred is the optimal one of the leader."""
    by_load: dict[str, dict[str, str]] = {}
    for contender in contenders:
        for level in contender.levels:
            by_load.setdefault(level.load, {})[contender.key] = level.histogram
    best = leading_load(contenders)
    chosen = chosen_loads(list(by_load), best)
    charts = [_chart(group, load, contenders, by_load[load], preferred=load == best) for load in chosen]
    if len(by_load) > 1:
        totals = {each.key: each.total.histogram for each in contenders if each.total is not None}
        charts.append(_chart(group, "all phases", contenders, totals, preferred=False))
    return [chart for chart in charts if chart.series]


def leading_load(contenders: Sequence[JudgedContender]) -> str | None:
    """The optimal load of the leader, where one is known."""
    return next((each.optimal_level.load for each in contenders if each.optimal_level is not None), None)


def chosen_loads(loads: Sequence[str], best: str | None) -> list[str]:
    """At most MOST_LOADS of the loads, evenly, and the best."""
    if len(loads) <= MOST_LOADS:
        return list(loads)
    stride = len(loads) / MOST_LOADS
    kept = {loads[int(place * stride)] for place in range(MOST_LOADS)} | ({best} & set(loads))
    return [load for load in loads if load in kept]


def _chart(
    group: str, load: str, contenders: Sequence[JudgedContender], histograms: Mapping[str, str], *, preferred: bool
) -> Chart:
    return Chart(
        slot="latency",
        title=f"Latency at {load}" if load != "all phases" else "Latency over all phases",
        x=_PERCENTILE,
        y=_LATENCY,
        series=[series(each, latency_curve(histograms[each.key])) for each in contenders if each.key in histograms],
        group=group,
        variant=load,
        preferred=preferred,
        note="All rounds in one HDR histogram; logarithmic percentile axis. Lower is better.",
    )


@lru_cache(maxsize=4096)
def _grid(decades: int) -> tuple[float, ...]:
    return tuple(10 ** (step / _STEPS_A_DECADE) for step in range(decades * _STEPS_A_DECADE + 1))


def latency_curve(encoded: str) -> list[Point]:
    """Points [1 ÷ (1 − percentile), ms], up to the percentile that the number of requests supports. Empty of none.

    x is 1 at the minimum, 10 at p90, 100 at p99. A point that repeats both neighbours is left out.
    """
    histogram = histograms.merge([encoded])
    total = int(histogram.get_total_count())
    if total == 0:
        return []
    wanted = [x for x in _grid(math.ceil(math.log10(total)) + 1) if x < total]
    values = histograms.values_at(histogram, [100 * (1 - 1 / x) for x in wanted])
    points = [(x, value / _MS) for x, value in zip(wanted, values, strict=True)]
    points.append((float(total), histogram.get_max_value() / _MS))
    return [[rounded(x, 4), rounded(value, 4)] for x, value in _turning(points)]


def _turning(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    inner = [here for (before, here), (_, after) in pairwise(pairwise(points)) if not before[1] == here[1] == after[1]]
    return [points[0], *inner, points[-1]] if len(points) > 1 else points
