"""Charts along the counts of a factor: throughput with the fitted curve, and what an operation costs."""

from collections.abc import Sequence

import numpy as np
from msgspec import UNSET

from bakeoff.judging.judgement import Judgement, ScaleCurve, ScaleStep, UslFit
from bakeoff.reporting import numbers
from bakeoff.reporting.chart import THROUGHPUT, Axis, Chart, ChartSeries, Point, point
from bakeoff.reporting.charts.costs import ROLE_NAMES
from bakeoff.reporting.factor_effects import title_of
from bakeoff.reporting.numbers import rounded

_FEW = 12
# Points of a fitted curve.
_POINTS = 60
_COST = Axis("CPU µs per operation", "linear", "us")
_TOGETHER = "all parts"


def scale_charts(judgement: Judgement) -> list[Chart]:
    """None where nothing is a curve. A curve looks like the contender at its first count."""
    curves, looks = judgement.scale_curves, {each.key: each.identity for each in judgement.contenders}
    if not curves:
        return []
    styles = [looks[curve.key] for curve in curves]
    roles = [role for role in ROLE_NAMES if any(role in step.cpu_us_each for each in curves for step in each.steps)]
    parts = [(_TOGETHER, roles), *((ROLE_NAMES[role], [role]) for role in roles)]
    return [_throughput(curves, styles), *(_cost(curves, styles, variant, own) for variant, own in parts if own)]


def _throughput(curves: Sequence[ScaleCurve], styles: Sequence[int]) -> Chart:
    fitted = [
        ChartSeries(f"{curve.label}, fitted", None, style, _fitted(curve, curve.fit), "curve")
        for style, curve in zip(styles, curves, strict=True)
        if curve.fit is not None
    ]
    measured = [
        ChartSeries(
            curve.label,
            None,
            style,
            [point(float(step.count), step.throughput_per_s) for step in curve.steps],
            # A line through the points would compete with the curve.
            "points" if fitted else UNSET,
        )
        for style, curve in zip(styles, curves, strict=True)
    ]
    return Chart(
        slot="scale",
        title=f"Throughput by {title_of(curves[0].factor)}",
        x=_axis(curves),
        y=THROUGHPUT,
        series=[*measured, *fitted],
        note="Points: medians over rounds. Whiskers: interval over the rounds. Curve: the Universal Scalability Law.",
    )


def _fitted(curve: ScaleCurve, fit: UslFit) -> list[Point]:
    counts = [float(step.count) for step in curve.steps]
    places = sorted({*counts, *np.linspace(counts[0], counts[-1], _POINTS).tolist()})
    return [[rounded(place, 6), rounded(fit.throughput_at(place), 6)] for place in places]


def _cost(curves: Sequence[ScaleCurve], styles: Sequence[int], variant: str, roles: Sequence[str]) -> Chart:
    return Chart(
        slot="scale-cost",
        title=f"CPU per operation by {title_of(curves[0].factor)}, {variant}",
        x=_axis(curves),
        y=_COST,
        series=[
            ChartSeries(
                curve.label,
                None,
                style,
                [[float(step.count), cost] for step in curve.steps if (cost := _sum(step, roles)) is not None],
            )
            for style, curve in zip(styles, curves, strict=True)
        ],
        variant=variant,
        preferred=variant == _TOGETHER,
        note="Kernel counters, divided by acknowledged operations.",
    )


def _sum(step: ScaleStep, roles: Sequence[str]) -> float | None:
    """Of these roles together; None where one of them is unknown."""
    known = [rounded(step.cpu_us_each[role]) for role in roles if role in step.cpu_us_each]
    return sum(known) if len(known) == len(roles) else None


def _axis(curves: Sequence[ScaleCurve]) -> Axis:
    counts = sorted({step.count for curve in curves for step in curve.steps})
    ticks = [(float(count), numbers.count(count)) for count in counts] if len(counts) <= _FEW else None
    return Axis(title_of(curves[0].factor), "linear", "count", ticks)
