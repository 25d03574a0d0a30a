"""One family of tests: whatever a report prints with a verdict is corrected together (Holm). Pure functions."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from math import expm1

from bakeoff.judging.distributions import student_quantile
from bakeoff.judging.estimates import CONFIDENCE, RatioTest, holm, holm_levels
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

    `ratio` has the interval at the level at which it was tested: it excludes 1 exactly where it `differs`.
    `detectable` is the true difference that such a comparison finds with a probability of 80%. `equivalent_within`
    bounds the true difference, as the interval does; None beyond a tenth, and where a difference was found.
    """

    ratio: Estimate
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


def pair_key(one: str, other: str) -> Key:
    """The same whichever way round they are compared."""
    return ("pair", *sorted((one, other)))


def decisions_of(
    tests: Mapping[Key, RatioTest], least: float | None = None, equals: Collection[Key] = ()
) -> dict[Key, Decision]:
    """All decisions of a report. `least` is a difference that the lab makes of these `equals`, its A/A pairs."""
    p_values = [test.p_value for test in tests.values()]
    size = sum(p_value is not None for p_value in p_values)
    decided = zip(tests.items(), holm(p_values), holm_levels(p_values, _ALPHA), strict=True)
    return {
        key: _decision(test, p_adjusted, level, size, 0.0 if key in equals else least or 0.0)
        for (key, test), p_adjusted, level in decided
    }


def _decision(test: RatioTest, p_adjusted: float | None, level: float | None, size: int, least: float) -> Decision:
    if p_adjusted is None or level is None:
        return Decision(test.ratio)
    ratio, surely = test.bounded(level, least), test.bounded(level).excludes_one
    if p_adjusted > _ALPHA:
        # The last digit of p and that of the bound may differ: p decides.
        ratio, surely = _with_one(ratio), False
    # The widest correction: Holm's is never stricter, so that the power is at least what it is said to be.
    found = student_quantile(1 - _ALPHA / size, test.degrees) + student_quantile(2 * POWER - 1, test.degrees)
    within = None if ratio.low is None or ratio.high is None else max(ratio.high, 1 / ratio.low) - 1
    return Decision(
        ratio,
        p_adjusted,
        ratio.excludes_one,
        expm1(found * test.error),
        None if surely or within is None or within > _WIDEST_EQUIVALENCE else within,
    )


def _with_one(ratio: Estimate) -> Estimate:
    """The ratio with an interval that contains 1."""
    low = None if ratio.low is None else min(ratio.low, 1.0)
    return replace(ratio, low=low, high=None if ratio.high is None else max(ratio.high, 1.0))
