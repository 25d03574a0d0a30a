"""Spreads of a few rounds, steadied by what all contenders' spreads have in common. Pure functions.

Few rounds of one pair say little of their spread, and the pooled spread is wrong for whom it does not fit. Smyth's
moderated t-test (Stat. Appl. Genet. Mol. Biol. 3, 2004) stands between: from how much the spreads differ among
themselves follows how many degrees of freedom the common one is worth beside each own. Where one contender is much
noisier than the others that is next to nothing; where all are alike it is nearly the pooled test.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

# With fewer spreads how much they differ is unknown, and each stands alone.
_FEWEST = 3
# Estimated from a handful of spreads, the prior's worth is uncertain itself. With less than half of it, simulated
# comparisons of contenders that are unequally noisy keep their error rate too.
_TRUSTED = 0.4
# Rounds that agree to the last digit happen only in made-up data.
_LEAST_VARIANCE = 1e-24


@dataclass(frozen=True)
class Prior:
    """A common variance, worth as much as an own one of so many degrees of freedom."""

    variance: float
    degrees: float

    def with_own(self, variance: float, degrees: float, times: float = 1.0) -> tuple[float, float]:
        """A variance and its degrees of freedom, steadied; the common one counts `times` over."""
        together = self.degrees + degrees
        return (self.degrees * self.variance * times + degrees * variance) / together, together


NONE = Prior(0.0, 0.0)


def prior_of(variances: Sequence[float], degrees: Sequence[float], most_degrees: float) -> Prior:
    """From at least three variances, each of so many degrees of freedom; worth no more than `most_degrees`."""
    if len(variances) < _FEWEST:
        return NONE
    # Imported where it is needed: every command would wait for it otherwise.
    from scipy.special import digamma, polygamma

    logs = [
        math.log(max(variance, _LEAST_VARIANCE)) - float(digamma(free / 2)) + math.log(free / 2)
        for variance, free in zip(variances, degrees, strict=True)
    ]
    mean = sum(logs) / len(logs)
    dispersion = sum((value - mean) ** 2 for value in logs) / (len(logs) - 1)
    by_chance = sum(float(polygamma(1, free / 2)) for free in degrees) / len(degrees)
    if dispersion <= by_chance:
        return Prior(math.exp(mean), _TRUSTED * max(0.0, most_degrees))
    half = _inverse_trigamma(dispersion - by_chance)
    variance = math.exp(mean + float(digamma(half)) - math.log(half))
    return Prior(variance, _TRUSTED * max(0.0, min(2 * half, most_degrees)))


def _inverse_trigamma(value: float) -> float:
    """Where the trigamma function has this value, by Newton's method (Smyth 2004, appendix)."""
    from scipy.special import polygamma

    if value > 1e7:
        return float(1 / math.sqrt(value))
    if value < 1e-6:
        return 1 / value
    at = 0.5 + 1 / value
    for _ in range(50):
        trigamma = float(polygamma(1, at))
        step = trigamma * (1 - trigamma / value) / float(polygamma(2, at))
        at += step
        if -step / at < 1e-8:
            break
    return at
