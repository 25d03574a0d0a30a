"""Variances of a few rounds, moderated by the common variance of all contenders. Pure functions.

A few rounds of one pair estimate their variance poorly, and the pooled variance is wrong for a pair that differs.
Smyth's moderated t-test (Stat. Appl. Genet. Mol. Biol. 3, 2004) combines both: the dispersion of the variances
determines how many degrees of freedom the common one adds to each. Where one contender is much noisier than the others
it adds nearly none; where all are alike the test is nearly the pooled one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.judging.distributions import digamma, tetragamma, trigamma

# With fewer variances their dispersion is unknown, and each is used alone.
_FEWEST = 3
# A prior that is estimated from a handful of variances is uncertain itself. With this fraction of it, simulated
# comparisons of unequally noisy contenders keep their error rate too.
_TRUSTED = 0.2
# Rounds are equal to the last digit only in test data.
_LEAST_VARIANCE = 1e-24


@dataclass(frozen=True)
class Prior:
    """A common variance, and the degrees of freedom that it counts as."""

    variance: float
    degrees: float

    def with_own(self, variance: float, degrees: float, times: float = 1.0) -> tuple[float, float]:
        """The moderated variance and its degrees of freedom; the common variance is scaled by `times`."""
        together = self.degrees + degrees
        return (self.degrees * self.variance * times + degrees * variance) / together, together


NONE = Prior(0.0, 0.0)


def prior_of(variances: Sequence[float], degrees: Sequence[float], most_degrees: float) -> Prior:
    """From at least three variances with their degrees of freedom; counts as `most_degrees` at most."""
    if len(variances) < _FEWEST:
        return NONE
    logs = [
        math.log(max(variance, _LEAST_VARIANCE)) - digamma(free / 2) + math.log(free / 2)
        for variance, free in zip(variances, degrees, strict=True)
    ]
    mean = sum(logs) / len(logs)
    dispersion = sum((value - mean) ** 2 for value in logs) / (len(logs) - 1)
    by_chance = sum(trigamma(free / 2) for free in degrees) / len(degrees)
    if dispersion <= by_chance:
        return Prior(math.exp(mean), _TRUSTED * max(0.0, most_degrees))
    half = _inverse_trigamma(dispersion - by_chance)
    variance = math.exp(mean + digamma(half) - math.log(half))
    return Prior(variance, _TRUSTED * max(0.0, min(2 * half, most_degrees)))


def _inverse_trigamma(value: float) -> float:
    """Where the trigamma function has this value, by Newton's method (Smyth 2004, appendix)."""
    if value > 1e7:
        return float(1 / math.sqrt(value))
    if value < 1e-6:
        return 1 / value
    at = 0.5 + 1 / value
    for _ in range(50):
        here = trigamma(at)
        step = here * (1 - here / value) / tetragamma(at)
        at += step
        if -step / at < 1e-8:
            break
    return at
