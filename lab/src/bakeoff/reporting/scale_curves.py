"""Throughput along the counts of a factor: the tables of every format."""

from collections.abc import Sequence

from bakeoff.judging.judgement import Coefficient, Estimate, ScaleCurve, UslFit
from bakeoff.reporting import numbers
from bakeoff.reporting.factor_effects import title_of
from bakeoff.reporting.figures import Write, with_interval
from bakeoff.reporting.numbers import NOTHING, rounded
from bakeoff.text.table import Table

LAW = "Universal Scalability Law"

_STEPS_NOTE = (
    "fitted: the law's throughput. efficiency: throughput ÷ what as many times the first line would give. CPU µs per "
    "operation. limited by: what was full at that step."
)
_LAW_NOTE = (
    "X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)). σ: contention for what all share. κ: coherency, the cost of keeping each "
    "informed of the others. In parentheses: 95% profile intervals. misfit p: how probable points as far off the curve "
    "are where the law holds; below 0.05 the law does not describe them."
)


def scale_tables(curves: Sequence[ScaleCurve]) -> list[Table]:
    """The steps of each curve, and the coefficients of all."""
    if not curves:
        return []
    return [*(_table_of_steps(curve, len(curves) > 1) for curve in curves), _table_of_laws(curves)]


def conclusions(curves: Sequence[ScaleCurve]) -> list[str]:
    """A sentence for each curve."""
    return [f"{curve.label}: {_conclusion(curve)}" for curve in curves]


def peak_of(fit: UslFit) -> float | None:
    """The count of the most throughput, to three digits."""
    return None if fit.peak is None else rounded(fit.peak, 3)


def _conclusion(curve: ScaleCurve) -> str:
    fit, last = curve.fit, curve.steps[-1].count
    if fit is None:
        return f"no curve: {curve.refused}."
    if not fit.describes:
        return (
            f"the {LAW} does not describe these points (p {numbers.p_value(fit.misfit_p)}): what limits "
            "throughput changes along the way. Read the steps, not the coefficients."
        )
    words = f"contention {numbers.percent(fit.contention.value)}, coherency {numbers.percent(fit.coherency.value)}"
    peak = peak_of(fit)
    if peak is None:
        return f"{words}; within the intervals throughput may rise beyond {last:,}."
    where = "beyond what was measured" if peak > last else "within what was measured"
    return f"{words}; throughput is highest near {peak:,.3g}, {where}."


def _table_of_steps(curve: ScaleCurve, of_several: bool) -> Table:
    rows = [
        (
            numbers.count(step.count),
            with_interval(step.throughput_per_s, numbers.rate),
            numbers.rate(None if curve.fit is None else curve.fit.throughput_at(step.count)),
            numbers.percent(curve.efficiency(step)),
            *(numbers.three_digits(step.cpu_us_each.get(role)) for role in ("target", "database", "engine")),
            step.bottleneck.limited_by,
        )
        for step in curve.steps
    ]
    title = title_of(curve.factor)
    costs = ("target µs", "database µs", "generator µs")
    headings = (title, "operations/s", "fitted", "efficiency", *costs, "limited by")
    of = f", {curve.label}" if of_several else ""
    return Table(f"Scale along {title}{of}", headings, rows, left=0, note=_STEPS_NOTE, words_last=True)


def _table_of_laws(curves: Sequence[ScaleCurve]) -> Table:
    rows = [(curve.label, *_coefficients(curve.fit)) for curve in curves]
    headings = ("target", "λ (one alone, /s)", "contention σ", "coherency κ", "peak at", "misfit p")
    note = " ".join([_LAW_NOTE, *conclusions(curves)])
    return Table(LAW, headings, rows, note=note)


def _coefficients(fit: UslFit | None) -> Sequence[str]:
    if fit is None:
        return (NOTHING,) * 5
    return (
        _coefficient(fit.rate_per_s, numbers.rate),
        _coefficient(fit.contention, numbers.three_digits),
        _coefficient(fit.coherency, numbers.three_digits),
        numbers.three_digits(peak_of(fit)),
        numbers.p_value(fit.misfit_p),
    )


def _coefficient(found: Coefficient, write: Write) -> str:
    return with_interval(Estimate(found.value, found.low, found.high, ()), write)
