"""The phases that an engine is given: each level, in the order of the round, after the time in which it settles."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from bakeoff.running.modes import Phase
from bakeoff.running.warm_up import COLD_S, COLD_START, SETTLING, WARM_UP, until_steady
from bakeoff.workload.plan_records import PlannedPhase

_SLICE_S = 1.0
# The crash ends it long before.
_CRASH_WITHIN_S = 120.0


@dataclass(frozen=True)
class Settling:
    """How long throughput may settle before a level is measured; 0: not at all.

    `first_s` is the limit before the first level of a run, where target and tables are still cold, and `later_s` that
    before each other level. `reports_start`: the first half minute is measured by itself, and then settling begins.
    `is_asked`: the user gave the first limit. `holds`: the first level settles for all of it, steady or not.
    """

    first_s: float = 0.0
    later_s: float = 0.0
    reports_start: bool = False
    is_asked: bool = False
    holds: bool = False

    def before(self, warm_up_s: float) -> "Settling":
        """The same for a target that states how long it warms up: what is steady sooner may be a compiler at work."""
        if not warm_up_s or not self.first_s or self.is_asked:
            return self
        first_s = warm_up_s if self.reports_start else max(warm_up_s, self.first_s)
        return replace(self, first_s=first_s, holds=True)

    @property
    def once(self) -> "Settling":
        """The same before a single level, without a report of the start."""
        return replace(self, later_s=0.0, reports_start=False)


@dataclass(frozen=True)
class PlannedStep:
    """One phase of the plan. It measures a level (an index into the mode's phases), or comes before the one it names.

    What does not measure is in no figure. `ends_when_steady`: an engine that can ends it by the rule. A level may be
    measured in several slices, which count from 0. `crashes`: the database is killed in it, and the run ends.
    """

    phase: Phase
    level: int
    measures: bool
    ends_when_steady: bool = False
    slice: int = 0
    crashes: bool = False

    @property
    def settles(self) -> bool:
        return not self.measures and not self.crashes

    def planned(self) -> PlannedPhase:
        return until_steady(self.phase.planned()) if self.ends_when_steady else self.phase.planned()


def steps_of(
    levels: Sequence[Phase],
    order: Sequence[int],
    settling: Settling,
    *,
    can_end_when_steady: bool,
    in_slices: bool = False,
) -> list[PlannedStep]:
    """The steps of a run that measures its levels in this order (indices; empty: as they are declared).

    `in_slices`: levels of a duration are measured in slices of a second, between which the run can wait.
    """
    steps: list[PlannedStep] = []
    # Beside closed levels a rate is compared by latency, which falls for longer than throughput is unsteady.
    is_mixed = len({level.rate_per_s is None for level in levels}) > 1
    for place, level in enumerate(order or range(len(levels))):
        phase = levels[level]
        if place == 0 and settling.reports_start:
            steps.append(PlannedStep(replace(phase, name=COLD_START, duration_s=COLD_S), level, measures=False))
        limit_s = settling.first_s if place == 0 else settling.later_s
        if limit_s:
            name = WARM_UP if place == 0 else SETTLING
            settling_phase = replace(phase, name=name, duration_s=limit_s)
            holds = place == 0 and settling.holds
            ends = can_end_when_steady and not holds and not (is_mixed and phase.rate_per_s is not None)
            steps.append(PlannedStep(settling_phase, level, False, ends_when_steady=ends))
        slices = slices_of(phase) if in_slices else [phase]
        steps += [PlannedStep(each, level, measures=True, slice=number) for number, each in enumerate(slices)]
    return steps


def crash_step(levels: Sequence[Phase]) -> PlannedStep:
    """The step after the last window: its load is the heaviest that was measured, and goes on without a pause."""
    heaviest = max(range(len(levels)), key=lambda each: _weight(levels[each]))
    phase = replace(levels[heaviest], name="Over a crash", duration_s=_CRASH_WITHIN_S, iterations=None)
    return PlannedStep(phase, heaviest, measures=False, crashes=True)


def _weight(level: Phase) -> tuple[bool, float]:
    """The closed model takes what a target can do, and so more than any rate."""
    rate = level.rate_per_s
    return (rate is None, level.virtual_users if rate is None else rate)


def slices_of(level: Phase) -> list[Phase]:
    """The level in slices of a second; what is left of a second belongs to the last. Iterations stay together."""
    if level.duration_s is None or level.duration_s < 2 * _SLICE_S:
        return [level]
    count = int(level.duration_s // _SLICE_S)
    rest_s = level.duration_s - count * _SLICE_S
    return [replace(level, duration_s=_SLICE_S + (rest_s if number == count - 1 else 0)) for number in range(count)]
