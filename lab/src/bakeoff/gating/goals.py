"""Performance goals, declared in a TOML file."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path

from bakeoff.documents.checked import read_toml
from bakeoff.gating.check import Check, Gate, Outcome
from bakeoff.history.comparing import by_series
from bakeoff.history.run_figures import METRICS, Metric, RunFigures, Series
from bakeoff.reporting.numbers import two_places

_SCHEMA = Path(__file__).with_name("goals.schema.json")
_BY_FIELD = {metric.field: metric for metric in METRICS.values()}
_CONDITIONS = ("target", "protocol", "mode", "payload", "load", "operation")


@dataclass(frozen=True)
class GoalSet:
    """Goals by the field of RunFigures, for the runs that meet every condition; `*` in them matches anything.

    `place` is the file and line of the table, for messages.
    """

    name: str
    place: str
    conditions: Mapping[str, str]
    goals: Mapping[str, float]

    def applies_to(self, run: RunFigures) -> bool:
        """Whether a run meets every condition. One operation of it does only where a condition names operations."""
        if run.operation and "operation" not in self.conditions:
            return False
        return all(fnmatchcase(str(getattr(run, field, "")), pattern) for field, pattern in self.conditions.items())


def read_goals(path: Path) -> list[GoalSet]:
    """The sets of a file. Errors name the file, the line and the key."""
    toml = read_toml(path, _SCHEMA, dict[str, dict[str, str | float]])
    sets: list[GoalSet] = []
    if not toml.document:
        raise toml.error([], 'there are no goals. Write a table such as [rest] with target = "*-rest" and p99_ms = 50.')
    for name, table in toml.document.items():
        conditions = {key: str(value) for key, value in table.items() if key in _CONDITIONS}
        goals = {key: float(value) for key, value in table.items() if key not in _CONDITIONS}
        if not goals:
            raise toml.error([name], f"{name} has no goal: add one, such as p99_ms = 50.")
        sets.append(GoalSet(name, toml.place([name]), conditions, goals))
    return sets


def checked_against_goals(sets: Sequence[GoalSet], candidate: Sequence[RunFigures]) -> Gate:
    """Every completed series of the candidate, against each set that applies. A set that matches no run fails."""
    checks = [
        _check(each.name, series, _BY_FIELD[key], limit, runs)
        for series, runs in by_series(candidate).items()
        for each in sets
        if each.applies_to(runs[0])
        for key, limit in each.goals.items()
    ]
    idle = [each for each in sets if not any(each.applies_to(run) for run in candidate)]
    return Gate(checks + [_idle(each, candidate) for each in idle], [])


def _idle(each: GoalSet, candidate: Sequence[RunFigures]) -> Check:
    """A goal that is never checked protects nothing: a name is mistyped, or its runs were not measured."""
    known = {field: sorted({str(getattr(run, field, "")) for run in candidate} - {""}) for field in each.conditions}
    wrong = [
        f'{field} = "{pattern}" (nearest: {", ".join(get_close_matches(pattern, known[field], 3, 0)) or "none"})'
        for field, pattern in each.conditions.items()
        if not any(fnmatchcase(value, pattern) for value in known[field])
    ]
    all_of_them = ", ".join(f'{field} = "{pattern}"' for field, pattern in each.conditions.items())
    reason = " and ".join(wrong) or all_of_them or "nothing was measured"
    series = Series(each.place, "", "", "", "", ())
    return Check(series, "goals", Outcome.FAILED, f"[{each.name}] matches no run: {reason}", final=True)


def _check(name: str, series: Series, metric: Metric, limit: float, runs: Sequence[RunFigures]) -> Check:
    values = [value for run in runs if (value := metric.of(run)) is not None]
    if not values:
        return Check(series, metric.name, Outcome.FAILED, f"nothing was measured (goal {name})")
    value = metric.median(values)
    reached = value >= limit if metric.more_is_better else value <= limit
    sign = "≥" if metric.more_is_better else "≤"
    shown = (
        f"{value:.2%}, goal {sign} {limit:.2%}"
        if metric.name == "errors"
        else f"{two_places(value)} {metric.unit}, goal {sign} {two_places(limit)}"
    )
    return Check(series, metric.name, Outcome.PASSED if reached else Outcome.FAILED, f"{shown} ({name})")
