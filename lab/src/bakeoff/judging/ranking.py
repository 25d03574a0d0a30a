"""Places in the order of throughput, shared by ties. Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Pairing
from bakeoff.judging.pairings import pairing_of


@dataclass(frozen=True)
class Place:
    """A rank from 1, and the contenders that could not be told apart from this one."""

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
