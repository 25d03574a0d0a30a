"""Where a run to saturation found the most that a contender can do: a plateau, or errors that spike. Pure functions.

As documented: the phase where throughput plateaus, or where more than 10 % of the requests fail.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.judging.capacity import best_level
from bakeoff.judging.judgement import Level
from bakeoff.results.finding_kinds import SATURATION_POINT

_PLATEAU, _SPIKE = SATURATION_POINT.limits


@dataclass(frozen=True)
class Saturation:
    """The fewest users that reach 95% of the most, and what more of them did; None where there were no more."""

    level: Level
    beyond: Level | None

    @property
    def is_spike(self) -> bool:
        """Whether more users made requests fail."""
        return self.beyond is not None and _has_spike(self.beyond)

    @property
    def gain(self) -> float:
        """The relative change with more users."""
        own = self.level.throughput_per_s.median
        return 0.0 if self.beyond is None or own <= 0 else self.beyond.throughput_per_s.median / own - 1


def saturation_of(levels: Sequence[Level]) -> Saturation | None:
    """Of levels of virtual users; None in the open model, with a single level, and where errors spike at the first."""
    closed = sorted((level for level in levels if level.virtual_users), key=lambda level: level.virtual_users)
    first_spike = next((place for place, level in enumerate(closed) if _has_spike(level)), len(closed))
    answered = closed[:first_spike]
    best = best_level(answered)
    if best is None or len(closed) < 2:
        return None
    enough = best.throughput_per_s.median * (1 - _PLATEAU)
    place = next(place for place, level in enumerate(answered) if level.throughput_per_s.median >= enough)
    return Saturation(closed[place], closed[place + 1] if place + 1 < len(closed) else None)


def _has_spike(level: Level) -> bool:
    return level.requests > 0 and level.failed / level.requests > _SPIKE
