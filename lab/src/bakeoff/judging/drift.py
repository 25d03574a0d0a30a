"""Contenders that became slower or faster from round to round, each by itself. Pure functions."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bakeoff.judging.estimates import CONFIDENCE, FEWEST_ROUNDS, holm, student_p_value
from bakeoff.judging.noise import round_effects
from bakeoff.judging.steadiness import Line, line_through
from bakeoff.results.finding_kinds import CONTENDER_DRIFT

(_CHANGE,) = CONTENDER_DRIFT.limits


@dataclass(frozen=True)
class Drift:
    """The change of throughput from the `first` round to the `last`, -0.15 for 15% less.

    `against_others`: what the other contenders of each round show in common is taken out of it.
    """

    change: float
    first: int
    last: int
    against_others: bool


@dataclass(frozen=True)
class _Course:
    """A contender's line over its rounds: `own` of its logarithms, `relative` without the others' common effects."""

    rounds: Sequence[int]
    own: Line
    relative: Line
    against_others: bool

    @property
    def change(self) -> float:
        return math.expm1(self.relative.slope * (self.rounds[-1] - self.rounds[0]))

    @property
    def p_value(self) -> float:
        return student_p_value(self.relative.slope, self.relative.error, self.relative.degrees)


def own_drifts(rates: Sequence[Mapping[int, float]]) -> list[Drift | None]:
    """For each contender, by its throughput by round, a drift of more than a tenth that is clearly no chance.

    What drifts together is the machine, and no contender's own. The one that drifted the furthest is left out before
    the others are compared with each other: else they would seem to drift away from it.
    """
    found: list[Drift | None] = [None] * len(rates)
    left = {index: each for index, each in enumerate(rates) if each}
    # One that is left of several cannot be separated from the machine.
    fewest = min(len(left), 2)
    while left and len(left) >= fewest:
        courses = {index: _course(index, left) for index in left}
        index = _furthest(courses)
        course = None if index is None else courses[index]
        if index is None or course is None:
            break
        found[index] = Drift(course.change, course.rounds[0], course.rounds[-1], course.against_others)
        del left[index]
    return found


def _furthest(courses: Mapping[int, _Course | None]) -> int | None:
    """Of those that surely drift, with Holm's correction over all, the one that did most; None where none does."""
    known = {index: course for index, course in courses.items() if course is not None}
    p_values = holm([course.p_value for course in known.values()])
    drifting = [
        index
        for (index, course), p_value in zip(known.items(), p_values, strict=True)
        if p_value is not None and p_value <= 1 - CONFIDENCE and abs(course.change) > _CHANGE
    ]
    # Ties are broken by the contender's own slope.
    slopes = {index: (round(abs(known[index].relative.slope), 9), abs(known[index].own.slope)) for index in drifting}
    return max(slopes, key=slopes.__getitem__, default=None)


def _course(index: int, rates: Mapping[int, Mapping[int, float]]) -> _Course | None:
    """None with too few rounds."""
    effects = round_effects([each for other, each in rates.items() if other != index])
    logs = {number: math.log(rate) for number, rate in sorted(rates[index].items()) if rate > 0}
    rounds = [number for number in logs if not effects or number in effects]
    if len(rounds) < FEWEST_ROUNDS:
        return None
    own = line_through(rounds, [logs[number] for number in rounds])
    relative = line_through(rounds, [logs[number] - effects.get(number, 0.0) for number in rounds])
    return _Course(rounds, own, relative, bool(effects))
