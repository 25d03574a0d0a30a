"""One family of tests: whatever a report prints with a verdict is corrected together (Holm). Pure functions."""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from bakeoff.judging.distributions import student_quantile
from bakeoff.judging.estimates import CONFIDENCE, RatioTest, holm
from bakeoff.judging.judgement import Estimate, Verdict

Key = tuple[str, ...]

_ALPHA = 1 - CONFIDENCE
# A difference that a comparison would find with this probability is one that it can be expected to find.
POWER = 0.80
# Contenders within a tenth are alike for most purposes; wider bounds say nothing.
_WIDEST_EQUIVALENCE = 0.10


@dataclass(frozen=True)
class Decision:
    """The decision on one ratio of the family. Differences are relative, 0.05 for 5%; None where they are unknown.

    `detectable` is the true difference that such a comparison finds with a probability of 80%. `equivalent_within`
    bounds the true difference (two one-sided tests, corrected for the whole family); None beyond a tenth, and where
    a difference was found.
    """

    p_adjusted: float | None = None
    differs: bool = False
    detectable: float | None = None
    equivalent_within: float | None = None

    def verdict_on(self, ratio: Estimate) -> Verdict:
        """The verdict on the first of both."""
        if self.p_adjusted is None:
            return "unknown"
        if not self.differs:
            return "tie"
        return "faster" if ratio.median > 1 else "slower"


UNDECIDED = Decision()


def pair_key(one: str, other: str) -> Key:
    """The same whichever way round they are compared."""
    return ("pair", *sorted((one, other)))


def decisions_of(
    tests: Mapping[Key, RatioTest], least: float | None = None, equals: Collection[Key] = ()
) -> dict[Key, Decision]:
    """All decisions of a report. `least` is a difference that the lab makes of these `equals`, its A/A pairs."""
    adjusted = dict(zip(tests, holm([test.p_value for test in tests.values()]), strict=True))
    size = sum(p_value is not None for p_value in adjusted.values())
    return {
        key: _decision(test, adjusted[key], size, 0.0 if key in equals else least or 0.0) for key, test in tests.items()
    }


def _decision(test: RatioTest, p_adjusted: float | None, size: int, least: float) -> Decision:
    ratio = test.ratio
    if p_adjusted is None or ratio.low is None or ratio.high is None:
        return UNDECIDED
    surely = p_adjusted <= _ALPHA and not ratio.low <= 1 <= ratio.high
    differs = surely and max(ratio.median, 1 / ratio.median) - 1 >= least
    # The widest correction: Holm's is never stricter, so that the power is at least what it is said to be.
    found = student_quantile(1 - _ALPHA / size, test.degrees) + student_quantile(2 * POWER - 1, test.degrees)
    bound = math.expm1(abs(test.mean) + student_quantile(1 - 2 * _ALPHA / size, test.degrees) * test.error)
    return Decision(
        p_adjusted,
        differs,
        math.expm1(found * test.error),
        None if surely or bound > _WIDEST_EQUIVALENCE else max(bound, least),
    )
