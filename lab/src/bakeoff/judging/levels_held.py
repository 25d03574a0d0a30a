"""All levels of a contender, and the one that it was best at. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Level
from bakeoff.judging.levels import level_of, phases_by_slot, throughput_by_round, total_of
from bakeoff.results.run import RunResult


@dataclass(frozen=True)
class LevelsHeld:
    """The levels in the order in which they were held, and the peak: the level whose median throughput is the best.

    `rates` is its throughput by round, and `peak_phase` the number of its phase, None where runs know only their total.
    """

    levels: Sequence[Level]
    total: Level | None
    peak: Level | None
    peak_phase: int | None
    rates: Mapping[int, float]


def levels_held(counted: Mapping[int, RunResult]) -> LevelsHeld:
    """The levels of runs that count, by round."""
    slots = phases_by_slot(counted)
    levels = {slot: level_of(slot, by_round) for slot, by_round in slots.items()}
    total = total_of(counted, list(levels.values()))
    if not levels:
        totals = {number: run.total for number, run in counted.items() if run.total is not None}
        return LevelsHeld((), total, total, None, throughput_by_round(totals))
    best = max(levels, key=lambda slot: levels[slot].throughput_per_s.median)
    return LevelsHeld(tuple(levels.values()), total, levels[best], best[0], throughput_by_round(slots[best]))
