"""Who is faster than whom: contenders compared round by round. Pure functions."""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.contender_runs import Division
from bakeoff.judging.estimates import CONFIDENCE, RatioTest, holm, ratio_of
from bakeoff.judging.judgement import Estimate, Pairing, Verdict
from bakeoff.judging.moderation import Prior


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


def pairing_of(pairings: Sequence[Pairing]) -> Callable[[str, str], Pairing | None]:
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


def places(medians: Mapping[str, float], pairings: Sequence[Pairing]) -> dict[str, Place]:
    """The place of each contender of one division; `medians` are their throughputs.

    The rank is one more than the number of contenders that are surely faster. Ties are no chain: where A ties with B
    and B with C, C still stands behind A if A is surely faster. Where it is unknown (too few rounds, or none in
    common), the medians decide, and no tie is claimed.
    """
    find_pairing = pairing_of(pairings)

    def is_faster(one: str, other: str) -> bool:
        pairing = find_pairing(one, other)
        if pairing is None or pairing.verdict == "unknown":
            return medians[one] > medians[other]
        return pairing.verdict == "faster"

    def ties(one: str, other: str) -> bool:
        pairing = find_pairing(one, other)
        return pairing is not None and pairing.verdict == "tie"

    by_speed = sorted(medians, key=lambda key: (-medians[key], key))
    return {
        key: Place(
            rank=1 + sum(is_faster(other, key) for other in by_speed if other != key),
            tied_with=tuple(other for other in by_speed if other != key and ties(key, other)),
        )
        for key in by_speed
    }
