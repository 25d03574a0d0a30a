"""The files that runs have left: their results, streams and logs, and other logs of targets without runs."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bakeoff.project import Project


def files_of(project: Project, stems: Mapping[str, Sequence[str]]) -> list[Path]:
    """The files of runs, by target and by what their names begin with, and the logs of targets without other runs."""
    found: list[Path] = []
    for target, own in stems.items():
        folder = project.results / target
        wanted = set(own)
        here = [path for path in folder.iterdir() if path.is_file()] if folder.is_dir() else []
        removed = [path for path in here if any(_belongs(path.name, stem) for stem in wanted)]
        found += removed
        if removed and len(removed) == len(here):
            found += [log for log in _logs(project, target) if log.is_file()]
    return sorted(found)


def size_of(files: Iterable[Path]) -> int:
    """Bytes that they take."""
    return sum(path.stat().st_size for path in files if path.is_file())


def _belongs(name: str, stem: str) -> bool:
    # The next character ends the payload's name: 8k is not the beginning of 8k-nested.
    return name.startswith((f"{stem}.", f"{stem}-metrics."))


def _logs(project: Project, target: str) -> list[Path]:
    return [project.logs / f"{target}-{what}.log" for what in ("conformance", "durability")]
