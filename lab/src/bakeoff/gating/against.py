"""Both sides of a comparison of two commits, as the measurements of before and after. Pure functions."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from bakeoff.gating.check import Check, Outcome
from bakeoff.gating.validity import VALIDITY
from bakeoff.history.phases import Measurement
from bakeoff.history.requested import Requested
from bakeoff.history.run_figures import RunFigures, Series
from bakeoff.options.variant import CANDIDATE, COMMIT, key_of, short

Figures = TypeVar("Figures", bound=RunFigures)


@dataclass(frozen=True)
class Sides:
    """Measurements of both commits in the same rounds. The contenders of either are named as if it were alone."""

    before: Measurement
    after: Measurement


def sides_of(measurement: Measurement, commit: str) -> Sides:
    """The two sides of a comparison that was measured against a commit."""
    return Sides(_side(measurement, short(commit)), _side(measurement, CANDIDATE))


def unmeasured_sides(requested: Requested, commit: str) -> list[Check]:
    """A check for each contender that one side lacks: a failure where it is the candidate's.

    What fails the contract at the commit says nothing of the candidate, which then has nothing to be compared with.
    """
    return [
        _unmeasured(name, reason, commit) for name, reason in requested.not_measured.items() if _is_side(name, commit)
    ]


def _side(measurement: Measurement, level: str) -> Measurement:
    suffix = _suffix(level)

    def own(figures: list[Figures]) -> list[Figures]:
        named = ((each, each.contender.removesuffix(suffix)) for each in figures if each.contender.endswith(suffix))
        return [replace(each, contender=name) for each, name in named]

    operations = own(list(measurement.operations))
    return Measurement(own(list(measurement.runs)), own(list(measurement.phases)), measurement.conditions, operations)


def _suffix(level: str) -> str:
    factors: Mapping[str, str] = {COMMIT: level}
    return key_of("", factors)


def _is_side(name: str, commit: str) -> bool:
    return name.endswith((_suffix(short(commit)), _suffix(CANDIDATE)))


def _unmeasured(name: str, reason: str, commit: str) -> Check:
    is_before = name.endswith(_suffix(short(commit)))
    series = Series(name, "", "", "", "", ())
    outcome = Outcome.UNCLEAR if is_before else Outcome.FAILED
    return Check(series, VALIDITY, outcome, f"not measured: {reason}", final=True, unmatched=True)
