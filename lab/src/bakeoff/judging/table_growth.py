"""Throughput that falls because the table grows, and not because the load does. Pure functions."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from bakeoff.results.finding_kinds import TABLE_GROWTH
from bakeoff.results.run import RunResult, Second

# The fall from the best phase, the part of it within phases (where the load is constant), and the rows inserted.
_FALL, _WITHIN_PHASES, _FEWEST_ROWS = TABLE_GROWTH.limits
# In fewer seconds the two ends of a phase say nothing.
_FEWEST_SECONDS = 6


@dataclass(frozen=True)
class Growth:
    """How far throughput fell from the best phase to the last, what part of it within phases, and the rows inserted."""

    change: float
    within_phases: float
    rows: int


def growth_in(runs: Iterable[RunResult]) -> dict[int, Growth]:
    """By round, the runs whose stored rows explain their decline."""
    found = {run.round: growth_of(run) for run in runs}
    return {number: growth for number, growth in found.items() if growth is not None}


def growth_of(run: RunResult) -> Growth | None:
    """None where nothing fell, where few rows were added, or where the fall came with the load."""
    activity = run.database_activity
    rows = 0 if activity is None or activity.rows_inserted is None else activity.rows_inserted
    seconds = _by_phase(run.timeline)
    rates = [each.measured.throughput_per_s for each in run.phases]
    if rows < _FEWEST_ROWS or len(rates) < 2 or min(rates) <= 0:
        return None
    best = rates.index(max(rates))
    fall = math.log(rates[best] / rates[-1])
    within = [_fall_within(seconds.get(phase.number, ())) for phase in run.phases[best:]]
    known = [each for each in within if each is not None]
    if len(known) < len(within) or 1 - math.exp(-fall) < _FALL or min(known) <= 0:
        return None
    # Half of the first phase lies before its mean, half of the last one behind it.
    share = (sum(known) - (known[0] + known[-1]) / 2) / fall
    return Growth(math.expm1(-fall), min(share, 1.0), rows) if share >= _WITHIN_PHASES else None


def _by_phase(timeline: Sequence[Second]) -> Mapping[int, Sequence[int]]:
    phases: dict[int, list[int]] = {}
    for second in timeline:
        phases.setdefault(second.phase, []).append(second.operations)
    return phases


def _fall_within(operations: Sequence[int]) -> float | None:
    """The logarithm of how far throughput fell from the begin of a phase to its end: by its halves."""
    middle = len(operations) // 2
    if len(operations) < _FEWEST_SECONDS:
        return None
    # The means of the halves lie half a phase apart.
    first, second = fmean(operations[:middle]), fmean(operations[middle:])
    return 2 * math.log(first / second) if first > 0 and second > 0 else None
