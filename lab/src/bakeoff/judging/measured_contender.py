"""A contender's runs, the levels that they held, and the one that it is ranked by. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.contender_runs import ContenderRuns
from bakeoff.judging.judgement import Level
from bakeoff.judging.levels import Slot, level_of, phases_by_slot, throughput_by_round, total_of
from bakeoff.judging.pairings import ContenderRates
from bakeoff.judging.ranking_level import Rounds, ranking_level
from bakeoff.judging.slo import Slo, broken, figures_over, ranking_slo
from bakeoff.judging.windows import ALL_WELL, Windows, are_counted, windows_of
from bakeoff.results.stack import stack_in


@dataclass(frozen=True)
class MeasuredContender:
    """A contender's levels in the order in which they were held, and its peak: the best that keeps the thresholds.

    Where none does the peak is the best of all, and `rates` is empty: nothing is ranked. Otherwise `rates` is what is
    compared, by round, each round at the level that the others choose; rounds with a trend are left out, and all of
    them where phases are counted. `peak_slot` is None where runs know only their total. `phases` are the levels'
    measurements.
    """

    runs: ContenderRuns
    phases: Mapping[Slot, Rounds]
    levels: Sequence[Level]
    total: Level | None
    peak: Level | None
    peak_slot: Slot | None
    rates: Mapping[int, float]
    windows: Windows = ALL_WELL

    @property
    def peak_phase(self) -> int | None:
        """The number of the peak's phase."""
        return None if self.peak_slot is None else self.peak_slot[0]

    def levels_within(self, slo: Slo) -> list[Level]:
        """The levels that keep all objectives."""
        by_rounds = zip(self.levels, self.phases.values(), strict=True)
        return [level for level, rounds in by_rounds if not broken(slo, figures_over([*rounds.values()]))]

    @property
    def compared(self) -> ContenderRates:
        runs, newest = self.runs, self.runs.newest
        parts = stack_in(newest.environment).parts
        return ContenderRates(runs.key, runs.division, runs.levels, self.rates, newest.target, parts)


def measured_contender(runs: ContenderRuns) -> MeasuredContender:
    """The levels of the runs that count."""
    phases, environment = phases_by_slot(runs.counted), runs.newest.environment if runs.counted else {}
    by_slot = {slot: level_of(slot, by_round, environment) for slot, by_round in phases.items()}
    levels = tuple(by_slot.values())
    total = total_of(runs.counted, levels, environment)
    if not levels:
        totals = {number: run.total for number, run in runs.counted.items() if run.total is not None}
        windows = windows_of(runs.counted, {})
        rates = _compared(runs, throughput_by_round(totals), windows)
        return MeasuredContender(runs, {}, (), total, total, None, rates, windows)
    # Beside levels that show what can be done, those that hold a rate only show what was asked for.
    slots = {slot: rounds for slot, rounds in phases.items() if slot[3] is None} or phases
    ranked = ranking_level(slots, ranking_slo())
    best = max(slots, key=lambda slot: by_slot[slot].throughput_per_s.median) if ranked is None else ranked.slot
    chosen = dict.fromkeys(phases[best], best) if ranked is None else ranked.chosen
    windows = windows_of(runs.counted, {number: slot[0] for number, slot in chosen.items()})
    rates = {} if ranked is None else _compared(runs, ranked.by_round, windows)
    return MeasuredContender(runs, phases, levels, total, by_slot[best], best, rates, windows)


def _compared(runs: ContenderRuns, rates: Mapping[int, float], windows: Windows) -> Mapping[int, float]:
    if are_counted(runs.counted) or runs.lost_in:
        return {}
    return {number: rate for number, rate in rates.items() if number not in windows.biased}
