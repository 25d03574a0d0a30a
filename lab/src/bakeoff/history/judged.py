"""Judgements of referenced comparisons, by the rules of `run`, where all of their runs are stored."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.history.run_references import Referenced
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.postgres.server import Server
from bakeoff.storage.stored_runs import StoredComparison, StoredRun, load_comparison, load_runs


def judgements_of(server: Server, references: Sequence[Referenced]) -> dict[str, Judgement]:
    """By name, a judgement of each comparison; of single runs one together. Empty where a reference is a file.

    Comparisons are not judged together: rounds that were not made in the same minutes cannot be compared with each
    other one by one.
    """
    ids = [run.id for reference in references for run in reference.runs]
    if not all(ids):
        return {}
    if all(reference.comparison_id is None for reference in references):
        return {", ".join(reference.name for reference in references): judge(_together(load_runs(server, ids)))}
    return {
        reference.name: judge(load_comparison(server, reference.comparison_id))
        for reference in references
        if reference.comparison_id is not None
    }


def _together(runs: Sequence[StoredRun]) -> StoredComparison:
    """Single runs as contenders of one round, each named after its id."""
    first = runs[0].result
    return StoredComparison(
        id=runs[0].comparison_id,
        name="",
        workload=first.workload,
        mode=first.mode,
        command="",
        status="completed",
        rounds=1,
        started_at=first.started_at,
        finished_at=None,
        not_measured={},
        runs=[_named(run) for run in runs],
    )


def _named(run: StoredRun) -> StoredRun:
    name = f"{run.result.contender or run.result.target} (run {run.id})"
    return replace(run, result=replace(run.result, contender=name, round=1))
