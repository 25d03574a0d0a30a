"""The capacity of a contender from its phases: the best, the best within limits, the breaking point. Pure functions."""

from collections.abc import Sequence

from bakeoff.judging.judgement import Level
from bakeoff.judging.slo import Slo, broken, figures_of_level

# As good as the best: the last twentieth is not worth twice the users.
_NEAR_THE_BEST = 0.05
# More users and clearly less done.
_FALL = 0.10


def holds(level: Level, slo: Slo) -> bool:
    """Whether a level keeps all objectives."""
    return not broken(slo, figures_of_level(level))


def best_level(levels: Sequence[Level]) -> Level | None:
    """The level of the highest median throughput; of equals the first. None where there is no level."""
    return max(levels, key=lambda level: level.throughput_per_s.median, default=None)


def sustainable_level(levels: Sequence[Level], slo: Slo) -> Level | None:
    """The best level of those that keep the objectives: maximum sustainable throughput. None where none does."""
    return best_level([level for level in levels if holds(level, slo)])


def optimal_users(levels: Sequence[Level], slo: Slo) -> int | None:
    """The fewest virtual users that reach 95% of the maximum sustainable throughput; None in the open model."""
    best = sustainable_level(_closed(levels), slo)
    if best is None:
        return None
    enough = best.throughput_per_s.median * (1 - _NEAR_THE_BEST)
    return next(
        level.virtual_users
        for level in _closed(levels)
        if level.throughput_per_s.median >= enough and holds(level, slo)
    )


def breaking_users(levels: Sequence[Level], slo: Slo) -> int | None:
    """The first number of users at which an objective breaks, or throughput falls a tenth below what fewer reached.

    None where nothing broke, and in the open model.
    """
    best_so_far = 0.0
    for level in _closed(levels):
        throughput = level.throughput_per_s.median
        if not holds(level, slo) or throughput < best_so_far * (1 - _FALL):
            return level.virtual_users
        best_so_far = max(best_so_far, throughput)
    return None


def _closed(levels: Sequence[Level]) -> list[Level]:
    return sorted((level for level in levels if level.virtual_users > 0), key=lambda level: level.virtual_users)
