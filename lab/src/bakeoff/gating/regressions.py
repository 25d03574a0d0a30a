"""Is a measurement worse than its baseline, by more than allowed and by more than chance? Pure functions."""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean, median, variance

from bakeoff.gating.check import Change, Check, Gate, Outcome
from bakeoff.history.comparing import by_series
from bakeoff.history.operation_figures import of_several
from bakeoff.history.phases import Measurement
from bakeoff.history.run_figures import METRICS, Metric, RunFigures, Series
from bakeoff.judging.distributions import student_quantile
from bakeoff.judging.estimates import bounds_around, holm, holm_levels, student_p_value
from bakeoff.judging.family import POWER
from bakeoff.judging.moderation import Prior, prior_of
from bakeoff.reporting.numbers import two_places
from bakeoff.results.finding_kinds import NOISY_MACHINE, THROTTLED
from bakeoff.results.machine_state import MachineState

_SLOWER = THROTTLED.limits[0]
_OTHERS_PERCENT, _STOLEN_PERCENT = NOISY_MACHINE.limits


def what_became_worse(baseline: Sequence[MachineState], candidate: Sequence[MachineState]) -> str | None:
    """In what the medians of the runs' conditions are worse than the baseline's; None: in nothing that is known."""
    words = []
    before, after = _medians(baseline, candidate, "speed_mb_s")
    if before and after is not None and 1 - after / before > _SLOWER:
        words.append(f"a core was {1 - after / before:.0%} slower")
    taken = (
        ("the hypervisor", "steal_percent", _STOLEN_PERCENT),
        ("other processes", "other_cpu_percent", _OTHERS_PERCENT),
    )
    for name, figure, limit in taken:
        before, after = _medians(baseline, candidate, figure)
        if before is not None and after is not None and after - before > limit:
            words.append(f"{name} used {after - before:.0f}% more of a core")
    return " and ".join(words) or None


def _medians(
    baseline: Sequence[MachineState], candidate: Sequence[MachineState], figure: str
) -> tuple[float | None, float | None]:
    before, after = (
        [value for each in side if (value := getattr(each, figure)) is not None] for side in (baseline, candidate)
    )
    return median(before) if before else None, median(after) if after else None


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


@dataclass(frozen=True)
class AgainstChance:
    """The probability that a figure seems worse than the limit by chance.

    `error` and `degrees` are those of the logarithm of the ratio, `allowed` the logarithm of the limit.
    """

    chance: float
    allowed: float
    error: float
    degrees: float

    def found_beyond(self, false_alarms: float) -> float:
        """How far beyond the limit the logarithm is when four of five tests at this level find it."""
        return self.error * (
            student_quantile(1 - 2 * false_alarms, self.degrees) + student_quantile(2 * POWER - 1, self.degrees)
        )


def against_chance(figures: Sequence[Sides], limit: float, more_is_worse: bool) -> list[AgainstChance | None]:
    """The test of each figure; None where it has too few rounds. `limit` is the allowed ratio of after ÷ before.

    Welch's test of two means with Satterthwaite's degrees of freedom, or Student's of the rounds' ratios; one-sided,
    against a change that is just allowed. Each variance is moderated by what those of all figures have in common.
    """
    several = [sample for sides in figures for sample in sides.samples if len(sample) >= 2]
    degrees = [len(sample) - 1 for sample in several]
    prior = prior_of([variance(sample) for sample in several], degrees, most_degrees=sum(degrees) / 2)
    allowed = math.log(limit) if limit > 0 else -math.inf
    return [_tested(sides, prior, allowed, 1 if more_is_worse else -1) for sides in figures]


def _tested(sides: Sides, prior: Prior, allowed: float, worse: int) -> AgainstChance | None:
    if any(len(sample) < 2 for sample in sides.samples):
        return None
    parts = [(len(each), *prior.with_own(variance(each), len(each) - 1)) for each in sides.samples]
    squared_error = sum(spread / count for count, spread, _ in parts)
    uncertainty = sum((spread / count) ** 2 / degrees for count, spread, degrees in parts)
    degrees = squared_error**2 / uncertainty if uncertainty > 0 else sum(free for _, _, free in parts)
    beyond = worse * (sides.log_change - allowed)
    error = math.sqrt(squared_error)
    two_sided = student_p_value(beyond, error, degrees) if math.isfinite(beyond) else 0.0
    chance = two_sided / 2 if beyond > 0 else 1 - two_sided / 2
    return AgainstChance(chance, allowed, error, degrees)


_Pairs = Mapping[Series, tuple[Sequence[RunFigures], Sequence[RunFigures]]]


# How often noise alone may fail a gate, over all of its figures.
FALSE_ALARMS = 0.01
# A gate that adds rounds where it is unclear has two occasions to be wrong, and divides that probability between them.
FALSE_ALARMS_AT_ONCE = 0.002
FALSE_ALARMS_TOGETHER = FALSE_ALARMS - FALSE_ALARMS_AT_ONCE


@dataclass(frozen=True)
class Limits:
    """How much worse is allowed: relative changes, and a share of failed requests. The defaults are the documented.

    `false_alarms` is the probability that noise alone fails any figure.
    """

    p99_increase: float = 0.20
    throughput_decrease: float = 0.15
    error_rate: float = 0.01
    false_alarms: float = FALSE_ALARMS

    @property
    def mean_increase(self) -> float:
        """Of one operation: as much as the throughput decreases where all of its users wait so much longer for it."""
        return 1 / (1 - self.throughput_decrease) - 1 if self.throughput_decrease < 1 else math.inf


@dataclass(frozen=True)
class _Compared:
    """One figure of one series on both sides, and how much worse it may be.

    `chance` is corrected for the number of figures, `level` is that at which its test is made.
    """

    series: Series
    metric: Metric
    sides: Sides
    allowed: float
    tested: AgainstChance | None = None
    chance: float | None = None
    level: float | None = None

    @property
    def limit(self) -> float:
        """The ratio of after ÷ before that is just allowed."""
        return 1 - self.allowed if self.metric.more_is_better else 1 + self.allowed

    def would_find(self, false_alarms: float) -> float | None:
        """The relative change for the worse that is found in four of five gates with this probability of an alarm."""
        if self.tested is None:
            return None
        beyond = self.tested.found_beyond(false_alarms)
        if self.metric.more_is_better:
            return 1 - (1 - self.allowed) * math.exp(-beyond)
        return (1 + self.allowed) * math.exp(beyond) - 1

    @property
    def change(self) -> Change:
        before, after = self.metric.median(self.sides.before), self.metric.median(self.sides.after)
        # Round by round what the machine did to a whole round is in both; their medians may be of different rounds.
        ratio = math.exp(self.sides.log_change) if self.sides.paired else after / before
        better = self.metric.more_is_better
        limit = self.limit if math.isfinite(self.limit) else None
        change = Change(
            before, after, self.metric.unit, ratio, more_is_better=better, limit=limit, paired=self.sides.paired
        )
        if self.tested is None or self.level is None:
            return change
        # The test is one-sided: an interval of twice its level ends at the limit where the test decides.
        half = student_quantile(1 - 2 * self.level, self.tested.degrees) * self.tested.error
        middle, mean = math.log(ratio), self.sides.log_change
        # Of few rounds the medians may be further apart than the means.
        tested = self.tested.allowed if limit else 0.0
        low, high = bounds_around(middle, min(mean - half, middle), max(mean + half, middle), tested)
        if self.tested.chance > self.level and limit is not None:
            # The last digit of p and that of the bound may differ: p decides.
            low = low if low is None or better else min(low, limit)
            high = max(high, limit) if high is not None and better else high
        return replace(change, low=low, high=high, confidence=1 - 2 * self.level)


def check_regressions(baseline: Measurement, candidate: Measurement, limits: Limits, *, paired: bool = False) -> Gate:
    """Every series of the candidate that the baseline has too, its phases and operations; of a new one its errors.

    Looking at many figures finds some that are off by chance: Holm's correction over all of them takes that into
    account. Nothing fails for being slower than the baseline where the machine was worse than it was then; `paired`:
    both were measured in the same rounds.
    """
    worse_machine = None if paired else what_became_worse(baseline.conditions, candidate.conditions)
    before = by_series([*baseline.runs, *baseline.phases, *of_several(baseline.operations)])
    after = by_series([*candidate.runs, *candidate.phases, *of_several(candidate.operations)])
    pairs = {series: (before[series], after[series]) for series in after if series in before}
    unmatched = [series for series in after if series not in before and series.is_whole]
    left_out = [f"{each.label}: not in the baseline." for each in _only(after, before)]
    left_out += [f"{each.label}: only in the baseline." for each in _only(before, after)]
    whole = {series: sides for series, sides in pairs.items() if not series.operation}
    operations = {series: sides for series, sides in pairs.items() if series.operation}
    figures = [
        *_compared(whole, METRICS["throughput"], limits.throughput_decrease, paired),
        *_compared(operations, METRICS["mean"], limits.mean_increase, paired),
        *_compared(pairs, METRICS["p99"], limits.p99_increase, paired),
    ]
    chances = [None if figure.tested is None else figure.tested.chance for figure in figures]
    by_chance, levels = holm(chances), holm_levels(chances, limits.false_alarms)
    # The widest correction: Holm's is never stricter, so that the power is at least what it is said to be.
    each_alone = limits.false_alarms / max(1, sum(chance is not None for chance in by_chance))
    checks = [
        *(
            replace(
                _check(replace(figure, chance=chance, level=level), limits.false_alarms, worse_machine),
                would_find=figure.would_find(each_alone),
            )
            for figure, chance, level in zip(figures, by_chance, levels, strict=True)
        ),
        *(_errors(series, *runs, limits.error_rate) for series, runs in pairs.items()),
        *(replace(_errors(series, [], after[series], limits.error_rate), unmatched=True) for series in unmatched),
    ]
    return Gate(sorted(checks, key=lambda check: check.series.label), left_out)


def _only(one: Collection[Series], other: Collection[Series]) -> list[Series]:
    """Series that the other side lacks: whole ones, and operations of those that it has."""
    return [
        each
        for each in one
        if each not in other and (each.is_whole or (not each.phase and replace(each, operation="") in other))
    ]


def _compared(pairs: _Pairs, metric: Metric, allowed: float, paired: bool) -> list[_Compared]:
    """Those of one metric that both sides have, each with its test."""
    figures = [
        _Compared(series, metric, _sides(metric, before, after, paired), allowed)
        for series, (before, after) in pairs.items()
    ]
    figures = [figure for figure in figures if figure.sides.before and figure.sides.after]
    if not figures:
        return []
    worse = not metric.more_is_better
    tests = against_chance([figure.sides for figure in figures], figures[0].limit, more_is_worse=worse)
    return [replace(figure, tested=tested) for figure, tested in zip(figures, tests, strict=True)]


def _sides(metric: Metric, before: Sequence[RunFigures], after: Sequence[RunFigures], paired: bool) -> Sides:
    old, new = _by_round(metric, before), _by_round(metric, after)
    if not paired:
        return Sides(list(old.values()), list(new.values()))
    both = sorted(old.keys() & new.keys())
    return Sides([old[number] for number in both], [new[number] for number in both], paired=True)


def _check(figure: _Compared, false_alarms: float, worse_machine: str | None) -> Check:
    metric, sides, change = figure.metric, figure.sides, figure.change
    worse = 1 - change.ratio if metric.more_is_better else change.ratio - 1
    outcome = Outcome.PASSED if worse <= figure.allowed else _worse(figure, false_alarms)
    sign = -1 if metric.more_is_better else 1
    by_round = ", geometric mean of the rounds' ratios" if sides.paired else ", ratio of the medians"
    chance = "p unknown: one round each"
    if figure.chance is not None:
        chance = "adjusted p < 0.001" if figure.chance < 0.001 else f"adjusted p {figure.chance:.3f}"
    words = (
        f"{two_places(change.before)} → {two_places(change.after)} {metric.unit} "
        f"({change.ratio - 1:+.1%}{by_round}; allowed {sign * figure.allowed:+.0%}; {chance})"
    )
    if outcome is Outcome.FAILED and worse_machine is not None:
        words += f"; but {worse_machine} than for the baseline"
        return Check(figure.series, metric.name, Outcome.UNCLEAR, words, stale_baseline=True, change=change)
    # Of both sides in the same rounds the test says all that a rerun could say.
    final = sides.paired and outcome is Outcome.FAILED
    return Check(figure.series, metric.name, outcome, words, final=final, change=change)


def _worse(figure: _Compared, false_alarms: float) -> Outcome:
    """A change beyond the limit fails where chance does not explain it.

    One round on each side cannot show it. A run as a whole fails then; of its many parts one would each time.
    """
    if figure.chance is None:
        return Outcome.FAILED if figure.series.is_whole and not figure.sides.paired else Outcome.UNCLEAR
    return Outcome.FAILED if figure.chance <= false_alarms else Outcome.UNCLEAR


def _errors(series: Series, before: Sequence[RunFigures], after: Sequence[RunFigures], allowed: float) -> Check:
    """A run as a whole, or an operation, needs no baseline for this. A phase may break as it always did, where the load
    is too much.
    """
    requests, failed = _counts(after)
    requests_before, failed_before = _counts(before)
    known = failed_before / requests_before if series.phase and requests_before else 0.0
    share = failed / requests if requests else 0.0
    outcome = Outcome.FAILED if share > known + allowed else Outcome.PASSED
    more = f" more than the baseline's {known:.2%}" if known else ""
    words = f"{failed:,.0f} of {requests:,} requests failed ({share:.2%}; allowed {allowed:.0%}{more})"
    return Check(series, "errors", outcome, words)


def _counts(runs: Sequence[RunFigures]) -> tuple[int, float]:
    """Requests, and how many of them failed: those that were not checked as often as those that were."""
    requests = sum(run.requests or 0 for run in runs)
    return requests, sum((run.error_rate or 0.0) * (run.requests or 0) for run in runs)


def _by_round(metric: Metric, runs: Sequence[RunFigures]) -> dict[int, float]:
    """By round, and where two runs are of one round (single runs named together), by run."""
    rounds = [run.round for run in runs]
    keys: Sequence[int] = rounds if len(set(rounds)) == len(rounds) else range(len(runs))
    known = zip(keys, metric.of_each(runs), strict=True)
    return {key: value for key, value in known if value is not None and value > 0}
