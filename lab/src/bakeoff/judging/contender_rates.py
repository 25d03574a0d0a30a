"""The throughput of a contender by round, for comparisons of contenders."""

from collections.abc import Mapping
from dataclasses import dataclass

from bakeoff.judging.contender_runs import Division


@dataclass(frozen=True)
class ContenderRates:
    """A contender's throughput at its peak, by round.

    Contenders of one division are ranked against each other; `levels`, factor by factor, tell which ones differ in one
    factor alone.
    """

    key: str
    division: Division
    levels: Mapping[str, str]
    by_round: Mapping[int, float]
