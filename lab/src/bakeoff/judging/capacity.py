"""The capacity of a contender from its phases: best, best within limits, breaking point, saturation. Pure functions."""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.judging.judgement import Level
from bakeoff.results.finding_kinds import SATURATION_POINT

# As good as the best: the last twentieth is not worth twice the users.
_NEAR_THE_BEST = 0.05
# More users and clearly less done.
_FALL = 0.10
_PLATEAU, _SPIKE = SATURATION_POINT.limits


def best_level(levels: Sequence[Level]) -> Level | None:
    """The level of the highest median throughput; of equals the first. None where there is no level."""
    return max(levels, key=lambda level: level.throughput_per_s.median, default=None)


def optimal_users(keeping: Sequence[Level]) -> int | None:
    """The fewest virtual users that reach 95% of the maximum sustainable throughput; None in the open model.

    `keeping` are the levels that keep the objectives.
    """
    closed = _closed(keeping)
    best = best_level(closed)
    if best is None:
        return None
    enough = best.throughput_per_s.median * (1 - _NEAR_THE_BEST)
    return next(level.virtual_users for level in closed if level.throughput_per_s.median >= enough)


def breaking_users(levels: Sequence[Level], keeping: Sequence[Level]) -> int | None:
    """The first number of users at which an objective breaks, or throughput falls a tenth below what fewer reached.

    None where nothing broke, and in the open model. `keeping` are those of the levels that keep the objectives.
    """
    best_so_far = 0.0
    for level in _closed(levels):
        throughput = level.throughput_per_s.median
        if not any(level is each for each in keeping) or throughput < best_so_far * (1 - _FALL):
            return level.virtual_users
        best_so_far = max(best_so_far, throughput)
    return None


def _closed(levels: Sequence[Level]) -> list[Level]:
    return sorted((level for level in levels if level.virtual_users > 0), key=lambda level: level.virtual_users)


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
    """As documented: the phase where throughput plateaus, or where more than 10 % of the requests fail.

    None in the open model, with a single level, and where errors spike at the first.
    """
    closed = _closed(levels)
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
