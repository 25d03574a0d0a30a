"""The effect of one factor while all others are equal. Pure functions."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Decision, Key
from bakeoff.judging.judgement import Effect
from bakeoff.judging.moderation import Prior
from bakeoff.judging.pairings import ContenderRates, FindPairing, Pair, key_of, log_ratios


@dataclass(frozen=True)
class Match:
    """Contenders at two levels of a factor that are alike in all else, pair by pair, and the test of all together."""

    factor: str
    one: str
    other: str
    pairs: Sequence[Pair]
    test: RatioTest
    operation: str = ""
    load: str = ""

    @property
    def key(self) -> Key:
        """A single pair is tested once, whether it is called a pair or an effect."""
        if len(self.pairs) == 1 and not self.operation:
            return key_of(self.pairs[0])
        members = sorted(each.key for pair in self.pairs for each in pair)
        return ("effect", self.factor, self.one, self.other, self.operation, *members)

    def effect(self, decision: Decision, find_pairing: FindPairing) -> Effect:
        """As the family decides on it; the faster level is `one`."""
        ratio, one, other = decision.ratio, self.one, self.other
        pairs = [found for first, second in self.pairs if (found := find_pairing(first.key, second.key)) is not None]
        if ratio.median < 1:
            ratio, one, other, pairs = ratio.inverted(), other, one, [pair.inverted() for pair in pairs]
        return Effect(
            self.factor,
            one,
            other,
            ratio,
            [] if self.operation else pairs,
            self.test.p_value,
            decision.p_adjusted,
            decision.verdict_on(ratio),
            self.operation,
            self.load,
        )


def matches_of(contenders: Sequence[ContenderRates], prior: Prior) -> list[Match]:
    """Every two levels of every factor that contenders alike in all else differ in.

    `prior` is what the variances of all contenders have in common.
    """
    factors = sorted({factor for contender in contenders for factor in contender.levels})
    return [
        match
        for factor in factors
        for one, other in itertools.combinations(sorted({each.levels.get(factor, "") for each in contenders} - {""}), 2)
        if (match := _match(factor, one, other, contenders, prior)) is not None
    ]


def _match(factor: str, one: str, other: str, contenders: Sequence[ContenderRates], prior: Prior) -> Match | None:
    matched = _matched(factor, one, other, contenders)
    means = _mean_by_round([log_ratios(first.by_round, second.by_round) for first, second in matched])
    if not means:
        return None
    # Of the mean over pairs; those that share a contender are no more than one.
    apart = min(len({id(first) for first, _ in matched}), len({id(second) for _, second in matched}))
    return Match(factor, one, other, matched, ratio_of(means, prior, times=2 / apart))


def _matched(factor: str, one: str, other: str, contenders: Sequence[ContenderRates]) -> list[Pair]:
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
