"""Runs as figures with their phases and operations: a measurement that a gate judges."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bakeoff.history.operation_figures import operations_of
from bakeoff.history.run_figures import RunFigures, figures_of, measured_figures
from bakeoff.results.machine_state import MachineState
from bakeoff.results.run import RunResult
from bakeoff.storage.stored_runs import StoredRun


@dataclass(frozen=True)
class Measurement:
    """Runs, their phases and operations, and the conditions of the machine.

    A run of one phase has none: its own figures say the same. Not every run recorded its conditions, or operations.
    """

    runs: Sequence[RunFigures]
    phases: Sequence[RunFigures]
    conditions: Sequence[MachineState] = ()
    operations: Sequence[RunFigures] = ()


def measurement_of(results: Iterable[RunResult]) -> Measurement:
    """Of runs that are at hand as values."""
    return measurement_of_stored([StoredRun(0, 0, run) for run in results])


def measurement_of_stored(stored: Sequence[StoredRun]) -> Measurement:
    """Of runs with their ids."""
    runs = [(each.result, figures_of(each.result, each.id, each.comparison_id)) for each in stored]
    return Measurement(
        [figures for _, figures in runs],
        [phase for run, figures in runs for phase in phases_of(run, figures)],
        [run.machine_state for run, _ in runs if run.machine_state is not None],
        [operation for run, figures in runs for operation in operations_of(run, figures)],
    )


def phases_of(run: RunResult, whole: RunFigures | None = None) -> list[RunFigures]:
    """The phases of a run that has several; `whole` are its own figures."""
    if len(run.phases) < 2:
        return []
    whole = whole or figures_of(run)
    return [
        replace(whole, **measured_figures(phase.measured), phase=f"phase {phase.number} at {phase.load}")
        for phase in run.phases
    ]
