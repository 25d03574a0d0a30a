"""The effect of one factor while all others are equal. Pure functions."""

import itertools
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Decision, Key
from bakeoff.judging.judgement import Effect
from bakeoff.judging.moderation import Prior
from bakeoff.judging.pairings import ContenderRates, FindPairing, Pair, key_of, log_ratios

# Parts of a stack that people choose in every language, so that no language brings its own.
_OF_NO_LANGUAGE = {"access"}

_Rest = tuple[tuple[str, str], Mapping[str, str], Collection[tuple[str, str]]]


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
        if self.key == key_of(self.pairs[0]) and pairs:
            # The decision is on the pair, which may have been compared the other way round.
            ratio = pairs[0].ratio
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
    factors = sorted({factor for contender in contenders for factor in (*contender.levels, *contender.parts)})
    return [match for factor in factors for match in _matches(factor, contenders, prior)]


def _matches(factor: str, contenders: Sequence[ContenderRates], prior: Prior) -> Iterator[Match]:
    """Of every two levels of one factor."""
    at: dict[str, list[tuple[ContenderRates, _Rest]]] = {}
    common = _common_parts(factor, contenders)
    for each in contenders:
        if level := _level(each, factor):
            at.setdefault(level, []).append((each, _rest(each, factor, common)))
    for one, other in itertools.combinations(sorted(at), 2):
        pairs = [
            (first, second)
            for (first, rest), (second, other_rest) in itertools.product(at[one], at[other])
            if rest == other_rest and log_ratios(first.by_round, second.by_round)
        ]
        if means := _mean_by_round([log_ratios(first.by_round, second.by_round) for first, second in pairs]):
            # Of the mean over pairs; those that share a contender are no more than one.
            apart = min(len({id(first) for first, _ in pairs}), len({id(second) for _, second in pairs}))
            yield Match(factor, one, other, pairs, ratio_of(means, prior, times=2 / apart))


def _level(contender: ContenderRates, factor: str) -> str:
    """A setting that a part of the stack shares its name with is the factor."""
    return contender.levels.get(factor) or contender.parts.get(factor, "")


def _common_parts(factor: str, contenders: Sequence[ContenderRates]) -> set[tuple[str, str]]:
    """Parts, and targets, that contenders at several levels of a factor have. The others come with their level."""
    found: dict[tuple[str, str], set[str]] = {}
    for each in contenders:
        for part in _made_of(each):
            found.setdefault(part, set()).add(_level(each, factor))
    return {part for part, levels in found.items() if len(levels) > 1}


def _rest(contender: ContenderRates, factor: str, common: Collection[tuple[str, str]]) -> _Rest:
    """All that must be alike in contenders at two levels of a factor.

    Class and payload are factors themselves; a contender that keeps less of what it acknowledged does other work. Of
    contenders that differ in one part of the stack, all other parts are the same.
    """
    division = (contender.division.workload, contender.division.durability)
    levels = {name: level for name, level in contender.levels.items() if name != factor}
    if factor in contender.levels:
        parts = {part for part in _made_of(contender) if part in common or part[0] in _OF_NO_LANGUAGE}
    else:
        parts = {(part, what) for part, what in contender.parts.items() if part != factor}
    return (division, levels, parts)


def _made_of(contender: ContenderRates) -> Iterator[tuple[str, str]]:
    yield ("target", contender.target)
    yield from contender.parts.items()


def _mean_by_round(matched: Sequence[Mapping[int, float]]) -> list[float]:
    """The mean over all matched pairs in each round that all of them have.

    The pairs of one round share its weather: they are one observation, not several.
    """
    if not matched:
        return []
    rounds = sorted(set.intersection(*(set(ratios) for ratios in matched)))
    return [float(np.mean([ratios[number] for ratios in matched])) for number in rounds]
