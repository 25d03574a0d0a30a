"""How probable it is that two measurements of the same thing differ so much by chance. Pure functions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from bakeoff.judging.estimates import Spread, student_p_value


@dataclass(frozen=True)
class Sides:
    """The values of one figure on both sides, one for each round. None of them is 0."""

    before: Sequence[float]
    after: Sequence[float]

    @property
    def log_change(self) -> float:
        """The logarithm of after ÷ before, of their geometric means."""
        return fmean(map(math.log, self.after)) - fmean(map(math.log, self.before))


def chances(figures: Sequence[Sides]) -> list[float | None]:
    """For each figure, how probable it is that chance alone sets its sides that far apart; None where it is unknown.

    Student's test of two means. The rounds of one figure say little of their spread: what all figures' rounds say
    together counts where it is the larger.
    """
    spreads = [_spread([sides]) for sides in figures]
    common = _spread(figures)
    return [_chance(sides, spread, common) for sides, spread in zip(figures, spreads, strict=True)]


def _chance(sides: Sides, own: Spread | None, common: Spread | None) -> float | None:
    if common is None:
        return None
    deviation = max(common.deviation, own.deviation if own is not None else 0.0)
    of_means = deviation * math.sqrt(1 / len(sides.before) + 1 / len(sides.after))
    return student_p_value(sides.log_change, of_means, common.degrees)


def _spread(figures: Sequence[Sides]) -> Spread | None:
    """The spread between rounds, pooled; None where nothing was measured twice."""
    logs = [[math.log(value) for value in values] for sides in figures for values in (sides.before, sides.after)]
    several = [values for values in logs if len(values) >= 2]
    degrees = sum(len(values) - 1 for values in several)
    if degrees == 0:
        return None
    squares = sum(variance(values) * (len(values) - 1) for values in several)
    return Spread(math.sqrt(squares / degrees), degrees)
