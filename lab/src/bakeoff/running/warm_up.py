"""Settling: how long a level may be driven before it is measured, and whether it was steady by then. Pure functions."""

import math
from collections.abc import Sequence

import msgspec
from msgspec import UnsetType

from bakeoff.engines.stream import PhaseEnd
from bakeoff.results import histograms
from bakeoff.results.warm_up_record import ColdStart, Settled
from bakeoff.running.modes import Phase, shortest_s
from bakeoff.workload.plan_records import PlannedPhase, UntilSteady

WARM_UP = "Warm-up"
SETTLING = "Settling"
COLD_START = "Cold start"
WINDOW_S = 3
TOLERANCE = 0.05

# The first half minute of a process, reported by itself on request, and the longest time until it is steady then.
COLD_S = 30.0
LONGEST_UNTIL_STEADY_S = 300.0

# A JVM on two cores compiles for half a minute and more; what is steady sooner does not wait for the cap.
_CAP_OF_PHASE = 3
_SHORTEST_CAP_S = 10.0
_LONGEST_CAP_S = 60.0
# A Poisson count's deviation is its square root.
_DEVIATIONS_FORGIVEN = 3
RULE = (
    f"throughput of each of the last {WINDOW_S} s, and the mean of the {WINDOW_S} s before them, within "
    f"{TOLERANCE:.0%} of the mean of the last {WINDOW_S} s or within counting noise"
)

# Engines with this feature end settling by the rule; others hold it for as long as it may last.
FEATURE = "until-steady"


def warm_up_cap_s(phases: Sequence[Phase], asked_s: float | None) -> float:
    """How long the first level may settle: `asked_s`, or else three times the shortest phase, 10 to 60 s.

    Phases that count iterations (smoke) do not settle.
    """
    shortest = shortest_s(phases)
    if shortest is None:
        return 0.0
    if asked_s is not None:
        return asked_s
    return min(max(_CAP_OF_PHASE * shortest, _SHORTEST_CAP_S), _LONGEST_CAP_S)


def settle_cap_s(phases: Sequence[Phase], asked_s: float | None, warm_up_s: float) -> float:
    """How long each later level may settle: `asked_s`, or else as long as the shortest phase, at most the warm-up."""
    shortest = shortest_s(phases)
    if shortest is None:
        return 0.0
    return min(shortest, warm_up_s) if asked_s is None else asked_s


def until_steady(planned: PlannedPhase) -> PlannedPhase:
    """A phase of a plan for an engine that can end it by the rule."""
    return msgspec.structs.replace(planned, until_steady=UntilSteady(window_s=WINDOW_S, tolerance=TOLERANCE))


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


def settled(level: int, cap_s: float, phase_end: PhaseEnd, operations: Sequence[int]) -> Settled:
    """The record of how a level, by its number, settled; `steady` is None where it was too short.

    `phase_end` is the engine's record of it: one that ended it by the rule says when; `operations` are those of each
    whole second.
    """
    by_engine = phase_end.steady_after_s
    steady_s = steady_after(operations) if isinstance(by_engine, UnsetType) else by_engine
    too_short = steady_s is None and len(operations) < 2 * WINDOW_S
    return Settled(
        phase=level,
        duration_s=round(phase_end.duration_ns / 1e9, 3),
        cap_s=cap_s,
        steady=None if too_short else steady_s is not None,
        steady_after_s=steady_s,
        operations_per_s=list(operations),
    )


def cold_start(phase_end: PhaseEnd, operations: Sequence[int]) -> ColdStart:
    """The first half minute by itself; `operations` are those of each whole second."""
    latency = histograms.summarise(histograms.merge([phase_end.latency_histogram]))
    in_window = phase_end.operations - phase_end.operations_late
    seconds = (phase_end.planned_ns or phase_end.duration_ns) / 1e9
    return ColdStart(
        duration_s=round(seconds, 3),
        operations=phase_end.operations,
        throughput_per_s=in_window / seconds if seconds else 0.0,
        p50_ms=latency.percentiles_ms["p50"],
        p99_ms=latency.percentiles_ms["p99"],
        operations_per_s=list(operations),
    )
