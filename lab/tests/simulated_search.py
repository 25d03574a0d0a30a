"""Searches for a rate on a machine that drifts, with a known truth."""

import math
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from bakeoff.judging.capacity_search import (
    TriedRate,
    bracket,
    confirmation,
    is_confirmed,
    limit_of,
    next_rate,
    ratio_of,
)

# Trials of a target after which a drift is complete, of a search of about twenty.
_TRIALS = 20

DRIFTS: Mapping[str, Callable[[float], float]] = {
    "steady": lambda _done: 0.0,
    "linear": lambda done: done,
    "wave": lambda done: 0.5 + 0.5 * math.sin(3 * math.pi * done),
    "jump": lambda done: float(done > 0.6),
}


@dataclass(frozen=True)
class Drifting:
    """A machine that slows its targets down by `drift` in a shape of DRIFTS; `noise` is that of a trial's own limit."""

    shape: str
    drift: float
    noise: float


@dataclass(frozen=True)
class Searched:
    """Whether the intervals contain the limit of the first target and the ratio of both, and trials of each target."""

    has_limit: bool
    has_ratio: bool
    trials: float


def searched(machine: Drifting, seed: int) -> Searched:
    """Two targets, in turn, trial by trial, as `run rate --slo` searches them."""
    chance = random.Random(seed)
    limits = [1000 * math.exp(chance.uniform(0, 2.5)) for _ in range(2)]
    trials: list[list[TriedRate]] = [[], []]
    confirmed_at: list[float] = []

    def tried(number: int, trial: TriedRate) -> None:
        done = min(1.0, sum(map(len, trials)) / (_TRIALS * len(trials)))
        slowed = math.log1p(-machine.drift) * DRIFTS[machine.shape](done)
        held_up_to = limits[number] * math.exp(slowed + chance.gauss(0, machine.noise))
        trials[number].append(replace(trial, holds=trial.rate_per_s <= held_up_to))
        if number == 0 and trial.level_per_s is not None:
            confirmed_at.append(slowed)

    while any((rate := next_rate(own, 1000)) is not None for own in trials):
        for number, own in enumerate(trials):
            if (rate := next_rate(own, 1000)) is not None:
                tried(number, TriedRate(rate, holds=False))
    assert all(bracket(own)[0] is not None for own in trials)
    while not all(is_confirmed(own) for own in trials):
        for number in chance.sample(range(2), 2):
            tried(number, confirmation(trials[number], chance))
    limit, ratio = limit_of(trials[0]), ratio_of(trials[0], trials[1])
    assert limit.low is not None and limit.high is not None and ratio.low is not None and ratio.high is not None
    # The limit that was there while it was confirmed.
    truth = limits[0] * math.exp(sum(confirmed_at) / len(confirmed_at))
    return Searched(
        limit.low <= truth <= limit.high,
        ratio.low <= limits[0] / limits[1] <= ratio.high,
        sum(map(len, trials)) / len(trials),
    )
