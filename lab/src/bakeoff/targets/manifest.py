"""The targets of a project."""

import fnmatch
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import msgspec

from bakeoff.builds.build import Build, BuildTable, ImageTable, build_of, image_of
from bakeoff.builds.toolchain import Toolchain
from bakeoff.documents.checked import Toml, read_part, read_toml
from bakeoff.documents.project_file import folders, project_file
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import FORMATS, Project
from bakeoff.results.labels import Labels, labels_of, matches, refuse_unmatched
from bakeoff.targets.gauges import GaugesTable
from bakeoff.targets.hostile_limits import HostileTable, Part
from bakeoff.targets.short_form import full_form
from bakeoff.targets.storage import NONE, POSTGRESQL, StorageKind, StorageTable
from bakeoff.text.hints import nearest
from bakeoff.workload.loader import load_workload, workload_names

_SCHEMA = FORMATS / "target.schema.json"

STANDARD, TUNED, ALL = "standard", "tuned", "all"

# Folders that are not searched for targets.
MADE_BY_BUILDS = {"target", "node_modules", "build", "dist"}


@dataclass(frozen=True)
class Setting:
    """One of the settings that the lab may vary: its name, the environment variable that sets it, and what it is unset.

    `default` is None where the manifest does not say.
    """

    name: str
    variable: str
    default: str | None = None


class Replacement(msgspec.Struct, frozen=True):
    """A part of the framework that a tuned target does not use, what it has instead, and why."""

    part: str
    by: str
    why: str

    @property
    def words(self) -> str:
        return f"{self.part}: {self.by}"


class DocumentedSetting(msgspec.Struct, frozen=True):
    """A setting of a standard target that is not the framework's default, and the guide that recommends it."""

    setting: str
    value: str
    link: str

    @property
    def words(self) -> str:
        return f"{self.setting} = {self.value}"


class CompanionTable(msgspec.Struct, frozen=True):
    """A companion process of the target, or several alike."""

    name: str
    command: Sequence[str]
    environment: Mapping[str, str] = {}
    count: int = 1
    count_variable: str = ""
    ready_port: str = ""
    gauges: GaugesTable | None = None


class RunTable(msgspec.Struct, frozen=True):
    """How it is started; without a command it can only be measured where it runs already."""

    command: Sequence[str] = ()
    port_variable: str = "PORT"
    default_port: int = 8080
    second_port: int | None = None
    directory: str = "."
    environment: Mapping[str, str] = {}
    inherits: Sequence[str] = ()
    companions: Sequence[CompanionTable] = ()
    gauges: GaugesTable | None = None
    read_url_variable: str | None = None


class DeclaredSetting(msgspec.Struct, frozen=True):
    variable: str
    default: str | None = None


class TargetManifest(msgspec.Struct, frozen=True, kw_only=True, rename={"target_class": "class"}):
    """A target.toml. formats/target.schema.json describes each member."""

    run: RunTable = RunTable()
    name: str = ""
    workload: str = ""
    language: str = ""
    protocol: Literal["rest", "grpc"] = "rest"
    target_class: Literal["standard", "tuned"] = "standard"
    directory: str = "."
    build: BuildTable = BuildTable()
    ready: str = ""
    stop: str = "SIGTERM"
    warm_up_s: float = 0.0
    image: ImageTable | None = None
    title: str = ""
    toolchain: Toolchain = Toolchain()
    replaces: Sequence[Replacement] = ()
    documented_settings: Sequence[DocumentedSetting] = ()
    stack: Mapping[str, str] = {}
    settings: Mapping[str, str | DeclaredSetting] = {}
    storage: StorageTable = StorageTable()
    hostile: HostileTable = HostileTable()


@dataclass(frozen=True)
class Target:
    """One `target.toml`, checked, and the folder it lies in. `image` is what containers of it run.

    `project` is the one that declares it: with --against that of another commit.
    """

    project: Project
    name: str
    directory: Path
    manifest: TargetManifest
    build: Build
    image: Build | None = None

    @property
    def contained(self) -> "Target":
        """The target as containers run it: its artifact is the image, whose build needs no toolchain here.

        Without a command a container runs the image's own.
        """
        manifest = self.manifest
        if self.image is None or manifest.image is None:
            raise UsageError(
                f'{self.name} has no image, so no container can run it: add image = "Dockerfile", or omit --in.'
            )
        run = msgspec.structs.replace(manifest.run, command=manifest.image.run or manifest.run.command)
        manifest = msgspec.structs.replace(manifest, toolchain=Toolchain(), run=run)
        return replace(self, build=self.image, manifest=manifest)

    @property
    def workload(self) -> str:
        return self.manifest.workload

    @property
    def title(self) -> str:
        return self.manifest.title or self.name

    @property
    def language(self) -> str:
        return self.manifest.language

    @property
    def protocol(self) -> str:
        return self.manifest.protocol

    @property
    def target_class(self) -> str:
        """`standard` or `tuned`; the two are never ranked together."""
        return self.manifest.target_class

    @property
    def labels(self) -> Labels:
        """The names by which people choose between targets."""
        return labels_of(self.workload, self.language, self.protocol, self.target_class, self.manifest.stack)

    @property
    def default_port(self) -> int:
        return self.manifest.run.default_port

    @property
    def working_directory(self) -> Path:
        """Where its commands run."""
        return Path(os.path.normpath(self.directory / self.manifest.run.directory))

    @property
    def missing(self) -> list[str]:
        return self.manifest.toolchain.missing

    @property
    def why_skipped(self) -> str | None:
        """One line when this machine cannot build or start the target, else None."""
        if not self.manifest.run.command:
            there = f"measure one that runs with --attach {self.name}=http://127.0.0.1:{self.default_port}"
            return f"{self.name}: skipped, it has no run, the command that starts it. Add it, or {there}."
        missing, install = self.missing, self.manifest.toolchain.install
        return f"{self.name}: skipped, {', '.join(missing)} not found. {install}" if missing else None

    @property
    def settings(self) -> list[Setting]:
        return [
            Setting(name, each) if isinstance(each, str) else Setting(name, each.variable, each.default)
            for name, each in self.manifest.settings.items()
        ]

    def stalled_ends_s(self, part: Part) -> float | None:
        """Seconds after which it ends a request that stalls in this part; None where it states no time."""
        return self.manifest.hostile.ended_after_s(part, _defaults(self.manifest))

    def setting_variable(self, setting: str) -> str:
        """The environment variable that sets one of the settings a lab may vary."""
        variable = next((each.variable for each in self.settings if each.name == setting), None)
        if variable is None:
            raise BakeoffError(f"{self.name} has no setting {setting}: add it to its settings.")
        return variable


def find_targets(project: Project, among: Collection[str] | None = None) -> list[Target]:
    """All targets of the project, or those `among` these names, ordered by name."""
    declared = (toml for toml in _declared(project) if among is None or toml.document.name in among)
    targets = [_target(project, toml) for toml in declared]
    names = [target.name for target in targets]
    for target in targets:
        if names.count(target.name) > 1:
            raise BakeoffError(f'Two targets are named "{target.name}". Rename one of them.')
    return sorted(targets, key=lambda target: target.name)


def _manifests(folder: Path) -> Iterator[Path]:
    """Every target.toml below a folder. Build output is not searched: it is large, and changes during builds."""
    for here, below, files in os.walk(folder):
        below[:] = [name for name in below if name not in MADE_BY_BUILDS and not name.startswith(".")]
        if "target.toml" in files:
            yield Path(here) / "target.toml"


def choose_targets(
    targets: Sequence[Target], names: Sequence[str], target_class: str = ALL, where: Sequence[str] = ()
) -> list[Target]:
    """The targets of these names or patterns in the order given; where none is given, all of a class.

    `where` are conditions that their labels meet.
    """
    chosen = _named(targets, names, target_class)
    if where:
        refuse_unmatched((target.labels for target in chosen), where)
    return [target for target in chosen if matches(target.labels, where)]


def _named(targets: Sequence[Target], names: Sequence[str], target_class: str) -> list[Target]:
    if not names:
        chosen = [target for target in targets if target_class in (ALL, target.target_class)]
        if targets and not chosen:
            raise UsageError(f"There is no {target_class} target: name one with --target, or choose another --class.")
        return chosen
    by_name = {target.name: target for target in targets}
    named: dict[str, Target] = {}
    for name in names:
        matching = [name] if name in by_name else fnmatch.filter(by_name, name)
        if not matching:
            meant = (
                f" Did you mean '*{name}*'?"
                if name and fnmatch.filter(by_name, f"*{name}*")
                else nearest(name, [*by_name])
            )
            raise UsageError(f'There is no target "{name}". Targets: {", ".join(by_name) or "none"}.{meant}')
        named |= {each: by_name[each] for each in matching}
    return list(named.values())


def _declared(project: Project) -> Iterator[Toml[TargetManifest]]:
    """The targets of the project's own file, and those of the folders that it names."""
    whole = project_file(project)
    for name, table in whole.document.targets.items():
        toml = read_part(whole, ("targets", name), table, _SCHEMA, TargetManifest, full_form)
        if toml.document.name not in ("", name):
            raise toml.error(("name",), f"This target is named {name} by its table: remove its name.")
        yield replace(toml, document=msgspec.structs.replace(toml.document, name=name))
    for folder in folders(project, "targets"):
        for path in _manifests(folder):
            toml = read_toml(path, _SCHEMA, TargetManifest, full_form)
            if not toml.document.name:
                raise toml.error((), 'A target needs a name: add one, such as name = "shop-api".')
            yield toml


def _target(project: Project, toml: Toml[TargetManifest]) -> Target:
    manifest = toml.document
    if not manifest.workload:
        manifest = msgspec.structs.replace(manifest, workload=_only_workload(project, toml))
    here = Path(os.path.normpath(toml.path.parent / manifest.directory))
    if not here.is_dir():
        raise toml.error(("directory",), f"{manifest.name}: there is no folder {here}.")

    def usual() -> StorageKind:
        return POSTGRESQL if load_workload(project, manifest.workload).uses_database else NONE

    started = _texts_of(manifest.run) if manifest.run.command else []
    if (wrong := manifest.storage.problem(list(manifest.settings), started, usual)) is not None:
        raise toml.error(("storage", *wrong[0]), wrong[1])
    if manifest.ready and manifest.protocol == "grpc":
        words = "ready is an HTTP request, and the protocol is grpc. Remove ready: the lab asks grpc.health.v1."
        raise toml.error(("ready",), words)
    if (unread := manifest.hostile.problem(_defaults(manifest))) is not None:
        raise toml.error(("hostile", unread[0]), unread[1])
    for place, table in _gauges_of(manifest.run):
        problem = table.problem(manifest.protocol, _texts_of(manifest.run))
        if problem is not None:
            raise toml.error((*place, problem[0]), f"{'.'.join(map(str, place))}: {problem[1]}")
    if not manifest.build.artifact and any("{artifact}" in text for text in _texts_of(manifest.run)):
        raise toml.error(("run",), f"{manifest.name}: run names {{artifact}}, and build declares no artifact. Add it.")
    build = build_of(manifest.name, here, manifest.build, project, manifest.toolchain.version_command)
    image = None if manifest.image is None else image_of(manifest.name, here, manifest.image, build, project)
    return Target(project, manifest.name, here, manifest, build, image)


def _defaults(manifest: TargetManifest) -> dict[str, str | None]:
    """The defaults of its settings by name; None where it does not say."""
    return {name: None if isinstance(each, str) else each.default for name, each in manifest.settings.items()}


def _only_workload(project: Project, toml: Toml[TargetManifest]) -> str:
    names = workload_names(project)
    if len(names) != 1:
        known = ", ".join(names) or "none: add [workloads.NAME]"
        raise toml.error((), f"{toml.document.name} needs workload = one of the project's workloads: {known}.")
    return names[0]


def _gauges_of(run: RunTable) -> Iterator[tuple[Sequence[str | int], GaugesTable]]:
    """The gauges of a target's processes, each with the place of its declaration."""
    if run.gauges is not None:
        yield ("run", "gauges"), run.gauges
    for index, companion in enumerate(run.companions):
        if companion.gauges is not None:
            yield ("run", "companions", index, "gauges"), companion.gauges


def _texts_of(run: RunTable) -> list[str]:
    of_companions = [text for each in run.companions for text in (*each.command, *each.environment.values())]
    return [*run.command, *run.environment.values(), *of_companions]


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
