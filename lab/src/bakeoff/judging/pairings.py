"""Who is faster than whom: contenders compared round by round. Pure functions."""

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import CONFIDENCE, RatioTest, holm, ratio_of
from bakeoff.judging.judgement import Estimate, Pairing, Verdict
from bakeoff.judging.moderation import Prior

FindPairing = Callable[[str, str], Pairing | None]


@dataclass(frozen=True)
class ContenderRates:
    """A contender's throughput at its peak, by round.

    Contenders of one division are ranked against each other; `levels`, factor by factor, show which ones differ in one
    factor alone.
    """

    key: str
    division: Division
    levels: Mapping[str, str]
    by_round: Mapping[int, float]


def log_ratios(one: Mapping[int, float], other: Mapping[int, float]) -> dict[int, float]:
    """Logarithms of one ÷ other in each round that both have."""
    both = sorted(one.keys() & other.keys())
    return {number: math.log(one[number] / other[number]) for number in both if one[number] > 0 and other[number] > 0}


def pairings_of(contenders: Sequence[ContenderRates], prior: Prior, smallest_claim: float | None) -> list[Pairing]:
    """Every two contenders of a division that share a round, with Holm's correction over all of them.

    `prior` is what the variances of all contenders have in common.
    """
    pairs = itertools.combinations(contenders, 2)
    return pairings_between(
        [(one, other) for one, other in pairs if one.division == other.division], prior, smallest_claim
    )


def pairings_between(
    pairs: Sequence[tuple[ContenderRates, ContenderRates]], prior: Prior, smallest_claim: float | None
) -> list[Pairing]:
    """These pairs, as far as they share a round, with Holm's correction over all of them."""
    tested = [
        (one, other, ratio_of(list(logs.values()), prior))
        for one, other in pairs
        if (logs := log_ratios(one.by_round, other.by_round))
    ]
    adjusted = holm([test.p_value for _, _, test in tested])
    return [
        _pairing(one.key, other.key, test, p_adjusted, smallest_claim)
        for (one, other, test), p_adjusted in zip(tested, adjusted, strict=True)
    ]


def verdict_on(ratio: Estimate, p_adjusted: float | None, smallest_claim: float | None) -> Verdict:
    """Faster or slower only where the interval leaves out 1, Holm agrees, and the noise floor does not reach.

    Without an interval nothing is known.
    """
    if ratio.low is None or ratio.high is None or p_adjusted is None:
        return "unknown"
    surely = not ratio.low <= 1 <= ratio.high and p_adjusted <= 1 - CONFIDENCE
    difference = max(ratio.median, 1 / ratio.median) - 1
    if not surely or difference < (smallest_claim or 0.0):
        return "tie"
    return "faster" if ratio.median > 1 else "slower"


def pairing_of(pairings: Sequence[Pairing]) -> FindPairing:
    """A look-up of what is known of the first against the second, whichever way round it was compared."""
    known = {(pairing.one, pairing.other): pairing for pairing in pairings}
    known |= {(pairing.other, pairing.one): pairing.inverted() for pairing in pairings}
    return lambda one, other: known.get((one, other))


def _pairing(one: str, other: str, test: RatioTest, p_adjusted: float | None, smallest_claim: float | None) -> Pairing:
    verdict = verdict_on(test.ratio, p_adjusted, smallest_claim)
    return Pairing(one, other, test.ratio, test.p_value, p_adjusted, verdict)


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
