"""Throughput and latency within the seconds of each load level."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, median_low

from bakeoff.judging.judgement import JudgedContender
from bakeoff.reporting.chart import THROUGHPUT, Axis, Chart, Point, series
from bakeoff.reporting.charts.latencies import chosen_loads, leading_load
from bakeoff.reporting.numbers import rounded
from bakeoff.results.run import RunResult, Second

_TIME = Axis("seconds since the level started", "linear", "seconds")
_P99 = Axis("p99 of each second, ms", "log", "ms")
_WORST = "Worst second of each step, median over rounds. Gaps: seconds without a reply."
LONGEST = 120
"""Points of a line; more than a screen can show only cost size."""


@dataclass(frozen=True)
class Moment:
    """One step of a level: `at_s` is its middle. Figures are None where no round has this step, or got no reply."""

    at_s: float
    operations_per_s: float | None
    p99_ms: float | None


def time_charts(group: str, entries: Sequence[JudgedContender], runs: Mapping[str, Sequence[RunResult]]) -> list[Chart]:
    """Throughput and p99 over the seconds of each level; none of runs that kept no seconds.

    `runs` are by contender key. Rounds hold the levels in different orders, so the clock of a run has no meaning.
    """
    lines = {entry.key: levels_of(runs.get(entry.key, ())) for entry in entries}
    loads = list(dict.fromkeys(load for levels in lines.values() for load in levels))
    preferred = leading_load(entries)
    figures: Sequence[tuple[str, str, Axis, str, Callable[[Moment], float | None]]] = (
        ("throughput", "Throughput", THROUGHPUT, "Median over rounds.", lambda at: at.operations_per_s),
        ("latency", "p99", _P99, _WORST, lambda at: at.p99_ms or None),
    )
    charts = [
        Chart(
            slot=f"time-{slot}",
            title=f"{title} over time at {load}",
            x=_TIME,
            y=axis,
            series=[series(each, _line(lines[each.key].get(load, ()), pick)) for each in entries],
            group=group,
            variant=load,
            preferred=load == preferred,
            note=note,
        )
        for slot, title, axis, note, pick in figures
        for load in chosen_loads(loads, preferred)
    ]
    return [chart for chart in charts if chart.series]


def _line(moments: Sequence[Moment], pick: Callable[[Moment], float | None]) -> list[Point]:
    """Points of a line, None where it is broken; empty where nothing is known."""
    points: list[Point] = [[at.at_s, pick(at)] for at in moments]
    return points if any(value is not None for _, value in points) else []


def levels_of(runs: Sequence[RunResult]) -> dict[str, list[Moment]]:
    """The seconds of each level, by its load: the median over rounds of each step.

    Within a step throughput is averaged and the worst p99 kept. A step in no round is a moment without figures.
    """
    rounds: dict[str, list[list[Second]]] = {}
    for run in runs:
        for load, seconds in _by_load(run).items():
            rounds.setdefault(load, []).append(seconds)
    return {load: _moments(seconds) for load, seconds in rounds.items()}


def _by_load(run: RunResult) -> dict[str, list[Second]]:
    """The seconds of each phase of a run; a load that is held twice is told apart by the number of its phase."""
    loads = [phase.load for phase in run.phases]
    names = {
        phase.number: phase.load if loads.count(phase.load) == 1 else f"{phase.load}, phase {phase.number}"
        for phase in run.phases
    }
    found: dict[str, list[Second]] = {}
    for second in run.timeline:
        if second.phase in names:
            found.setdefault(names[second.phase], []).append(second)
    return found


def _moments(rounds: Sequence[Sequence[Second]]) -> list[Moment]:
    starts = [min(second.at_s for second in seconds) for seconds in rounds]
    longest = max(second.at_s - start for seconds, start in zip(rounds, starts, strict=True) for second in seconds)
    step_s = max(1.0, -(-(longest + 1) // LONGEST))
    steps = [_steps(seconds, start, step_s) for seconds, start in zip(rounds, starts, strict=True)]
    last = max(place for each in steps for place in each)
    return [
        _moment((place + 0.5) * step_s, [each[place] for each in steps if place in each]) for place in range(last + 1)
    ]


def _steps(seconds: Iterable[Second], start_s: float, step_s: float) -> dict[int, list[Second]]:
    steps: dict[int, list[Second]] = {}
    for second in seconds:
        # A second's place within the phase is whole, whatever the clock's fraction at its start was.
        steps.setdefault(int(round(second.at_s - start_s) // step_s), []).append(second)
    return steps


def _moment(at_s: float, rounds: Sequence[Sequence[Second]]) -> Moment:
    if not rounds:
        return Moment(at_s, None, None)
    operations = median(sum(second.operations for second in step) / len(step) for step in rounds)
    worst = [max(known) for step in rounds if (known := [each.p99_ms for each in step if each.p99_ms is not None])]
    return Moment(at_s, rounded(operations, 4), rounded(median_low(worst), 4) if worst else None)
