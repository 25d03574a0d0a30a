"""Timelines: seconds of several rounds as one line that is short enough to draw."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from statistics import median

from bakeoff.reporting.numbers import rounded
from bakeoff.results.run import RunResult, Second

LONGEST = 180
"""Points of a line; more than a screen can tell apart only cost size."""


@dataclass(frozen=True)
class Moment:
    """One step of the timeline: `at_s` is its middle, `phase` the phase that most rounds were in."""

    at_s: float
    phase: int
    operations_per_s: float
    p99_ms: float | None


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
