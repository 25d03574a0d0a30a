"""Throughput and latency over time, with the phases."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import median

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting.chart import THROUGHPUT, Axis, Chart, Span, series
from bakeoff.reporting.numbers import rounded
from bakeoff.results.run import RunResult, Second

_TIME = Axis("seconds since the first phase", "linear", "seconds")
_P99 = Axis("p99 of each second, ms", "log", "ms")
_MOST_SPANS = 24
_MEDIAN = "Median over rounds for each time step."
LONGEST = 180
"""Points of a line; more than a screen can show only cost size."""


@dataclass(frozen=True)
class Moment:
    """One step of the timeline: `at_s` is its middle, `phase` the phase that most rounds were in."""

    at_s: float
    phase: int
    operations_per_s: float
    p99_ms: float | None


def time_charts(group: str, entries: Sequence[JudgedContender], runs: Mapping[str, Sequence[RunResult]]) -> list[Chart]:
    """Throughput and p99 over time; none of runs that kept no seconds. `runs` are by contender key."""
    timelines = {entry.key: timeline_of(runs.get(entry.key, ())) for entry in entries}
    longest = max(timelines.values(), key=len, default=[])
    if not longest:
        return []
    spans = _spans(longest, next((entry for entry in entries if timelines[entry.key] is longest), None))
    figures: Sequence[tuple[str, str, Axis, str, Callable[[Moment], float | None]]] = (
        ("throughput", "Throughput", THROUGHPUT, _MEDIAN, lambda at: at.operations_per_s),
        ("latency", "p99", _P99, "Worst second of each time step, median over rounds.", lambda at: at.p99_ms or None),
    )
    return [
        Chart(
            slot=f"time-{slot}",
            title=f"{title} over time",
            x=_TIME,
            y=axis,
            series=[
                series(each, [[at.at_s, value] for at in timelines[each.key] if (value := pick(at)) is not None])
                for each in entries
            ],
            group=group,
            note=note,
            spans=spans,
        )
        for slot, title, axis, note, pick in figures
    ]


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


def timeline_of(runs: Sequence[RunResult]) -> list[Moment]:
    """The median over rounds of each step. Within a step throughput is averaged and the worst p99 kept."""
    seconds = [run.timeline for run in runs if run.timeline]
    end_s = max((second.at_s for timeline in seconds for second in timeline), default=0.0)
    step_s = max(1.0, -(-(end_s + 1) // LONGEST))
    rounds = [_steps(timeline, step_s) for timeline in seconds]
    places = sorted({place for steps in rounds for place in steps})
    return [_moment((place + 0.5) * step_s, [steps[place] for steps in rounds if place in steps]) for place in places]


def _steps(timeline: Iterable[Second], step_s: float) -> dict[int, list[Second]]:
    steps: dict[int, list[Second]] = {}
    for second in timeline:
        steps.setdefault(int(second.at_s // step_s), []).append(second)
    return steps


def _moment(at_s: float, rounds: Sequence[Sequence[Second]]) -> Moment:
    operations = median(sum(second.operations for second in step) / len(step) for step in rounds)
    worst = [max(known) for step in rounds if (known := [each.p99_ms for each in step if each.p99_ms is not None])]
    phases = [second.phase for step in rounds for second in step]
    return Moment(
        at_s=at_s,
        phase=max(sorted(set(phases)), key=phases.count),
        operations_per_s=rounded(operations, 4),
        p99_ms=rounded(median(worst), 4) if worst else None,
    )
