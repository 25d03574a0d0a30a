"""Stored runs side by side. Pure functions over figures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from bakeoff.history.operation_figures import of_several
from bakeoff.history.run_figures import METRICS, RunFigures, Series
from bakeoff.history.run_references import Referenced
from bakeoff.judging.judgement import Judgement
from bakeoff.project import COMMAND
from bakeoff.reporting.numbers import percent

_Key = TypeVar("_Key")


@dataclass(frozen=True)
class ReferenceColumn:
    """One reference's figures of a series: how many runs, and the median of each metric that they have."""

    reference: str
    runs: int
    medians: Mapping[str, float]


@dataclass(frozen=True)
class SideBySide:
    """One series over all references; the first column is what the others are compared with."""

    title: str
    columns: Sequence[ReferenceColumn]

    def change(self, metric: str, column: ReferenceColumn) -> float | None:
        """Relative change from the first column, None where it is unknown."""
        base, value = self.columns[0].medians.get(metric), column.medians.get(metric)
        if column is self.columns[0] or not base or value is None:
            return None
        return value / base - 1


def measured_together(references: Sequence[Referenced]) -> bool:
    """Whether all runs are of one comparison, which interleaves them; files do not know theirs."""
    comparisons = {run.comparison_id for reference in references for run in reference.stored}
    return len(comparisons) == 1 and 0 not in comparisons


def caution(judgements: Iterable[Judgement]) -> str:
    """Why changes between comparisons are no verdict, with the scatter that is known of this machine."""
    known = [each.noise_floor for each in judgements if each.noise_floor is not None]
    scatter = (
        f"Rounds of one comparison differed by up to {percent(max(known))} here; sessions differ by more."
        if known
        else "No scatter of this machine is known: no comparison has two rounds."
    )
    return (
        f"Not measured together, so no verdict. {scatter} To compare commits, measure both at once: "
        f"{COMMAND} run quick --against REF --rounds 5."
    )


def side_by_side(references: Sequence[Referenced]) -> list[SideBySide]:
    """The series that all references measured; single runs are always compared.

    The list is empty where the references have nothing in common.
    """
    if all(len(reference.runs) == 1 for reference in references):
        columns = [
            _column(f"{reference.name} {reference.runs[0].series.label}", reference.runs) for reference in references
        ]
        # The operations that all of them have by name.
        named = [{each.operation: [each] for each in of_several(one.measurement.operations)} for one in references]
        return [SideBySide("", columns), *_in_common(references, named, lambda name: f"operation {name}")]
    grouped = [by_series([*each.runs, *of_several(each.measurement.operations)]) for each in references]
    return _in_common(references, grouped, lambda series: series.label)


def _in_common(
    references: Sequence[Referenced], grouped: Sequence[Mapping[_Key, list[RunFigures]]], title: Callable[[_Key], str]
) -> list[SideBySide]:
    return [
        SideBySide(
            title(key),
            [_column(reference.name, group[key]) for reference, group in zip(references, grouped, strict=True)],
        )
        for key in grouped[0]
        if all(key in group for group in grouped[1:])
    ]


def by_series(runs: Sequence[RunFigures]) -> dict[Series, list[RunFigures]]:
    """Completed runs, put together where they measured the same thing."""
    grouped: dict[Series, list[RunFigures]] = {}
    for run in runs:
        if run.status == "completed":
            grouped.setdefault(run.series, []).append(run)
    return grouped


def _column(name: str, runs: Sequence[RunFigures]) -> ReferenceColumn:
    medians = {}
    for metric in METRICS.values():
        values = [value for value in metric.of_each(runs) if value is not None]
        if values:
            medians[metric.name] = metric.median(values)
    return ReferenceColumn(name, len(runs), medians)
