"""Observations of a run beside its requests: PostgreSQL's own counts, and the machine's condition."""

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any, TypeVar

from bakeoff.results.database_activity import DatabaseActivity, DatabaseFigures, longest_first
from bakeoff.results.machine_state import MachineFigures, MachineState
from bakeoff.results.run import RunResult

_Figures = TypeVar("_Figures", DatabaseFigures, MachineFigures)


def database_figures(run: RunResult) -> DatabaseFigures | None:
    """PostgreSQL activity; None where it was not asked."""
    return _figures(DatabaseFigures, run.database_activity)


def machine_figures(run: RunResult) -> MachineFigures | None:
    """The machine's condition; None where it was not recorded."""
    return _figures(MachineFigures, run.machine_state)


def _figures(kind: type[_Figures], record: DatabaseActivity | MachineState | None) -> _Figures | None:
    return None if record is None else kind(*(getattr(record, each.name) for each in fields(kind)))


def medians(rounds: Sequence[_Figures | None]) -> _Figures | None:
    """Rounds together: the median of each figure over those that know it, of waits the mean. None of no rounds."""
    known = [each for each in rounds if each is not None]
    if not known:
        return None
    names = vars(known[0])
    return type(known[0])(**{name: _together([getattr(each, name) for each in known]) for name in names})


def _together(values: Sequence[Any]) -> Any:  # of one figure: numbers, or shares by name
    known = [value for value in values if value is not None]
    if known and isinstance(known[0], Mapping):
        return _mean_shares(known)
    return statistics.median(known) if known else None


def _mean_shares(rounds: Sequence[Mapping[str, float]]) -> dict[str, float]:
    """Of the rounds that were looked at."""
    looked = [shares for shares in rounds if shares]
    names = {name for shares in looked for name in shares}
    return longest_first({name: sum(shares.get(name, 0.0) for shares in looked) / len(looked) for name in names})
