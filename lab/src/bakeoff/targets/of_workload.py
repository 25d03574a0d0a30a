"""Which targets a command is about that names none."""

from collections.abc import Sequence

from bakeoff.errors import UsageError
from bakeoff.project import Project
from bakeoff.targets.manifest import Target
from bakeoff.workload.loader import load_workload, workload_names


def of_workload(project: Project, targets: Sequence[Target], workload: str | None) -> list[Target]:
    """The targets of a workload; without one those of every workload that does not say `default = false`."""
    if workload is not None:
        load_workload(project, workload)
        chosen = [target for target in targets if target.workload == workload]
        if not chosen:
            raise UsageError(f"The workload {workload} has no targets: docs/ADD_A_TARGET.md shows how to add one.")
        return chosen
    found = {target.workload for target in targets} & set(workload_names(project))
    left_out = {name for name in found if not load_workload(project, name).declared.default}
    return [target for target in targets if target.workload not in left_out]
