"""Throughput along the counts of one factor: steps, what was full at each, and the law through them. Pure functions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.contender_runs import AA_FACTOR, Division, labels_of
from bakeoff.judging.judgement import Level, ScaleCurve, ScaleStep
from bakeoff.judging.levels import throughput_by_round
from bakeoff.judging.measured_contender import MeasuredContender
from bakeoff.judging.usage_at_peak import usage_at
from bakeoff.judging.usl import fit_usl

USERS = "users"
"""Not a factor: the load levels of each contender."""

_Alike = tuple[str, Division, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class _Point:
    """A count with the level that was held there, as if it were the peak of its contender."""

    count: int
    level: Level
    of: MeasuredContender


def scale_curves_of(contenders: Sequence[MeasuredContender], factor: str) -> list[ScaleCurve]:
    """A curve along the factor for each group of contenders that share everything else; none without a factor."""
    if not factor:
        return []
    if factor == USERS:
        points = [list(_loads(each)) for each in contenders]
    else:
        points = list(_groups(contenders, factor).values())
    points = [sorted(each, key=lambda point: point.count) for each in points if each]
    labels = labels_of([each[0].of.runs for each in points])
    return [_curve(factor, labels[each[0].of.runs.key], each) for each in points]


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
            groups.setdefault(alike, []).append(_Point(int(level), each.peak, each))
    return groups


def _loads(contender: MeasuredContender) -> Iterator[_Point]:
    """The closed levels of one contender, each as if it were its peak."""
    for level, (slot, rounds) in zip(contender.levels, contender.phases.items(), strict=True):
        if level.virtual_users and level.throughput_per_s.median > 0:
            here = replace(contender, peak=level, peak_slot=slot, rates=throughput_by_round(rounds))
            yield _Point(level.virtual_users, level, here)


def _curve(factor: str, label: str, points: Sequence[_Point]) -> ScaleCurve:
    fit = fit_usl({point.count: point.of.rates for point in points})
    steps = [_step(point) for point in points]
    return (
        ScaleCurve(factor, label, steps, None, fit) if isinstance(fit, str) else ScaleCurve(factor, label, steps, fit)
    )


def _step(point: _Point) -> ScaleStep:
    costs = {role: cost.cpu_us_each.median for role, cost in point.level.costs.items() if cost.cpu_us_each is not None}
    return ScaleStep(point.count, point.level.throughput_per_s, costs, bottleneck_of(usage_at(point.of)))
