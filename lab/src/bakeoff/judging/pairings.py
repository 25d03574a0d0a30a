"""Who is faster than whom: contenders compared round by round. Pure functions."""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import RatioTest, ratio_of
from bakeoff.judging.family import Decision, Key, pair_key
from bakeoff.judging.judgement import Pairing, Verdict
from bakeoff.judging.moderation import Prior

FindPairing = Callable[[str, str], Pairing | None]


@dataclass(frozen=True)
class ContenderRates:
    """A contender's throughput at its peak, by round.

    Contenders of one division are ranked against each other; `levels`, factor by factor, show which ones differ in one
    factor alone, together with the name of the target and the parts of its stack.
    """

    key: str
    division: Division
    levels: Mapping[str, str]
    by_round: Mapping[int, float]
    target: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)


Pair = tuple[ContenderRates, ContenderRates]


def log_ratios(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    """Logarithms of one ÷ other in each round that both have."""
    both = sorted(one.keys() & other.keys())
    return {number: math.log(one[number] / other[number]) for number in both if one[number] > 0 and other[number] > 0}


def pairs_of(contenders: Iterable[ContenderRates]) -> list[Pair]:
    """Every two contenders of a division that share a round."""
    return [
        (one, other)
        for one, other in itertools.combinations(contenders, 2)
        if one.division == other.division and log_ratios(one.by_round, other.by_round)
    ]


def key_of(pair: Pair) -> Key:
    return pair_key(pair[0].key, pair[1].key)


def ratio_test(pair: Pair, prior: Prior) -> RatioTest:
    """How many times the other's throughput the first reaches; `prior` is what the variances of all have in common."""
    one, other = pair
    return ratio_of(list(log_ratios(one.by_round, other.by_round).values()), prior)


def pairing(one: str, other: str, test: RatioTest, decision: Decision) -> Pairing:
    """A pair as the family decides on it."""
    return Pairing(
        one,
        other,
        decision.ratio,
        test.p_value,
        decision.p_adjusted,
        decision.verdict_on(decision.ratio),
        decision.detectable,
        decision.equivalent_within,
    )


def pairing_of(pairings: Sequence[Pairing]) -> FindPairing:
    """A look-up of what is known of the first against the second, whichever way round it was compared."""
    known = {(pairing.one, pairing.other): pairing for pairing in pairings}
    known |= {(pairing.other, pairing.one): pairing.inverted() for pairing in pairings}
    return lambda one, other: known.get((one, other))


@dataclass(frozen=True)
class Place:
    """A rank from 1, and the contenders that could not be separated from this one."""

    rank: int
    tied_with: Sequence[str]


@dataclass(frozen=True)
class Field:
    """Contenders by their medians, and their pairs. Those that are not `ranked` have no place, and may take one away.

    Of contenders that share no round, or too few, the medians decide. A contender without a rank that did more stands
    ahead, unless the pair shows that it is slower.
    """

    medians: Mapping[str, float]
    find_pairing: FindPairing
    ranked: Collection[str]

    def verdict(self, one: str, other: str) -> Verdict:
        """The verdict on the first against the second."""
        pairing = self.find_pairing(one, other)
        return "unknown" if pairing is None else pairing.verdict

    def is_ahead(self, one: str, other: str) -> bool:
        """Whether the first counts as faster than the second."""
        verdict = self.verdict(one, other)
        if verdict == "unknown" or (verdict == "tie" and one not in self.ranked):
            return self.medians[one] > self.medians[other]
        return verdict == "faster"

    def place(self, key: str) -> Place:
        """One more than the number of contenders ahead.

        Ties are no chain: where A ties with B and B with C, C still stands behind A if A is faster.
        """
        others = [other for other in self.by_speed() if other != key]
        tied = [other for other in others if other in self.ranked and self.verdict(key, other) == "tie"]
        return Place(1 + sum(self.is_ahead(other, key) for other in others), tuple(tied))

    def by_speed(self) -> list[str]:
        """All of them, the highest median first."""
        return sorted(self.medians, key=lambda key: (-self.medians[key], key))


def places(
    medians: Mapping[str, float], pairings: Sequence[Pairing], ranked: Collection[str] | None = None
) -> dict[str, Place]:
    """The places of those that are ranked (all, unless given) in a division or at one load."""
    field = Field(medians, pairing_of(pairings), medians if ranked is None else ranked)
    return {key: field.place(key) for key in field.by_speed() if key in field.ranked}
