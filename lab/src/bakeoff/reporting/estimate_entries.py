"""Estimates of the judgement as entries of the report's data."""

from bakeoff.judging.judgement import Estimate
from bakeoff.reporting.numbers import rounded
from bakeoff.reporting.shape import Figure


def figure(estimate: Estimate) -> Figure:
    return {
        "median": rounded(estimate.median),
        "low": None if estimate.low is None else rounded(estimate.low),
        "high": None if estimate.high is None else rounded(estimate.high),
        "values": [rounded(value) for value in estimate.values],
    }


def figure_or_none(estimate: Estimate | None) -> Figure | None:
    return None if estimate is None else figure(estimate)


def inverted(ratio: Figure) -> Figure:
    """The same comparison from the other side. A ratio of zero has no inverse: it stays zero."""

    def turn(value: float | None) -> float | None:
        return None if value is None else _inverse(value)

    return {
        "median": _inverse(ratio["median"]),
        "low": turn(ratio["high"]),
        "high": turn(ratio["low"]),
        "values": [_inverse(value) for value in ratio["values"]],
    }


def overlap(one: Figure, other: Figure) -> bool:
    """Whether the intervals of two figures meet; without intervals nothing can be told apart."""
    if one["low"] is None or one["high"] is None or other["low"] is None or other["high"] is None:
        return True
    return one["low"] <= other["high"] and other["low"] <= one["high"]


def _inverse(value: float) -> float:
    return rounded(1 / value) if value else 0.0
