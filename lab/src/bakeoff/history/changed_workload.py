"""Figures of a workload that has changed meanwhile are of other work: they are compared only where a person insists."""

from collections.abc import Iterable, Sequence

from bakeoff.errors import UsageError
from bakeoff.history.run_figures import RunFigures

OPTION = "--allow-changed-workload"
OPTION_HELP = "Compare runs although their workload changed, and mark them."
MARK = "the workload changed"


def changed_workloads(runs: Iterable[RunFigures]) -> list[str]:
    """The workloads that some completed runs were sent in one form and others in another."""
    digests: dict[str, set[str]] = {}
    for run in runs:
        if run.status == "completed" and run.workload_digest:
            digests.setdefault(run.workload, set()).add(run.workload_digest)
    return sorted(name for name, found in digests.items() if len(found) > 1)


def changed_at(runs: Sequence[RunFigures]) -> list[RunFigures]:
    """Of runs in the order of time, those whose workload is another than that of the last run that knew its own."""
    changed, last = [], ""
    for run in runs:
        if run.workload_digest and last and run.workload_digest != last:
            changed.append(run)
        last = run.workload_digest or last
    return changed


def refuse_changed(runs: Sequence[RunFigures], *, allowed: bool) -> list[str]:
    """The workloads that changed. Raises UsageError for them unless it is allowed."""
    changed = changed_workloads(runs)
    if changed and not allowed:
        raise UsageError(
            f"The workload {', '.join(changed)} changed between these runs: other messages, weights or tables, so that "
            f"a difference is not the target's. Measure both sides again, or go on with {OPTION}."
        )
    return changed


def refuse_several(runs: Sequence[RunFigures]) -> None:
    """Raises UsageError for runs of more than one workload: no figure of one stands beside that of another."""
    names = sorted({run.workload for run in runs})
    if len(names) > 1:
        raise UsageError(f"These runs are of different workloads ({', '.join(names)}) and cannot be compared.")


def changed_in_words(changed: Sequence[str]) -> str:
    """For people, where they have insisted."""
    return f"The workload {', '.join(changed)} changed between these runs: differences are not the target's alone."
