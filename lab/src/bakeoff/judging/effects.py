"""What one factor did while all others stayed alike. Pure functions."""

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bakeoff.judging.estimates import ratio_of
from bakeoff.judging.judgement import Effect
from bakeoff.judging.pairings import inverted_ratio, log_ratios


@dataclass(frozen=True)
class Levelled:
    """A contender as its levels, factor by factor, and its throughput by round."""

    levels: Mapping[str, str]
    rates: Mapping[int, float]


def effects_of(contenders: Sequence[Levelled]) -> list[Effect]:
    """Every two levels of every factor that contenders alike in all else differ in; the faster level is `one`."""
    factors = sorted({factor for contender in contenders for factor in contender.levels})
    found = (
        _effect(factor, one, other, contenders)
        for factor in factors
        for one, other in itertools.combinations(_levels(factor, contenders), 2)
    )
    return [effect for effect in found if effect is not None]


def _levels(factor: str, contenders: Sequence[Levelled]) -> list[str]:
    return sorted({contender.levels[factor] for contender in contenders if factor in contender.levels})


def _effect(factor: str, one: str, other: str, contenders: Sequence[Levelled]) -> Effect | None:
    matched = [
        ratios
        for first, second in _matched(factor, one, other, contenders)
        if (ratios := log_ratios(first.rates, second.rates))
    ]
    means = _mean_by_round(matched)
    if not means:
        return None
    ratio = ratio_of(means).ratio
    if ratio.median < 1:
        one, other, ratio = other, one, inverted_ratio(ratio)
    return Effect(factor, one, other, ratio, len(matched))


def _matched(factor: str, one: str, other: str, contenders: Sequence[Levelled]) -> Iterable[tuple[Levelled, Levelled]]:
    """Contenders at both levels that share every other factor's level."""
    at_one = [contender for contender in contenders if contender.levels.get(factor) == one]
    at_other = [contender for contender in contenders if contender.levels.get(factor) == other]
    for first, second in itertools.product(at_one, at_other):
        if _without(factor, first.levels) == _without(factor, second.levels):
            yield first, second


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
