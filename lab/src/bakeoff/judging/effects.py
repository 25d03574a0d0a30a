"""What one factor did while all others stayed alike. Pure functions."""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np

from bakeoff.judging.contender_rates import ContenderRates
from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import Spread, ratio_of
from bakeoff.judging.judgement import Effect
from bakeoff.judging.pairings import inverted_ratio, log_ratios


def effects_of(contenders: Sequence[ContenderRates], common: Spread | None = None) -> list[Effect]:
    """Every two levels of every factor that contenders alike in all else differ in; the faster level is `one`.

    `common` is the spread of one pair in one round that all contenders together show.
    """
    factors = sorted({factor for contender in contenders for factor in contender.levels})
    found = (
        _effect(factor, one, other, contenders, common)
        for factor in factors
        for one, other in itertools.combinations(_levels(factor, contenders), 2)
    )
    return [effect for effect in found if effect is not None]


def _levels(factor: str, contenders: Sequence[ContenderRates]) -> list[str]:
    return sorted({contender.levels[factor] for contender in contenders if factor in contender.levels})


def _effect(
    factor: str, one: str, other: str, contenders: Sequence[ContenderRates], common: Spread | None
) -> Effect | None:
    pairs = _matched(factor, one, other, contenders)
    means = _mean_by_round([log_ratios(first.by_round, second.by_round) for first, second in pairs])
    if not means:
        return None
    ratio = ratio_of(means, _of_a_mean(common, pairs)).ratio
    if ratio.median < 1:
        one, other, ratio = other, one, inverted_ratio(ratio)
    return Effect(factor, one, other, ratio, len(pairs))


def _of_a_mean(common: Spread | None, pairs: Sequence[tuple[ContenderRates, ContenderRates]]) -> Spread | None:
    """The spread of the mean over pairs; those that share a contender are no more than one."""
    if common is None:
        return None
    apart = min(len({id(first) for first, _ in pairs}), len({id(second) for _, second in pairs}))
    return Spread(common.deviation / math.sqrt(apart), common.degrees)


def _matched(
    factor: str, one: str, other: str, contenders: Sequence[ContenderRates]
) -> list[tuple[ContenderRates, ContenderRates]]:
    """Contenders at both levels that share every other factor's level and have rounds in common."""
    at_one = [contender for contender in contenders if contender.levels.get(factor) == one]
    at_other = [contender for contender in contenders if contender.levels.get(factor) == other]
    return [
        (first, second)
        for first, second in itertools.product(at_one, at_other)
        if _is_comparable(first.division, second.division)
        and _without(factor, first.levels) == _without(factor, second.levels)
        and log_ratios(first.by_round, second.by_round)
    ]


def _is_comparable(one: Division, other: Division) -> bool:
    """Class and payload are factors themselves; whoever keeps less of what it acknowledged does other work."""
    return (one.workload, one.durability) == (other.workload, other.durability)


def _without(factor: str, levels: Mapping[str, str]) -> dict[str, str]:
    return {name: level for name, level in levels.items() if name != factor}


def _mean_by_round(matched: Sequence[Mapping[int, float]]) -> list[float]:
    """The mean over all matched pairs in each round that all of them have.

    The pairs of one round share its weather: they are one observation, not several.
    """
    if not matched:
        return []
    rounds = sorted(set.intersection(*(set(ratios) for ratios in matched)))
    return [float(np.mean([ratios[number] for ratios in matched])) for number in rounds]
