"""Warm-up: how long a run may be driven before anything counts, and whether it was steady by then. Pure functions."""

import math
from collections.abc import Sequence

import msgspec
from msgspec import UnsetType

from bakeoff.engines.stream import PhaseEnd
from bakeoff.results.warm_up import WarmUp
from bakeoff.running.modes import Phase
from bakeoff.workload.plan_records import PlannedPhase, UntilSteady

NAME = "Warm-up"
WINDOW_S = 3
TOLERANCE = 0.05

_SHORTEST_CAP_S = 10.0
_LONGEST_CAP_S = 30.0
_EXTENDED_TIMES = 2
# A Poisson count's deviation is its square root.
_DEVIATIONS_FORGIVEN = 3
RULE = (
    f"throughput of each of the last {WINDOW_S} s, and the mean of the {WINDOW_S} s before them, within "
    f"{TOLERANCE:.0%} of the mean of the last {WINDOW_S} s or within counting noise"
)

# Engines with this feature end the warm-up by the rule; others hold it for as long as it may last.
FEATURE = "until-steady"


def warm_up_cap_s(phases: Sequence[Phase], asked_s: float | None, extended: bool = False) -> float:
    """How long the warm-up may last: `asked_s`, or else as long as the shortest phase, from 10 to 30 s.

    A run of a contender that was not steady before may be warmed up for twice as long. Phases that count iterations
    (smoke) are not warmed up.
    """
    shortest_s = min((phase.duration_s for phase in phases if phase.duration_s is not None), default=None)
    if shortest_s is None:
        return 0.0
    usual = min(max(shortest_s, _SHORTEST_CAP_S), _LONGEST_CAP_S) if asked_s is None else asked_s
    return usual * _EXTENDED_TIMES if extended else usual


def warm_up_phase(first: Phase, cap_s: float) -> Phase:
    """The phase that goes before the first one, with its load."""
    return Phase(NAME, first.virtual_users, cap_s, rate_per_s=first.rate_per_s, arrivals=first.arrivals)


def planned_until_steady(warm_up: Phase) -> PlannedPhase:
    """The warm-up as a plan holds it for an engine that can end it by the rule."""
    return msgspec.structs.replace(warm_up.planned(), until_steady=UntilSteady(window_s=WINDOW_S, tolerance=TOLERANCE))


def is_steady(operations: Sequence[int], window_s: int = WINDOW_S, tolerance: float = TOLERANCE) -> bool:
    """Whether the latest seconds are steady, of which `operations` were acknowledged in each whole one.

    The contract's rule of until_steady, for engines that do not know it.
    """
    if len(operations) < 2 * window_s:
        return False
    latest, before = operations[-window_s:], operations[-2 * window_s : -window_s]
    mean = sum(latest) / window_s
    forgiven = max(tolerance * mean, _DEVIATIONS_FORGIVEN * math.sqrt(mean))
    return mean > 0 and all(abs(each - mean) <= forgiven for each in [*latest, sum(before) / window_s])


def steady_after(operations: Sequence[int]) -> int | None:
    """Seconds after which throughput was steady and stayed so to the end, or None where it was not at the end."""
    ends = range(len(operations), 0, -1)
    restless = next((end for end in ends if not is_steady(operations[:end])), 0)
    return None if restless == len(operations) else restless + 1


def judged(cap_s: float, phase_end: PhaseEnd, operations: Sequence[int]) -> WarmUp:
    """The record of a warm-up that might have lasted `cap_s`; `steady` is None where it was too short to tell.

    `phase_end` is the engine's record of it: one that ended it by the rule says when; `operations` are those of each
    whole second.
    """
    by_engine = phase_end.steady_after_s
    steady_s = steady_after(operations) if isinstance(by_engine, UnsetType) else by_engine
    too_short = steady_s is None and len(operations) < 2 * WINDOW_S
    return WarmUp(
        duration_s=round(phase_end.duration_ns / 1e9, 3),
        cap_s=cap_s,
        steady=None if too_short else steady_s is not None,
        steady_after_s=steady_s,
        operations_per_s=list(operations),
        rule=RULE,
    )
