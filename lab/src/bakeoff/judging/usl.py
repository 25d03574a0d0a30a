"""The Universal Scalability Law fitted to throughput at several counts of something: agents, instances, connections.

X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)) (N. Gunther, Guerrilla Capacity Planning, chapter 4). λ is what one does alone, σ
the contention for what all share, κ the cost of keeping each informed of the others (coherency); neither is negative.

The logarithms are fitted by non-linear least squares: rounds scatter in proportion to their throughput. The linearised
form, N ÷ X against N, would weight the smallest throughput the most, and gives negative coefficients by chance alone.
Pure functions.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bakeoff.judging.distributions import fisher_tail, student_quantile
from bakeoff.judging.estimates import CONFIDENCE, student_half_width
from bakeoff.judging.judgement import MISFIT, Coefficient, UslFit
from bakeoff.judging.noise import round_effects

FEWEST_COUNTS = 4
"""Three coefficients go through any three points: a fourth is the first that could contradict the law."""

# Where the sum of squares is flat on the way to a minimum, another start finds it.
_STARTS = ((0.01, 1e-4), (0.3, 1e-3), (0.05, 0.05))
# Of log λ, σ and κ: the bounds, and the size of a step that matters.
_LOWEST, _HIGHEST, _SIZES = (-math.inf, 0.0, 0.0), (math.inf, 1.0, math.inf), (1.0, 0.1, 0.001)
_STEPS = 60
_EXACT, _CLOSE, _TINY = 1e-12, 1e-6, 1e-15
_SEARCH_STEPS, _FIRST_DAMPING, _LAST_DAMPING = 200, 1e-3, 1e12

_Numbers = NDArray[np.float64]


def fit_usl(rates: Mapping[int, Mapping[int, float]]) -> UslFit | str:
    """The law through throughput by count and round, or why there is none."""
    points = _Points.of(rates)
    if len(points.present) < FEWEST_COUNTS:
        measured = ", ".join(map(str, points.present)) or "none"
        return f"the law needs {FEWEST_COUNTS} counts or more, and throughput is known at {measured}"
    best = _least(points)
    scatter = _scatter(points, best)
    rate, contention, coherency = (
        Coefficient(value, *_interval(points, best, place, scatter.allowed))
        for place, value in enumerate(best.coefficients)
    )
    return UslFit(_rate(rate, points.common_half_width), contention, coherency, scatter.misfit_p)


def _rate(log: Coefficient, common: float) -> Coefficient:
    """λ of its logarithm. What struck whole rounds is no part of the shape, and is one of how high the curve lies."""
    low, high = (math.hypot(each, common) for each in (log.value - log.low, log.high - log.value))
    return Coefficient(math.exp(log.value), math.exp(log.value - low), math.exp(log.value + high))


@dataclass(frozen=True)
class _Points:
    """Counts, and logarithms of throughput without what struck a whole round, point by point.

    `round_effects` are those that were taken out and free; `common_half_width` is what they leave of their mean.
    """

    counts: _Numbers
    logs: _Numbers
    round_effects: int
    common_half_width: float

    @classmethod
    def of(cls, rates: Mapping[int, Mapping[int, float]]) -> "_Points":
        known = {
            count: {number: rate for number, rate in by_round.items() if rate > 0} for count, by_round in rates.items()
        }
        known = {count: by_round for count, by_round in sorted(known.items()) if by_round}
        effects = round_effects(list(known.values())) if known else {}
        pairs = [
            (count, math.log(rate) - effects.get(number, 0.0))
            for count, by_round in known.items()
            for number, rate in by_round.items()
        ]
        counts, logs = zip(*pairs, strict=True) if pairs else ((), ())
        struck = list(effects.values())
        common = 0.0
        if len(struck) > 1:
            common = student_half_width(float(np.std(struck, ddof=1)) / math.sqrt(len(struck)), len(struck) - 1)
        return cls(np.array(counts, dtype=float), np.array(logs), max(0, len(struck) - 1), common)

    @property
    def present(self) -> list[int]:
        return [int(count) for count in np.unique(self.counts)]


@dataclass(frozen=True)
class _Minimum:
    """Coefficients (log λ, σ, κ) and the sum of squares that they leave."""

    coefficients: tuple[float, float, float]
    squares: float


@dataclass(frozen=True)
class _Scatter:
    """By how much the sum of squares may grow within the interval, and the p of the test of the curve's shape."""

    allowed: float
    misfit_p: float | None


def _residuals(points: _Points, coefficients: Sequence[float] | _Numbers) -> _Numbers:
    log_rate, sigma, kappa = coefficients
    counts = points.counts
    return points.logs - log_rate - np.log(counts) + np.log1p((counts - 1) * (sigma + kappa * counts))


def _slopes(points: _Points, coefficients: _Numbers) -> _Numbers:
    """The derivatives of the residuals by log λ, σ and κ, a column each."""
    _, sigma, kappa = coefficients
    counts = points.counts
    by_sigma = (counts - 1) / (1 + (counts - 1) * (sigma + kappa * counts))
    return np.array([np.full(len(counts), -1.0), by_sigma, by_sigma * counts]).T


def _least(points: _Points) -> _Minimum:
    """The least sum of squares of all; of coefficients that leave as much, those that are zero."""
    starts = [(_log_rate(points, sigma, kappa), sigma, kappa) for sigma, kappa in _STARTS]
    bounds: Sequence[Mapping[int, float]] = ({1: 0.0, 2: 0.0}, {2: 0.0}, {1: 0.0}, {})
    found = [_searched(points, start, held) for held in bounds for start in starts]
    return min(found, key=lambda each: float(f"{each.squares:.9g}"))


def _log_rate(points: _Points, sigma: float, kappa: float) -> float:
    """The best log λ for a shape."""
    return float(np.mean(_residuals(points, (0.0, sigma, kappa))))


def _searched(points: _Points, start: Sequence[float], held: Mapping[int, float]) -> _Minimum:
    """The least sum of squares that a search finds from here, with the coefficients at some places held.

    Levenberg and Marquardt's method, within the bounds: a coefficient at its bound moves inwards only.
    """
    at = np.array([held.get(place, value) for place, value in enumerate(start)])
    free = np.array([place not in held for place in range(3)])
    residuals = _residuals(points, at)
    damping = _FIRST_DAMPING
    for _ in range(_SEARCH_STEPS):
        slopes = _slopes(points, at)
        downhill = -slopes.T @ residuals
        moves = free & ~((at <= _LOWEST) & (downhill < 0)) & ~((at >= _HIGHEST) & (downhill > 0))
        if not moves.any() or damping > _LAST_DAMPING:
            break
        chosen = slopes[:, moves]
        damped = chosen.T @ chosen
        # Its diagonal.
        damped.flat[:: len(damped) + 1] *= 1 + damping
        tried = at.copy()
        tried[moves] += np.linalg.solve(damped, downhill[moves])
        tried = np.clip(tried, _LOWEST, _HIGHEST)
        there = _residuals(points, tried)
        gained = float(residuals @ residuals - there @ there)
        if gained < 0:
            damping *= 8
            continue
        settled = gained <= _EXACT * float(there @ there) and np.all(np.abs(tried - at) <= _EXACT * np.abs(at) + _TINY)
        at, residuals, damping = tried, there, damping / 8
        if settled:
            break
    return _Minimum((float(at[0]), float(at[1]), float(at[2])), float(residuals @ residuals))


def _scatter(points: _Points, best: _Minimum) -> _Scatter:
    """The scatter between rounds, and whether the points are further from the curve than it explains."""
    groups = [points.logs[points.counts == count] for count in points.present]
    between = float(sum(np.sum((each - each.mean()) ** 2) for each in groups))
    free_between = sum(len(each) - 1 for each in groups) - points.round_effects
    shapes = 1 + sum(value > 0 for value in best.coefficients[1:])
    free_shape = max(1, len(groups) - shapes)
    off = max(0.0, best.squares - between)
    free = len(points.logs) - 3 - points.round_effects
    allowed = best.squares / max(1, free) * student_quantile(CONFIDENCE, max(1, free)) ** 2
    if free_between < 1:
        return _Scatter(allowed, None)
    # Rounds that agree to the last digit happen only in made-up data, and there say everything.
    scatter = max(between, _EXACT) / free_between
    misfit_p = fisher_tail(off / free_shape / scatter, free_shape, free_between) if off > _EXACT else 1.0
    if misfit_p < MISFIT:
        # Each count is off by the same in every round: rounds do not average it out.
        allowed = max(allowed, off / free_shape * student_quantile(CONFIDENCE, free_shape) ** 2)
    return _Scatter(allowed, misfit_p)


def _interval(points: _Points, best: _Minimum, place: int, allowed: float) -> tuple[float, float]:
    """Where the sum of squares, least over the other coefficients, has grown by what is allowed."""
    here = best.coefficients[place]
    if allowed <= _EXACT:
        return here, here

    def excess(value: float) -> float:
        start = [max(each, size / 1000) for each, size in zip(best.coefficients, _SIZES, strict=True)]
        return _searched(points, start, {place: value}).squares - best.squares - allowed

    return _end(excess, here, -1, place), _end(excess, here, 1, place)


def _end(excess: Callable[[float], float], here: float, sign: int, place: int) -> float:
    """Where the excess becomes positive on one side of the minimum, or the bound before which it does not."""
    bound = _HIGHEST[place] if sign > 0 else _LOWEST[place]
    inside, step = here, max(abs(here) / 20, _SIZES[place] / 1000)
    below = excess(inside)
    for _ in range(_STEPS):
        outside = min(inside + step, bound) if sign > 0 else max(inside - step, bound)
        above = excess(outside)
        if above > 0:
            # Positive at both, the interval is below the resolution of the search.
            return inside if below > 0 else _crossing(excess, (inside, below), (outside, above))
        if outside == bound:
            return bound
        inside, below, step = outside, above, 2 * step
    return inside


def _crossing(excess: Callable[[float], float], inside: tuple[float, float], outside: tuple[float, float]) -> float:
    """Where the excess changes its sign between two places, each with its excess, by the Illinois method.

    The chord between both crosses zero near there. An end that stays twice counts half, so that both ends come closer
    (M. Dowell, P. Jarratt, A modified regula falsi method, BIT 11, 1971).
    """
    (low, below), (high, above) = inside, outside
    stayed = 0
    for _ in range(_SEARCH_STEPS):
        if abs(high - low) <= _EXACT + _CLOSE * abs(low):
            break
        tried = high - above * (high - low) / (above - below)
        found = excess(tried)
        if found > 0:
            high, above, below, stayed = tried, found, below / 2 if stayed > 0 else below, 1
        elif found < 0:
            low, below, above, stayed = tried, found, above / 2 if stayed < 0 else above, -1
        else:
            return tried
    return low
