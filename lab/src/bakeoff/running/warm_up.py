"""Warm-up: how long a run is driven before anything counts, and whether it was steady by then. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bakeoff.running.modes import Phase

NAME = "Warm-up"
WINDOW_S = 3
TOLERANCE = 0.05

_LONGEST_S = 30.0
_EXTENDED_TIMES = 2
RULE = f"throughput of {WINDOW_S} s in a row within {TOLERANCE:.0%} of their mean, or within counting noise"


def warm_up_seconds(phases: Sequence[Phase], asked_s: float | None, extended: bool = False) -> float:
    """How long to warm up: what was asked for, else as long as the shortest phase and at most 30 s.

    A run of a contender that was not steady before is warmed up for twice as long. Phases that count iterations
    (smoke) are not warmed up.
    """
    shortest = min((phase.duration_s for phase in phases if phase.duration_s is not None), default=0.0)
    usual = min(shortest, _LONGEST_S) if asked_s is None else asked_s
    return usual * _EXTENDED_TIMES if extended else usual


def warm_up_phase(first: Phase, seconds: float) -> Phase:
    """The phase that goes before the first one, with its load."""
    return Phase(NAME, first.virtual_users, seconds, rate_per_s=first.rate_per_s, arrivals=first.arrivals)


def steady_after(operations: Sequence[int]) -> int | None:
    """Seconds until throughput was steady for the first time, or None where it never was.

    `operations` are those of each whole second. Few operations vary by chance alone: three times the square root of
    their mean (a Poisson count's deviation) is forgiven.
    """
    for end in range(WINDOW_S, len(operations) + 1):
        window = operations[end - WINDOW_S : end]
        mean = sum(window) / WINDOW_S
        forgiven = max(TOLERANCE * mean, 3 * math.sqrt(mean))
        if mean > 0 and max(abs(count - mean) for count in window) <= forgiven:
            return end
    return None


def judged(seconds: float, operations: Sequence[int]) -> Mapping[str, Any]:
    """The record of a warm-up: `steady` is None where it was too short to tell."""
    steady_s = steady_after(operations)
    return {
        "duration_s": seconds,
        "steady": None if len(operations) < WINDOW_S else steady_s is not None,
        "steady_after_s": steady_s,
        "operations_per_s": list(operations),
        "rule": RULE,
    }
