"""The effect of one factor while all others are equal. Pure functions."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import holm, ratio_of
from bakeoff.judging.judgement import Effect
from bakeoff.judging.moderation import NONE, Prior
from bakeoff.judging.pairings import ContenderRates, log_ratios, pairings_between, verdict_on


def effects_of(contenders: Sequence[ContenderRates], prior: Prior = NONE) -> list[Effect]:
    """Every two levels of every factor that contenders alike in all else differ in; the faster level is `one`.

    `prior` is what the variances of all contenders have in common. Holm's correction is over all effects.
    """
    factors = sorted({factor for contender in contenders for factor in contender.levels})
    effects = [
        effect
        for factor in factors
        for one, other in itertools.combinations(sorted({each.levels.get(factor, "") for each in contenders} - {""}), 2)
        if (effect := _effect(factor, one, other, contenders, prior)) is not None
    ]
    adjusted = holm([effect.p_value for effect in effects])
    return [
        replace(effect, p_adjusted=p_value, verdict=verdict_on(effect.ratio, p_value, smallest_claim=None))
        for effect, p_value in zip(effects, adjusted, strict=True)
    ]


def _effect(factor: str, one: str, other: str, contenders: Sequence[ContenderRates], prior: Prior) -> Effect | None:
    matched = _matched(factor, one, other, contenders)
    means = _mean_by_round([log_ratios(first.by_round, second.by_round) for first, second in matched])
    if not means:
        return None
    # Of the mean over pairs; those that share a contender are no more than one.
    apart = min(len({id(first) for first, _ in matched}), len({id(second) for _, second in matched}))
    test = ratio_of(means, prior, times=2 / apart)
    pairs = pairings_between(matched, prior, smallest_claim=None)
    if test.ratio.median >= 1:
        return Effect(factor, one, other, test.ratio, pairs, test.p_value)
    return Effect(factor, other, one, test.ratio.inverted(), [pair.inverted() for pair in pairs], test.p_value)


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
    """Class and payload are factors themselves; a contender that keeps less of what it acknowledged does other work."""
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
