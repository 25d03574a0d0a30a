"""Toolchains and engines of this machine."""

from collections.abc import Iterator, Sequence

from bakeoff.doctor.diagnosis import Diagnosis, State
from bakeoff.engines.manifest import engine_files, find_engine
from bakeoff.errors import BakeoffError
from bakeoff.project import Project
from bakeoff.targets.manifest import Target, find_targets


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
