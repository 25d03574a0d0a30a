"""Is a measurement worse than its baseline, by more than allowed and by more than chance? Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.noise import noise_floor
from bakeoff.history.comparing import by_series
from bakeoff.history.figures import METRICS, Metric, RunFigures, Series
from bakeoff.history.tables import number


@dataclass(frozen=True)
class Limits:
    """How much worse is allowed: relative changes, and a share of failed requests. The defaults are the documented."""

    p99_increase: float = 0.20
    throughput_decrease: float = 0.15
    error_rate: float = 0.01


@dataclass(frozen=True)
class _Sides:
    """The values of one metric of one series on both sides, one for each round."""

    before: Sequence[float]
    after: Sequence[float]


def held_against(baseline: Sequence[RunFigures], candidate: Sequence[RunFigures], limits: Limits) -> Gate:
    """Every series of the candidate that the baseline has too."""
    before, after = by_series(baseline), by_series(candidate)
    common = [series for series in after if series in before]
    pairs = {series: (before[series], after[series]) for series in common}
    checks = [
        *_changes(pairs, METRICS["throughput"], limits.throughput_decrease),
        *_changes(pairs, METRICS["p99"], limits.p99_increase),
        *(_errors(series, after[series], limits.error_rate) for series in common),
    ]
    new = [f"{series.label}: the baseline has no such run." for series in after if series not in before]
    gone = [f"{series.label}: only the baseline has it." for series in before if series not in after]
    return Gate(sorted(checks, key=lambda check: check.series.label), new + gone)


def _changes(
    pairs: Mapping[Series, tuple[Sequence[RunFigures], Sequence[RunFigures]]], metric: Metric, allowed: float
) -> list[Check]:
    sides = {series: _Sides(_values(metric, runs[0]), _values(metric, runs[1])) for series, runs in pairs.items()}
    sides = {series: side for series, side in sides.items() if side.before and side.after}
    samples = [values for side in sides.values() for values in (side.before, side.after)]
    return [
        _change(series, metric, side, allowed, noise_floor(samples, (len(side.before), len(side.after))))
        for series, side in sides.items()
    ]


def _change(series: Series, metric: Metric, side: _Sides, allowed: float, noise: float | None) -> Check:
    before, after = median(side.before), median(side.after)
    ratio = after / before
    worse = 1 - ratio if metric.more_is_better else ratio - 1
    if worse <= allowed:
        outcome = Outcome.PASSED
    elif noise is not None and abs(math.log(ratio)) <= noise:
        outcome = Outcome.UNCLEAR
    else:
        outcome = Outcome.FAILED
    sign = -1 if metric.more_is_better else 1
    chance = "noise unknown: one round each" if noise is None else f"noise {math.expm1(sign * noise):+.1%}"
    words = (
        f"{number(before)} → {number(after)} {metric.unit} ({ratio - 1:+.1%}; allowed {sign * allowed:+.0%}; {chance})"
    )
    return Check(series, metric.name, outcome, words)


def _errors(series: Series, runs: Sequence[RunFigures], allowed: float) -> Check:
    requests, failed = sum(run.requests or 0 for run in runs), sum(run.failed or 0 for run in runs)
    share = failed / requests if requests else 0.0
    outcome = Outcome.FAILED if share > allowed else Outcome.PASSED
    words = f"{failed:,} of {requests:,} requests failed ({share:.2%}; allowed {allowed:.0%})"
    return Check(series, "errors", outcome, words)


def _values(metric: Metric, runs: Sequence[RunFigures]) -> list[float]:
    return [value for run in runs if (value := metric.of(run)) is not None and value > 0]
