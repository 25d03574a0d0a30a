"""Throughput along the counts of a factor: entries of the report's data, and the tables of every format."""

from collections.abc import Sequence

import numpy as np

from bakeoff.judging.judgement import Coefficient, Judgement, ScaleCurve, ScaleStep, UslFit
from bakeoff.reporting import numbers
from bakeoff.reporting.contender_entries import limited_by
from bakeoff.reporting.estimate_entries import figure
from bakeoff.reporting.factor_effects import title_of
from bakeoff.reporting.numbers import NOTHING, rounded
from bakeoff.reporting.shape import Figure, ReportedScale, ScaleLaw, ScaleLine
from bakeoff.reporting.text_table import Table

LAW = "Universal Scalability Law"

_POINTS = 60
_STEPS_NOTE = (
    "fitted: the law's throughput. efficiency: throughput ÷ what as many times the first line would give. CPU µs per "
    "operation. limited by: what was full at that step."
)
_LAW_NOTE = (
    "X(N) = λN ÷ (1 + σ(N − 1) + κN(N − 1)). σ: contention for what all share. κ: coherency, the cost of keeping each "
    "informed of the others. In parentheses: 95% profile intervals. misfit p: how probable points as far off the curve "
    "are where the law holds; below 0.05 the law does not describe them."
)


def scale_entries(judgement: Judgement) -> list[ReportedScale]:
    return [_entry(curve) for curve in judgement.scale_curves]


def scale_tables(curves: Sequence[ReportedScale]) -> list[Table]:
    """The steps of each curve, and the coefficients of all."""
    if not curves:
        return []
    return [*(_table_of_steps(curve, len(curves) > 1) for curve in curves), _table_of_laws(curves)]


def conclusions(curves: Sequence[ReportedScale]) -> list[str]:
    """What each curve says, in a sentence."""
    return [f"{curve['name']}: {_conclusion(curve)}" for curve in curves]


def _entry(curve: ScaleCurve) -> ReportedScale:
    return {
        "factor": curve.factor,
        "title": title_of(curve.factor),
        "name": curve.label,
        "steps": [_line(step, curve) for step in curve.steps],
        "law": None if curve.fit is None else _law(curve.fit, [step.count for step in curve.steps]),
        "refused": curve.refused,
    }


def _line(step: ScaleStep, curve: ScaleCurve) -> ScaleLine:
    first = curve.steps[0]
    in_proportion = first.throughput_per_s.median * step.count / first.count
    return {
        "count": step.count,
        "throughput_per_s": figure(step.throughput_per_s),
        "fitted_per_s": None if curve.fit is None else rounded(curve.fit.throughput_at(step.count)),
        "efficiency": rounded(step.throughput_per_s.median / in_proportion, 4),
        "cpu_us_each": {role: rounded(value) for role, value in step.cpu_us_each.items()},
        "limited_by": limited_by(step.bottleneck.kind),
        "limit": step.bottleneck.words,
    }


def _law(fit: UslFit, counts: Sequence[int]) -> ScaleLaw:
    places = sorted({*map(float, counts), *np.linspace(counts[0], counts[-1], _POINTS).tolist()})
    return {
        "rate_per_s": _figure(fit.rate_per_s),
        "contention": _figure(fit.contention),
        "coherency": _figure(fit.coherency),
        "peak": None if fit.peak is None else rounded(fit.peak, 3),
        "misfit_p": None if fit.misfit_p is None else rounded(fit.misfit_p, 2),
        "describes": fit.describes,
        "curve": [(rounded(place, 6), rounded(fit.throughput_at(place), 6)) for place in places],
    }


def _figure(coefficient: Coefficient) -> Figure:
    return {
        "median": rounded(coefficient.value, 6),
        "low": rounded(coefficient.low, 6),
        "high": rounded(coefficient.high, 6),
        "values": [],
    }


def _conclusion(curve: ReportedScale) -> str:
    law, last = curve["law"], curve["steps"][-1]
    if law is None:
        return f"no curve: {curve['refused']}."
    if not law["describes"]:
        return (
            f"the {LAW} does not describe these points (p {numbers.three_digits(law['misfit_p'])}): what limits "
            "throughput changes along the way. Read the steps, not the coefficients."
        )
    words = (
        f"contention {numbers.percent(law['contention']['median'])}, coherency "
        f"{numbers.percent(law['coherency']['median'])}"
    )
    if law["peak"] is None:
        return f"{words}; within the intervals throughput may rise beyond {last['count']:,}."
    where = "beyond what was measured" if law["peak"] > last["count"] else "within what was measured"
    return f"{words}; throughput is highest near {law['peak']:,.3g}, {where}."


def _table_of_steps(curve: ReportedScale, of_several: bool) -> Table:
    rows = [
        (
            numbers.count(step["count"]),
            _interval(step["throughput_per_s"]),
            numbers.rate(step["fitted_per_s"]),
            numbers.percent(step["efficiency"]),
            *(numbers.three_digits(step["cpu_us_each"].get(role)) for role in ("target", "database", "engine")),
            step["limited_by"],
        )
        for step in curve["steps"]
    ]
    headings = (
        *(curve["title"], "operations/s", "fitted", "efficiency", "target µs", "database µs", "generator µs"),
        "limited by",
    )
    of = f", {curve['name']}" if of_several else ""
    return Table(f"Scale along {curve['title']}{of}", headings, rows, left=0, note=_STEPS_NOTE, words_last=True)


def _table_of_laws(curves: Sequence[ReportedScale]) -> Table:
    rows = [(curve["name"], *_coefficients(curve["law"])) for curve in curves]
    headings = ("target", "λ (one alone, /s)", "contention σ", "coherency κ", "peak at", "misfit p")
    note = " ".join([_LAW_NOTE, *conclusions(curves)])
    return Table(LAW, headings, rows, note=note)


def _coefficients(law: ScaleLaw | None) -> Sequence[str]:
    if law is None:
        return (NOTHING,) * 5
    return (
        _interval(law["rate_per_s"]),
        _coefficient(law["contention"]),
        _coefficient(law["coherency"]),
        NOTHING if law["peak"] is None else numbers.three_digits(law["peak"]),
        numbers.three_digits(law["misfit_p"]),
    )


def _coefficient(value: Figure) -> str:
    return f"{numbers.three_digits(value['median'])} ({_end(value['low'])}–{_end(value['high'])})"


def _end(value: float | None) -> str:
    return numbers.three_digits(value)


def _interval(value: Figure) -> str:
    if value["low"] is None or value["high"] is None:
        return numbers.rate(value["median"])
    return f"{numbers.rate(value['median'])} ({numbers.rate(value['low'])}–{numbers.rate(value['high'])})"
