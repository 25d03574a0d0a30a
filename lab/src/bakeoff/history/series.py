"""The runs that lie on one line of a trend. Pure functions, shared by the command line and the pages."""

from collections.abc import Sequence
from dataclasses import dataclass

from bakeoff.history.run_figures import Metric, RunFigures


@dataclass(frozen=True)
class NewestSeries:
    """Runs of one series, oldest first, and how many completed runs of another series were left out."""

    runs: Sequence[RunFigures]
    left_out: int


def newest_series(runs: Sequence[RunFigures], metric: Metric) -> NewestSeries:
    """Of runs that are given newest first, those that measured what the newest completed one did.

    Only runs that have a figure for the metric count. A change of load or of settings is no change of the target: it
    begins another series.
    """
    completed = [run for run in reversed(runs) if run.status == "completed" and metric.of(run) is not None]
    same = [run for run in completed if run.series == completed[-1].series]
    return NewestSeries(same, len(completed) - len(same))
