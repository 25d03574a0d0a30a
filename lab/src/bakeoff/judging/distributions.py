"""Student's t, Fisher's F, and the derivatives of log Γ, to ten digits. Pure functions.

A library that has them is four times as large as all of the lab. Formulas: NIST Digital Library of Mathematical
Functions, 5.11 (asymptotic series), 8.17 (incomplete beta function).
"""

import math
from functools import lru_cache
from statistics import NormalDist

_FRACTIONS = 500
_TINY = 1e-300
_PRECISION = 4e-16
_NEWTON_STEPS = 100

# From here on the asymptotic series has all digits of a float.
_ASYMPTOTIC = 12.0
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def student_two_sided(t: float, degrees: float) -> float:
    """P(|T| ≥ |t|) of Student's distribution."""
    square = t * t
    return _incomplete_beta(degrees / 2, 0.5, degrees / (degrees + square), square / (degrees + square))


@lru_cache(maxsize=10_000)
def student_quantile(confidence: float, degrees: float) -> float:
    """The t that |T| stays below with this probability."""
    log_scale = math.lgamma((degrees + 1) / 2) - math.lgamma(degrees / 2) - math.log(degrees * math.pi) / 2
    t = NormalDist().inv_cdf((1 + confidence) / 2)
    # It lies below Student's, of which the tail is convex: Newton's method climbs to the quantile and never passes it.
    for _ in range(_NEWTON_STEPS):
        density = math.exp(log_scale - (degrees + 1) / 2 * math.log1p(t * t / degrees))
        step = (student_two_sided(t, degrees) - (1 - confidence)) / (2 * density)
        t += step
        if step <= 1e-14 * t:
            break
    return t


def fisher_tail(f: float, above: float, below: float) -> float:
    """P(F ≥ f) of Fisher's distribution with `above` and `below` degrees of freedom; f must not be negative."""
    total = below + above * f
    return _incomplete_beta(below / 2, above / 2, below / total, above * f / total)


def digamma(x: float) -> float:
    """The derivative of log Γ, for positive x."""
    lifted, lost = x, 0.0
    while lifted < _ASYMPTOTIC:
        lost += 1 / lifted
        lifted += 1
    series = sum(b / (2 * k * lifted ** (2 * k)) for k, b in enumerate(_BERNOULLI, 1))
    return math.log(lifted) - 1 / (2 * lifted) - series - lost


def trigamma(x: float) -> float:
    """The second derivative of log Γ, for positive x."""
    lifted, lost = x, 0.0
    while lifted < _ASYMPTOTIC:
        lost += 1 / lifted**2
        lifted += 1
    series = sum(b / lifted ** (2 * k + 1) for k, b in enumerate(_BERNOULLI, 1))
    return 1 / lifted + 1 / (2 * lifted**2) + series + lost


def tetragamma(x: float) -> float:
    """The third derivative of log Γ, for positive x."""
    lifted, lost = x, 0.0
    while lifted < _ASYMPTOTIC:
        lost -= 2 / lifted**3
        lifted += 1
    series = sum((2 * k + 1) * b / lifted ** (2 * k + 2) for k, b in enumerate(_BERNOULLI, 1))
    return -1 / lifted**2 - 1 / lifted**3 - series + lost


def _incomplete_beta(a: float, b: float, x: float, rest: float) -> float:
    """The regularised incomplete beta function I_x(a, b); `rest` is 1 − x, which the caller knows to all digits."""
    if x <= 0 or rest <= 0:
        return 0.0 if x <= 0 else 1.0
    log_front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    # Each of the two continued fractions converges fast on its own side of the mean.
    if x < (a + 1) / (a + b + 2):
        return math.exp(log_front) / a / _beta_fraction(a, b, x)
    return 1 - math.exp(log_front) / b / _beta_fraction(b, a, rest)


def _beta_fraction(a: float, b: float, x: float) -> float:
    """The continued fraction of the incomplete beta function (8.17.22), by Lentz's method."""
    value, upper, lower = 1.0, 1.0, 0.0
    for n in range(1, _FRACTIONS):
        m = n // 2
        numerator = m * (b - m) if n % 2 == 0 else -(a + m) * (a + b + m)
        term = numerator * x / ((a + n - 1) * (a + n))
        lower = 1 / (1 + term * lower or _TINY)
        upper = 1 + term / upper or _TINY
        value *= upper * lower
        if abs(upper * lower - 1) <= _PRECISION:
            break
    return value
