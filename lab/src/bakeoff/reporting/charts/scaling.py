"""Charts along the counts of a factor: throughput with the fitted curve, and what an operation costs."""

from collections.abc import Sequence

from bakeoff.reporting import numbers
from bakeoff.reporting.chart_shape import Axis, Chart, Series
from bakeoff.reporting.charts.costs import ROLE_NAMES
from bakeoff.reporting.charts.making import THROUGHPUT, lines, point
from bakeoff.reporting.shape import ReportedScale, ScaleLine

_FEW = 12
_COST: Axis = {"label": "CPU µs per operation", "scale": "linear", "format": "us", "ticks": None}
_TOGETHER = "all parts"


def scale_charts(curves: Sequence[ReportedScale]) -> list[Chart]:
    """None where nothing is a curve."""
    if not curves:
        return []
    roles = [
        role for role in ROLE_NAMES if any(role in step["cpu_us_each"] for each in curves for step in each["steps"])
    ]
    parts = [(_TOGETHER, roles), *((ROLE_NAMES[role], [role]) for role in roles)]
    return [_throughput(curves), *(_cost(curves, variant, own) for variant, own in parts if own)]


def _throughput(curves: Sequence[ReportedScale]) -> Chart:
    measured: list[Series] = [
        _series(
            curve["name"],
            style,
            [point(float(step["count"]), step["throughput_per_s"]) for step in curve["steps"]],
        )
        for style, curve in enumerate(curves)
    ]
    fitted: list[Series] = [
        {
            **_series(f"{curve['name']}, fitted", style, [[place, value] for place, value in law["curve"]]),
            "drawn": "curve",
        }
        for style, curve in enumerate(curves)
        if (law := curve["law"]) is not None
    ]
    # A line through the points would compete with the curve.
    shown: list[Series] = [{**each, "drawn": "points"} for each in measured] if fitted else measured
    return lines(
        "scale",
        f"Throughput by {curves[0]['title']}",
        _axis(curves),
        THROUGHPUT,
        [*shown, *fitted],
        note="Points: medians over rounds. Whiskers: interval over the rounds. Curve: the Universal Scalability Law.",
    )


def _cost(curves: Sequence[ReportedScale], variant: str, roles: Sequence[str]) -> Chart:
    return lines(
        "scale-cost",
        f"CPU per operation by {curves[0]['title']}, {variant}",
        _axis(curves),
        _COST,
        [
            _series(
                curve["name"],
                style,
                [[float(step["count"]), cost] for step in curve["steps"] if (cost := _sum(step, roles)) is not None],
            )
            for style, curve in enumerate(curves)
        ],
        variant=variant,
        preferred=variant == _TOGETHER,
        note="Kernel counters, divided by acknowledged operations.",
    )


def _sum(step: ScaleLine, roles: Sequence[str]) -> float | None:
    """Of these roles together; None where one of them is unknown."""
    known = [step["cpu_us_each"][role] for role in roles if role in step["cpu_us_each"]]
    return sum(known) if len(known) == len(roles) else None


def _series(name: str, style: int, points: list[list[float | None]]) -> Series:
    return {"name": name, "identity": None, "style": style, "points": points}


def _axis(curves: Sequence[ReportedScale]) -> Axis:
    counts = sorted({step["count"] for curve in curves for step in curve["steps"]})
    ticks = [(float(count), numbers.count(count)) for count in counts] if len(counts) <= _FEW else None
    return {"label": curves[0]["title"], "scale": "linear", "format": "count", "ticks": ticks}
