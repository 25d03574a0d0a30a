"""Any runs side by side, as if they had been one comparison."""

from collections.abc import Sequence
from dataclasses import replace

from bakeoff.storage.stored_runs import StoredComparison, StoredRun


def overlaid(runs: Sequence[StoredRun], command: str) -> StoredComparison:
    """A comparison of these runs. Runs of one contender differ by their number; each is its own contender."""
    results = [run.result for run in runs]
    entries = [
        replace(
            run,
            result=replace(
                run.result,
                contender=f"{run.result.contender or run.result.target} run={run.id}",
                factors={**run.result.factors, "run": str(run.id)},
                round=1,
            ),
        )
        for run in runs
    ]
    return StoredComparison(
        id=0,
        name="Comparison of " + ", ".join(f"run {run.id}" for run in runs),
        workload=results[0].workload,
        mode=results[0].mode,
        command=command,
        status="completed",
        rounds=1,
        started_at=min(result.started_at for result in results),
        finished_at=max(result.finished_at for result in results),
        not_measured={},
        runs=entries,
    )
