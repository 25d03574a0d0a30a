"""Throughput along the counts of one factor: steps, what was full at each, and the law through them. Pure functions."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.contender_runs import AA_FACTOR, Division, labels_of
from bakeoff.judging.judgement import ScaleCurve, ScaleStep
from bakeoff.judging.levels import throughput_by_round
from bakeoff.judging.measured_contender import MeasuredContender
from bakeoff.judging.usage_at_peak import usage_at
from bakeoff.judging.usl import fit_usl

USERS = "users"
"""Not a factor: the load levels of each contender."""

_Alike = tuple[str, Division, str, tuple[tuple[str, str], ...]]


_Point = tuple[int, MeasuredContender]
"""A count, and the contender with the level that was held there as its peak."""


def scale_curves_of(contenders: Sequence[MeasuredContender], factor: str) -> list[ScaleCurve]:
    """A curve along the factor for each group of contenders that share everything else; none without a factor."""
    if not factor:
        return []
    if factor == USERS:
        points = [list(_loads(each)) for each in contenders]
    else:
        points = list(_groups(contenders, factor).values())
    points = [sorted(each, key=lambda point: point[0]) for each in points if each]
    labels = labels_of([each[0][1].runs for each in points])
    return [_curve(factor, labels[each[0][1].runs.key], each) for each in points]


def _groups(contenders: Sequence[MeasuredContender], factor: str) -> dict[_Alike, list[_Point]]:
    groups: dict[_Alike, list[_Point]] = {}
    for each in contenders:
        level, newest = each.runs.levels.get(factor, ""), each.runs.newest
        if level.isdecimal() and each.peak is not None and each.rates:
            others = {name: value for name, value in each.runs.levels.items() if name != factor}
            alike = (
                newest.target,
                each.runs.division,
                newest.factors.get(AA_FACTOR, ""),
                tuple(sorted(others.items())),
            )
            groups.setdefault(alike, []).append((int(level), each))
    return groups


def _loads(contender: MeasuredContender) -> Iterator[_Point]:
    """The closed levels of one contender, each as if it were its peak."""
    for level, (slot, rounds) in zip(contender.levels, contender.phases.items(), strict=True):
        if level.virtual_users and level.throughput_per_s.median > 0:
            here = replace(contender, peak=level, peak_slot=slot, rates=throughput_by_round(rounds))
            yield level.virtual_users, here


def _curve(factor: str, label: str, points: Sequence[_Point]) -> ScaleCurve:
    fit = fit_usl({count: each.rates for count, each in points})
    steps, key = [_step(count, each) for count, each in points], points[0][1].runs.key
    if isinstance(fit, str):
        return ScaleCurve(factor, label, steps, None, fit, key)
    return ScaleCurve(factor, label, steps, fit, key=key)


def _step(count: int, contender: MeasuredContender) -> ScaleStep:
    peak = contender.peak
    assert peak is not None
    costs = {role: cost.cpu_us_each.median for role, cost in peak.costs.items() if cost.cpu_us_each is not None}
    return ScaleStep(count, peak.throughput_per_s, costs, bottleneck_of(usage_at(contender)))
