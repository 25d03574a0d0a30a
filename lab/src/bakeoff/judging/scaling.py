"""Throughput along the counts of one factor: steps, what was full at each, and the law through them. Pure functions."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from bakeoff.judging.bottleneck import bottleneck_of
from bakeoff.judging.contender_runs import AA_FACTOR, ContenderRuns, Division, labels_of
from bakeoff.judging.judgement import Level, ScaleCurve, ScaleStep
from bakeoff.judging.levels import phases_by_slot, throughput_by_round
from bakeoff.judging.levels_held import LevelsHeld
from bakeoff.judging.usage_at_peak import usage_at
from bakeoff.judging.usl import fit_usl

USERS = "users"
"""Not a factor: the load levels of each contender."""

_Alike = tuple[str, Division, str, tuple[tuple[str, str], ...]]


@dataclass(frozen=True)
class Scaled:
    """A contender: its runs, its levels, and the throughput that is compared, by round."""

    runs: ContenderRuns
    held: LevelsHeld
    rates: Mapping[int, float]


@dataclass(frozen=True)
class _Point:
    """A count with its rounds and its level."""

    count: int
    rates: Mapping[int, float]
    level: Level
    held: LevelsHeld
    runs: ContenderRuns


def scale_curves_of(contenders: Sequence[Scaled], factor: str) -> list[ScaleCurve]:
    """A curve along the factor for each group of contenders that share everything else; none without a factor."""
    if not factor:
        return []
    if factor == USERS:
        points = [list(_loads(each)) for each in contenders]
    else:
        points = list(_groups(contenders, factor).values())
    points = [sorted(each, key=lambda point: point.count) for each in points if each]
    labels = labels_of([each[0].runs for each in points])
    return [_curve(factor, labels[each[0].runs.key], each) for each in points]


def _groups(contenders: Sequence[Scaled], factor: str) -> dict[_Alike, list[_Point]]:
    groups: dict[_Alike, list[_Point]] = {}
    for each in contenders:
        level, newest = each.runs.levels.get(factor, ""), each.runs.newest
        if level.isdecimal() and each.held.peak is not None and each.rates:
            others = {name: value for name, value in each.runs.levels.items() if name != factor}
            alike = (
                newest.target,
                each.runs.division,
                newest.factors.get(AA_FACTOR, ""),
                tuple(sorted(others.items())),
            )
            point = _Point(int(level), each.rates, each.held.peak, each.held, each.runs)
            groups.setdefault(alike, []).append(point)
    return groups


def _loads(contender: Scaled) -> Iterator[_Point]:
    """The closed levels of one contender, each as if it were its peak."""
    slots = phases_by_slot(contender.runs.counted)
    for level, (slot, rounds) in zip(contender.held.levels, slots.items(), strict=True):
        if level.virtual_users and level.throughput_per_s.median > 0:
            held = replace(contender.held, peak=level, peak_phase=slot[0])
            yield _Point(level.virtual_users, throughput_by_round(rounds), level, held, contender.runs)


def _curve(factor: str, label: str, points: Sequence[_Point]) -> ScaleCurve:
    fit = fit_usl({point.count: point.rates for point in points})
    steps = [_step(point) for point in points]
    if isinstance(fit, str):
        return ScaleCurve(factor, label, steps, None, fit)
    return ScaleCurve(factor, label, steps, fit)


def _step(point: _Point) -> ScaleStep:
    costs = {role: cost.cpu_us_each.median for role, cost in point.level.costs.items() if cost.cpu_us_each is not None}
    usage = usage_at(point.held, point.runs.counted.values(), point.runs.newest)
    return ScaleStep(point.count, point.level.throughput_per_s, costs, bottleneck_of(usage))
