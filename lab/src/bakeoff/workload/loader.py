"""The workloads of a project."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Literal, get_args

import msgspec

from bakeoff.builds.digests import digest_of
from bakeoff.descriptions.proto_sources import ProtoSource, proto_roots
from bakeoff.documents.checked import Json, Toml, read_part, read_toml
from bakeoff.documents.project_file import folders, project_file
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import FORMATS, Project
from bakeoff.text.hints import hint
from bakeoff.workload.declaration import Declaration, DeclaredSeed
from bakeoff.workload.described import with_description
from bakeoff.workload.missing_names import problems_of
from bakeoff.workload.overlays import Overlay, overlay_problems, overlays_of
from bakeoff.workload.seeded import seed_problems

_SCHEMA = FORMATS / "workload.schema.json"

FileEntry = Literal["proto", "schema", "seed", "reset", "audit", "upsert", "upsert_one", "vectors", "hostile"]
# Files that change no result of a run.
_ONLY_CONFORMED: Sequence[FileEntry] = ("vectors", "hostile")
_SENT_AND_STORED: Sequence[FileEntry] = ("proto", "schema", "seed")
# Members of workload.toml that change neither what is sent nor what is stored.
_NOT_SENT = (
    *("title", "vectors", "hostile", "reset", "audit", "upsert", "upsert_one", "health", "default", "read_back"),
    # A run's record names its overlay, and the digest of that one's file.
    "overlays",
)


@dataclass(frozen=True)
class Workload:
    """One `workload.toml`, checked, and the folder it lies in."""

    name: str
    directory: Path
    declared: Declaration

    @property
    def uses_database(self) -> bool:
        return self.declared.database == "postgresql"

    @property
    def payloads(self) -> tuple[str, ...]:
        """Names of the message sizes, the usual one first."""
        return tuple(self.declared.sizes)

    @property
    def sized_payloads(self) -> tuple[str, ...]:
        """Those of a size in bytes; the natural one where there is no other."""
        sizes = self.declared.sizes
        return tuple(name for name, size in sizes.items() if size != "natural") or self.payloads[:1]

    @property
    def overlays(self) -> dict[str, Overlay]:
        return overlays_of(self.declared, self.directory)

    def file(self, entry: FileEntry) -> Path | None:
        """A file or folder that the workload names, or None where it names none."""
        named: str | DeclaredSeed | None = getattr(self.declared, entry)
        name = named.sql if isinstance(named, DeclaredSeed) else named
        if name is None:
            return None
        path = self.directory / name
        if not path.exists():
            raise BakeoffError(f'{self.name}: {entry} = "{name}", but there is no such file in {self.directory}.')
        return path

    @cached_property
    def digest(self) -> str:
        """Of what is sent and stored: operations, messages, schema. Runs of different ones measured different work."""
        members: dict[str, Json] = msgspec.to_builtins(self.declared)
        document = {name: value for name, value in members.items() if name not in _NOT_SENT}
        digest = hashlib.sha256(json.dumps(document, sort_keys=True).encode())
        for entry in _SENT_AND_STORED:
            path = self.file(entry)
            digest.update(b"-" if path is None else path.read_bytes())
        return digest.hexdigest()

    @cached_property
    def vectors_digest(self) -> str:
        """Of the conformance cases, empty without any: a new case does not change what is measured."""
        folder = self.file("vectors")
        return "" if folder is None else digest_of(sorted(folder.glob("*.json")))

    @property
    def files(self) -> list[Path]:
        """The files that the workload names, without the conformance cases and the hostile connections."""
        named = (self.file(entry) for entry in get_args(FileEntry) if entry not in _ONLY_CONFORMED)
        overlays = (self.directory / each.sql for each in self.declared.overlays.values())
        return [path for path in (*named, *overlays) if path is not None]

    @property
    def proto_source(self) -> ProtoSource | None:
        """Its proto file, and the folders that imports are relative to."""
        file = self.file("proto")
        return None if file is None else ProtoSource(file, proto_roots(self.directory, self.declared.proto_paths))

    def sql(self, entry: FileEntry) -> str | None:
        """The text of an SQL file that the workload names."""
        path = self.file(entry)
        return None if path is None else path.read_text("utf-8")


def workload_names(project: Project) -> list[str]:
    return sorted({*project_file(project).document.workloads, *_directories(project)})


def default_workloads(project: Project) -> list[Workload]:
    """Those that a command is about when it names none: all but those that say `default = false`."""
    loaded = (load_workload(project, name) for name in workload_names(project))
    return [workload for workload in loaded if workload.declared.default]


def load_workload(project: Project, name: str) -> Workload:
    """The workload of that name; its folder carries the name."""
    whole, directories = project_file(project), _directories(project)
    completed = partial(with_description, cache=project.state / "descriptions")
    if name in whole.document.workloads:
        place = ("workloads", name)
        if name in directories:
            raise whole.error(place, f"The workload {name} is also in {directories[name]}: keep one of them.")
        toml = read_part(whole, place, whole.document.workloads[name], _SCHEMA, Declaration, completed=completed)
    elif name in directories:
        toml = read_toml(directories[name] / "workload.toml", _SCHEMA, Declaration, completed=completed)
    else:
        raise UsageError(f'There is no workload "{name}". {hint(name, workload_names(project), "Workloads")}')
    if toml.document.name not in ("", name):
        raise toml.error(("name",), f'name is "{toml.document.name}" but the workload is "{name}". Make them equal.')
    _check_references(toml)
    return Workload(name, toml.path.parent, msgspec.structs.replace(toml.document, name=name))


def _directories(project: Project) -> dict[str, Path]:
    """The folder of each workload."""
    found = (path.parent for folder in folders(project, "workloads") for path in folder.glob("*/workload.toml"))
    return {directory.name: directory for directory in found}


def _check_references(toml: Toml[Declaration]) -> None:
    """Raises UsageError for the first thing that is named and does not exist, with its file and line."""
    for problem in problems_of(toml.document):
        raise toml.error(problem.place, problem.words, problem.text)
    for place, words in seed_problems(toml.document):
        raise toml.error(place, words)
    for place, words in overlay_problems(toml.document, toml.path.parent):
        raise toml.error(place, words)
    proto = toml.path.parent / (toml.document.proto or "")
    if proto.is_file():
        from bakeoff.workload.proto_files import ProtoFiles
        from bakeoff.workload.proto_references import proto_problems

        source = ProtoSource(proto, proto_roots(toml.path.parent, toml.document.proto_paths))
        for problem in proto_problems(toml.document, ProtoFiles(source)):
            raise toml.error(problem.place, problem.words, problem.text)
