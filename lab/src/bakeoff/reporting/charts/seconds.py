"""Throughput and latency over time, with the phases."""

from collections.abc import Mapping, Sequence
from itertools import groupby

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting.chart import THROUGHPUT, Axis, Chart, Span, series
from bakeoff.reporting.charts.timelines import Moment, timeline_of
from bakeoff.results.run import RunResult

_TIME = Axis("seconds since the first phase", "linear", "seconds")
_P99 = Axis("p99 of each second, ms", "log", "ms")
_MOST_SPANS = 24


def time_charts(group: str, entries: Sequence[JudgedContender], runs: Mapping[str, Sequence[RunResult]]) -> list[Chart]:
    """Throughput and p99 over time; none of runs that kept no seconds. `runs` are by contender key."""
    timelines = {entry.key: timeline_of(runs.get(entry.key, ())) for entry in entries}
    longest = max(timelines.values(), key=len, default=[])
    if not longest:
        return []
    spans = _spans(longest, next((entry for entry in entries if timelines[entry.key] is longest), None))
    throughput = Chart(
        slot="time-throughput",
        title="Throughput over time",
        x=_TIME,
        y=THROUGHPUT,
        series=[series(each, [[at.at_s, at.operations_per_s] for at in timelines[each.key]]) for each in entries],
        group=group,
        note="Median over rounds for each time step.",
        spans=spans,
    )
    p99 = Chart(
        slot="time-latency",
        title="p99 over time",
        x=_TIME,
        y=_P99,
        series=[series(each, [[at.at_s, at.p99_ms] for at in timelines[each.key] if at.p99_ms]) for each in entries],
        group=group,
        note="Worst second of each time step, median over rounds.",
        spans=spans,
    )
    return [throughput, p99]


def _spans(timeline: Sequence[Moment], entry: JudgedContender | None) -> list[Span]:
    """The phases, where there are few enough to name; those of the longest timeline stand for all."""
    step_s = timeline[1].at_s - timeline[0].at_s if len(timeline) > 1 else 1.0
    names = [] if entry is None else [level.load for level in entry.levels]
    spans: list[Span] = []
    for phase, moments in groupby(timeline, key=lambda each: each.phase):
        stretch = list(moments)
        name = names[phase - 1] if 0 < phase <= len(names) else f"phase {phase}"
        spans.append(Span(stretch[0].at_s - step_s / 2, stretch[-1].at_s + step_s / 2, name))
    return spans if len(spans) <= _MOST_SPANS else []
