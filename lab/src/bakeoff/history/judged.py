"""Judgements of referenced comparisons, and of any runs as if they had been one comparison, by the rules of `run`."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.history.run_references import Referenced
from bakeoff.judging.judge import judge
from bakeoff.judging.judgement import Judgement
from bakeoff.storage.stored_runs import StoredComparison, StoredRun


def judgements_of(references: Sequence[Referenced]) -> dict[str, Judgement]:
    """By name, a judgement of each comparison; of single runs of one comparison one together.

    Empty where a reference is a file, and of single runs of several comparisons.
    Comparisons are not judged together: rounds that were not made in the same minutes cannot be compared with each
    other one by one.
    """
    runs = [run for reference in references for run in reference.stored]
    if not all(run.id for run in runs):
        return {}
    if all(reference.comparison is None for reference in references):
        if len({run.comparison_id for run in runs}) > 1:
            return {}
        return {", ".join(reference.name for reference in references): judge(overlaid(runs, "selected runs"))}
    return {each.name: judge(each.comparison) for each in references if each.comparison is not None}


def overlaid(runs: Sequence[StoredRun], command: str) -> StoredComparison:
    """A comparison of these runs, as contenders of one round. Runs of one contender differ by their number."""
    results = [run.result for run in runs]
    return StoredComparison(
        id=None,
        name="Comparison of " + ", ".join(f"run {run.id}" for run in runs),
        workload=results[0].workload,
        mode=results[0].mode,
        command=command,
        status="completed",
        rounds=1,
        started_at=min(result.started_at for result in results),
        finished_at=max(result.finished_at for result in results),
        not_measured={},
        runs=[_numbered(run) for run in runs],
    )


def _numbered(run: StoredRun) -> StoredRun:
    contender = f"{run.result.name} run={run.id}"
    factors = {**run.result.factors, "run": str(run.id)}
    return replace(run, result=replace(run.result, contender=contender, factors=factors, round=1))
