"""How probable it is that two measurements of the same thing differ so much by chance. Pure functions."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, variance

from bakeoff.judging.estimates import student_p_value
from bakeoff.judging.moderation import Prior, prior_of


@dataclass(frozen=True)
class Sides:
    """The values of one figure on both sides, one for each round. None of them is 0.

    `paired`: those of a place were measured in the same round, so that what affected a whole round affected both.
    """

    before: Sequence[float]
    after: Sequence[float]
    paired: bool = False

    @property
    def log_change(self) -> float:
        """The logarithm of after ÷ before, of their geometric means."""
        return fmean(map(math.log, self.after)) - fmean(map(math.log, self.before))

    @property
    def samples(self) -> list[list[float]]:
        """Logarithms whose means are compared: of each side, or of the ratios round by round."""
        before, after = [math.log(value) for value in self.before], [math.log(value) for value in self.after]
        return [[new - old for old, new in zip(before, after, strict=True)]] if self.paired else [before, after]


def chances(figures: Sequence[Sides], more_is_worse: bool) -> list[float | None]:
    """For each figure, how probable it is that chance alone makes it that much worse; None where it is unknown.

    Welch's test of two means with Satterthwaite's degrees of freedom, or Student's of the rounds' ratios; one-sided,
    as only what is worse fails. Each variance is moderated by what those of all figures have in common.
    """
    several = [sample for sides in figures for sample in sides.samples if len(sample) >= 2]
    degrees = [len(sample) - 1 for sample in several]
    prior = prior_of([variance(sample) for sample in several], degrees, most_degrees=sum(degrees) / 2)
    return [_chance(sides, prior, 1 if more_is_worse else -1) for sides in figures]


def _chance(sides: Sides, prior: Prior, worse: int) -> float | None:
    if any(len(sample) < 2 for sample in sides.samples):
        return None
    parts = [(len(each), *prior.with_own(variance(each), len(each) - 1)) for each in sides.samples]
    squared_error = sum(spread / count for count, spread, _ in parts)
    uncertainty = sum((spread / count) ** 2 / degrees for count, spread, degrees in parts)
    degrees = squared_error**2 / uncertainty if uncertainty > 0 else sum(free for _, _, free in parts)
    two_sided = student_p_value(sides.log_change, math.sqrt(squared_error), degrees)
    return two_sided / 2 if worse * sides.log_change > 0 else 1 - two_sided / 2
