"""The `bakeoff.toml` of a project: its targets and workloads, here or in the folders that it names."""

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import msgspec

from bakeoff.documents.checked import Json, Toml, read_toml
from bakeoff.errors import UsageError
from bakeoff.project import FORMATS, Project


class Folders(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Folders, relative to the file, that hold what grew out of it."""

    targets: Sequence[str] = ()
    workloads: Sequence[str] = ()


class ProjectFile(msgspec.Struct, frozen=True):
    """A bakeoff.toml. formats/project.schema.json describes each member."""

    version: int = 1
    targets: Mapping[str, Json] = {}
    workloads: Mapping[str, Json] = {}
    folders: Folders = Folders()


def project_file(project: Project) -> Toml[ProjectFile]:
    """The project's file, checked. Raises UsageError with its file and line."""
    try:
        changed_ns = project.file.stat().st_mtime_ns
    except OSError:
        changed_ns = 0
    return _read(project.file, changed_ns)


@lru_cache(maxsize=8)
def _read(path: Path, _changed_ns: int) -> Toml[ProjectFile]:
    return read_toml(path, FORMATS / "project.schema.json", ProjectFile)


def folders(project: Project, kind: str) -> Iterator[Path]:
    """The folders of a kind, `targets` or `workloads`. Raises UsageError for one that does not exist."""
    toml = project_file(project)
    names: Sequence[str] = getattr(toml.document.folders, kind)
    for index, name in enumerate(names):
        folder = project.root / name
        if not folder.is_dir():
            place = ("folders", kind, index)
            raise UsageError(f"{toml.place(place)}: there is no folder {name}. Make it, or take it out of {kind}.")
        yield folder
