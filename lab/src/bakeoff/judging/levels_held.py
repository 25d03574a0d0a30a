"""The levels that a contender's runs held, and the one that it is ranked by. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Level
from bakeoff.judging.levels import level_of, phases_by_slot, throughput_by_round, total_of
from bakeoff.judging.ranking_level import ranking_level
from bakeoff.judging.slo import ranking_slo
from bakeoff.results.run import RunResult


@dataclass(frozen=True)
class LevelsHeld:
    """The levels in the order in which they were held, and the peak: the best that keeps the thresholds.

    Where none does the peak is the best of all, and `rates` is empty: nothing is ranked. Otherwise `rates` is what is
    compared, by round, each round at the level that the others choose. `peak_phase` is the number of the peak's phase,
    None where runs know only their total.
    """

    levels: Sequence[Level]
    total: Level | None
    peak: Level | None
    peak_phase: int | None
    rates: Mapping[int, float]


def levels_held(counted: Mapping[int, RunResult]) -> LevelsHeld:
    """The levels of runs that count, by round."""
    slots = phases_by_slot(counted)
    environment = max(counted.values(), key=lambda run: run.started_at).environment if counted else {}
    levels = {slot: level_of(slot, by_round, environment) for slot, by_round in slots.items()}
    total = total_of(counted, list(levels.values()), environment)
    if not levels:
        totals = {number: run.total for number, run in counted.items() if run.total is not None}
        return LevelsHeld((), total, total, None, throughput_by_round(totals))
    closed = {slot: rounds for slot, rounds in slots.items() if slot[3] is None}
    # Beside levels that show what can be done, those that hold a rate only show what was asked for.
    slots = closed or slots
    ranked = ranking_level(slots, ranking_slo())
    best = max(slots, key=lambda slot: levels[slot].throughput_per_s.median) if ranked is None else ranked.slot
    rates = {} if ranked is None else ranked.by_round
    return LevelsHeld(tuple(levels.values()), total, levels[best], best[0], rates)
