"""Every check, in the order in which they are shown, and those of toolchains and engines."""

import os
from collections.abc import Iterator, Sequence

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.doctor.durability_check import durability_checks
from bakeoff.doctor.kernel import kernel_checks
from bakeoff.doctor.neighbours import neighbour_checks
from bakeoff.doctor.space import disk_use, free_disk, free_memory
from bakeoff.engines.manifest import engine_files, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.postgres.binaries import find_installation
from bakeoff.project import Project
from bakeoff.targets.manifest import Target, find_targets


def examine(project: Project) -> Iterator[Diagnosis]:
    """Each check as it is made."""
    yield from toolchain_checks(project)
    yield cores(os.cpu_count() or 1)
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


def toolchain_checks(project: Project) -> Iterator[Diagnosis]:
    """One for each engine, and in a project one for the targets of each language."""
    yield from map(_engine, engine_files())
    targets = find_targets(project) if project.file.is_file() else []
    for language in sorted({target.language for target in targets if target.manifest.toolchain.commands}):
        yield language_check(language, [target for target in targets if target.language == language])


def language_check(language: str, targets: Sequence[Target]) -> Diagnosis:
    """Whether the targets of one language can be built."""
    skipped = [target for target in targets if target.missing]
    if not skipped:
        return Diagnosis(f"toolchain {language}", State.OK, f"{len(targets)} targets can be built")
    missing = sorted({program for target in skipped for program in target.missing})
    names = ", ".join(target.name for target in skipped)
    remedy = skipped[0].manifest.toolchain.install
    return Diagnosis(
        f"toolchain {language}", State.COSTLY, f"{', '.join(missing)} not found", f"{names}: not measured", remedy
    )


def _engine(name: str) -> Diagnosis:
    subject = f"engine {name}"
    try:
        engine = find_engine(name)
        engine.check_toolchain()
    except BakeoffError as error:
        return Diagnosis(subject, State.COSTLY, "not available", "runs with it are refused", error.message)
    state = "not built yet" if engine.build.is_stale() else "built"
    return Diagnosis(subject, State.OK, state)
