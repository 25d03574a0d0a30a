"""Absolute targets, declared in a TOML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from statistics import median

from bakeoff.closed_toml import read_closed_toml
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.history.comparing import by_series
from bakeoff.history.figures import METRICS, Metric, RunFigures, Series
from bakeoff.history.tables import number

_SCHEMA = Path(__file__).with_name("targets.schema.json")
_BY_FIELD = {metric.field: metric for metric in METRICS.values()}
_CONDITIONS = ("api", "protocol", "mode", "payload", "load")


@dataclass(frozen=True)
class TargetSet:
    """Limits by the field of RunFigures, for the runs that meet every condition; `*` in them stands for anything.

    `place` is where the table stands, for people.
    """

    name: str
    place: str
    conditions: Mapping[str, str]
    limits: Mapping[str, float]

    def applies_to(self, run: RunFigures) -> bool:
        """Whether a run is meant."""
        return all(fnmatchcase(str(getattr(run, field)), pattern) for field, pattern in self.conditions.items())


def read_targets(path: Path) -> list[TargetSet]:
    """The sets of a file. Errors name the file, the line and the key."""
    toml = read_closed_toml(path, _SCHEMA)
    sets: list[TargetSet] = []
    if not toml.document:
        raise toml.error([], 'there are no targets. Write a table such as [rest] with api = "*-rest" and p99_ms = 50.')
    for name, table in toml.document.items():
        conditions = {key: value for key, value in table.items() if key in _CONDITIONS}
        limits = {key: float(value) for key, value in table.items() if key not in _CONDITIONS}
        if not limits:
            raise toml.error([name], f"{name} names no target: add one, such as p99_ms = 50.")
        sets.append(TargetSet(name, toml.place([name]), conditions, limits))
    return sets


def held_against_targets(sets: Sequence[TargetSet], candidate: Sequence[RunFigures]) -> Gate:
    """Every completed series of the candidate, against each set that means it. A set that means no run fails."""
    checks = [
        _check(each.name, series, _BY_FIELD[key], limit, runs)
        for series, runs in by_series(candidate).items()
        for each in sets
        if each.applies_to(runs[0])
        for key, limit in each.limits.items()
    ]
    idle = [each for each in sets if not any(each.applies_to(run) for run in candidate)]
    return Gate(checks + [_idle(each, candidate) for each in idle], [])


def _idle(each: TargetSet, candidate: Sequence[RunFigures]) -> Check:
    """A promise that nobody looks at is none: a name is mistyped, or what it is about was not measured."""
    known = {field: sorted({str(getattr(run, field)) for run in candidate}) for field in each.conditions}
    wrong = [
        f'{field} = "{pattern}" (nearest: {", ".join(get_close_matches(pattern, known[field], 3, 0)) or "none"})'
        for field, pattern in each.conditions.items()
        if not any(fnmatchcase(value, pattern) for value in known[field])
    ]
    all_of_them = ", ".join(f'{field} = "{pattern}"' for field, pattern in each.conditions.items())
    reason = " and ".join(wrong) or all_of_them or "nothing was measured"
    series = Series(each.place, "", "", "", "", ())
    return Check(series, "targets", Outcome.FAILED, f"[{each.name}] means no run: {reason}", final=True)


def _check(name: str, series: Series, metric: Metric, limit: float, runs: Sequence[RunFigures]) -> Check:
    values = [value for run in runs if (value := metric.of(run)) is not None]
    if not values:
        return Check(series, metric.name, Outcome.FAILED, f"nothing was measured (target {name})")
    value = median(values)
    reached = value >= limit if metric.more_is_better else value <= limit
    sign = "≥" if metric.more_is_better else "≤"
    shown = (
        f"{value:.2%}, target {sign} {limit:.2%}"
        if metric.name == "errors"
        else f"{number(value)} {metric.unit}, target {sign} {number(limit)}"
    )
    return Check(series, metric.name, Outcome.PASSED if reached else Outcome.FAILED, f"{shown} ({name})")
