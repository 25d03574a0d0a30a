"""Both sides of a comparison of two commits, as the measurements of before and after. Pure functions."""

from dataclasses import replace
from typing import TypeVar

from bakeoff.gating.check import Check, Outcome
from bakeoff.gating.validity import VALIDITY
from bakeoff.history.phases import Measurement
from bakeoff.history.requested import Requested
from bakeoff.history.run_figures import RunFigures, Series
from bakeoff.options.variant import CANDIDATE, COMMIT, key_of, short

Figures = TypeVar("Figures", bound=RunFigures)

_CANDIDATE = key_of("", {COMMIT: CANDIDATE})


def sides_of(measurement: Measurement, commit: str) -> tuple[Measurement, Measurement]:
    """Both sides of a comparison against a commit, before and after, in the same rounds.

    The contenders of either are named as if it were alone.
    """
    return _side(measurement, _before(commit)), _side(measurement, _CANDIDATE)


def unmeasured_sides(requested: Requested, commit: str) -> list[Check]:
    """A check for each contender that one side lacks: a failure where it is the candidate's.

    What fails the contract at the commit says nothing of the candidate, which then has nothing to be compared with.
    """
    outcomes = {_before(commit): Outcome.UNCLEAR, _CANDIDATE: Outcome.FAILED}
    return [
        Check(
            Series(name, "", "", "", "", ()), VALIDITY, outcome, f"not measured: {reason}", final=True, unmatched=True
        )
        for name, reason in requested.not_measured.items()
        for suffix, outcome in outcomes.items()
        if name.endswith(suffix)
    ]


def _before(commit: str) -> str:
    return key_of("", {COMMIT: short(commit)})


def _side(measurement: Measurement, suffix: str) -> Measurement:
    def own(figures: list[Figures]) -> list[Figures]:
        named = ((each, each.contender.removesuffix(suffix)) for each in figures if each.contender.endswith(suffix))
        return [replace(each, contender=name) for each, name in named]

    operations = own(list(measurement.operations))
    return Measurement(own(list(measurement.runs)), own(list(measurement.phases)), measurement.conditions, operations)
