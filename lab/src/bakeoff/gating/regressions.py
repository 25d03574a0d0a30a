"""Is a measurement worse than its baseline, by more than allowed and by more than chance? Pure functions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import median

from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.gating.machines import what_became_worse
from bakeoff.gating.noise import Sides, chances
from bakeoff.history.comparing import by_series
from bakeoff.history.figures import METRICS, Metric, RunFigures, Series
from bakeoff.history.phases import Measurement
from bakeoff.history.tables import number
from bakeoff.judging.estimates import CONFIDENCE, holm

_Pairs = Mapping[Series, tuple[Sequence[RunFigures], Sequence[RunFigures]]]


@dataclass(frozen=True)
class Limits:
    """How much worse is allowed: relative changes, and a share of failed requests. The defaults are the documented."""

    p99_increase: float = 0.20
    throughput_decrease: float = 0.15
    error_rate: float = 0.01


@dataclass(frozen=True)
class _Change:
    """One figure of one series on both sides, and how much worse it may be."""

    series: Series
    metric: Metric
    sides: Sides
    allowed: float


def held_against(baseline: Measurement, candidate: Measurement, limits: Limits) -> Gate:
    """Every series of the candidate that the baseline has too, and each of its phases; of a new one its errors.

    Looking at many figures finds some that are off by chance: Holm's correction over all of them takes that into
    account. Nothing fails for being slower than the baseline where the machine was worse than it was then.
    """
    worse_machine = what_became_worse(baseline.conditions, candidate.conditions)
    before = by_series([*baseline.runs, *baseline.phases])
    after = by_series([*candidate.runs, *candidate.phases])
    pairs = {series: (before[series], after[series]) for series in after if series in before}
    unmatched = [series for series in after if series not in before and not series.phase]
    throughput = _changes(pairs, METRICS["throughput"], limits.throughput_decrease)
    p99 = _changes(pairs, METRICS["p99"], limits.p99_increase)
    by_chance = holm([*chances([each.sides for each in throughput]), *chances([each.sides for each in p99])])
    checks = [
        *(_check(change, chance, worse_machine) for change, chance in zip([*throughput, *p99], by_chance, strict=True)),
        *(_errors(series, *runs, limits.error_rate) for series, runs in pairs.items()),
        *(replace(_errors(series, [], after[series], limits.error_rate), unmatched=True) for series in unmatched),
    ]
    new = [f"{series.label}: not in the baseline." for series in unmatched]
    gone = [f"{each.label}: only in the baseline." for each in before if each not in after and not each.phase]
    return Gate(sorted(checks, key=lambda check: check.series.label), new + gone)


def _changes(pairs: _Pairs, metric: Metric, allowed: float) -> list[_Change]:
    changes = [
        _Change(series, metric, Sides(_values(metric, before), _values(metric, after)), allowed)
        for series, (before, after) in pairs.items()
    ]
    return [change for change in changes if change.sides.before and change.sides.after]


def _check(change: _Change, chance: float | None, worse_machine: str | None) -> Check:
    metric, sides = change.metric, change.sides
    before, after = median(sides.before), median(sides.after)
    ratio = after / before
    worse = 1 - ratio if metric.more_is_better else ratio - 1
    outcome = Outcome.PASSED if worse <= change.allowed else _worse(change, chance)
    sign = -1 if metric.more_is_better else 1
    words = (
        f"{number(before)} → {number(after)} {metric.unit} "
        f"({ratio - 1:+.1%}; allowed {sign * change.allowed:+.0%}; {_chance_in_words(chance)})"
    )
    if outcome is Outcome.FAILED and worse_machine is not None:
        words += f"; but {worse_machine} than for the baseline"
        return Check(change.series, metric.name, Outcome.UNCLEAR, words, stale_baseline=True)
    return Check(change.series, metric.name, outcome, words)


def _worse(change: _Change, chance: float | None) -> Outcome:
    """What is worse than allowed fails where chance does not explain it.

    One round on each side cannot tell. A run as a whole fails then; of its many phases one would each time.
    """
    if chance is None:
        return Outcome.UNCLEAR if change.series.phase else Outcome.FAILED
    return Outcome.FAILED if chance <= 1 - CONFIDENCE else Outcome.UNCLEAR


def _chance_in_words(chance: float | None) -> str:
    if chance is None:
        return "p unknown: one round each"
    return "adjusted p < 0.001" if chance < 0.001 else f"adjusted p {chance:.3f}"


def _errors(series: Series, before: Sequence[RunFigures], after: Sequence[RunFigures], allowed: float) -> Check:
    """A run as a whole needs no baseline for this. A phase may break as it always did, where the load is too much."""
    requests, failed = _counts(after)
    requests_before, failed_before = _counts(before)
    known = failed_before / requests_before if series.phase and requests_before else 0.0
    share = failed / requests if requests else 0.0
    outcome = Outcome.FAILED if share > known + allowed else Outcome.PASSED
    more = f" more than the baseline's {known:.2%}" if known else ""
    words = f"{failed:,} of {requests:,} requests failed ({share:.2%}; allowed {allowed:.0%}{more})"
    return Check(series, "errors", outcome, words)


def _counts(runs: Sequence[RunFigures]) -> tuple[int, int]:
    """Requests, and how many of them failed."""
    return sum(run.requests or 0 for run in runs), sum(run.failed or 0 for run in runs)


def _values(metric: Metric, runs: Sequence[RunFigures]) -> list[float]:
    return [value for run in runs if (value := metric.of(run)) is not None and value > 0]
