"""Every check, in the order in which they are shown."""

from collections.abc import Iterator

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.doctor.durability_check import durability_checks
from bakeoff.doctor.kernel import kernel_checks
from bakeoff.doctor.neighbours import neighbour_checks
from bakeoff.doctor.space import disk_use, free_disk, free_memory
from bakeoff.doctor.toolchains import toolchain_checks
from bakeoff.postgres.binaries import find_installation
from bakeoff.processes.cores import usable_cores
from bakeoff.project import Project


def examine(project: Project) -> Iterator[Diagnosis]:
    """Each check as it is made."""
    yield from toolchain_checks(project)
    yield cores(usable_cores())
    # Before this command starts anything of its own.
    yield from neighbour_checks()
    yield free_memory()
    yield free_disk(find_installation(project).data, "databases")
    yield free_disk(project.results, "results")
    yield disk_use(project.results, project.state)
    yield from kernel_checks()
    yield from durability_checks(project)


def cores(count: int) -> Diagnosis:
    """Target, database and engine share them."""
    if count >= 2:
        return Diagnosis("cores", State.OK, str(count))
    cost = "target, database and engine compete for one core: latencies include waiting for it"
    return Diagnosis("cores", State.COSTLY, str(count), cost, "measure on a machine with two cores or more")
