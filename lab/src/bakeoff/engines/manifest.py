"""The engines of the tool."""

import os
import shutil
import sys
import sysconfig
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bakeoff import __version__
from bakeoff.builds.build import IMAGE_ROOT, Build, BuildTable, ImageTable, build_of, image_of
from bakeoff.builds.toolchain import Toolchain, toolchain_version
from bakeoff.documents.checked import read_toml
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.project import FORMATS, Project, find_checkout

# The image in which containers run an installed program: its C library must be as new as the program's.
IMAGE_VARIABLE, _BASE = "BAKEOFF_ENGINE_IMAGE", "debian:bookworm-slim"

# The folder of engines in the clone, in an image, and in the installed package.
_ENGINES = "load"


class Command(msgspec.Struct, frozen=True):
    """A command of a manifest, with placeholders."""

    command: Sequence[str]


class AuditCommands(msgspec.Struct, frozen=True):
    """The commands that audit a database, and through the target's own reads, where the engine can."""

    command: Sequence[str]
    through: Sequence[str] = ()


class PodTable(msgspec.Struct, frozen=True):
    """The requests and limits of an engine's pod, as Kubernetes writes them."""

    cpu: str
    memory: str


class InstalledTable(msgspec.Struct, frozen=True):
    """The engine's program where the tool is an installed package: beside the interpreter, or on PATH."""

    program: str
    install: str
    same_version: bool = False


class EngineManifest(msgspec.Struct, frozen=True, kw_only=True):
    """An engine.toml. formats/engine.schema.json describes each member."""

    protocols: Sequence[str]
    models: Sequence[str]
    build: BuildTable
    run: Command
    installed: InstalledTable
    image: ImageTable | None = None
    null: Command | None = None
    audit: AuditCommands | None = None
    check: Command | None = None
    request: Command | None = None
    pod: PodTable | None = None
    features: Sequence[str] = ()
    toolchain: Toolchain = Toolchain()


@dataclass(frozen=True)
class Engine:
    """One `engine.toml`, checked, and the folder it lies in.

    `image` is what containers of it run, and `python` what runs Python. `base` is the image that containers of an
    installed one run, which see its program.
    """

    name: str
    directory: Path
    manifest: EngineManifest
    build: Build
    image: Build | None = None
    python: str = sys.executable
    base: str | None = None

    @property
    def in_container(self) -> tuple[str | Path | None, Sequence[Path]]:
        """What containers of it run, and the files of this machine that they see."""
        return (self.build.image, ()) if self.base is None else (self.base, [self.build.artifact])

    def contained(self) -> "Engine":
        """The engine as its image has it: its artifact is the image, whose build needs no toolchain here."""
        if self.image is None:
            raise UsageError(f"The engine {self.name} has no [image] in its engine.toml: use another --engine.")
        return replace(
            self,
            build=self.image,
            directory=IMAGE_ROOT / _ENGINES / self.name,
            manifest=msgspec.structs.replace(self.manifest, toolchain=Toolchain()),
            python="python3",
        )

    def in_docker(self) -> "Engine":
        """The engine as containers of this machine run it: its image, or the one program that is installed here."""
        if not self.build.command and self.is_one_program:
            return replace(self, base=os.environ.get(IMAGE_VARIABLE) or _BASE)
        return self.contained()

    @property
    def command(self) -> list[str]:
        """The command that starts it, without `--plan FILE`."""
        return self._command("run", self.manifest.run, {})

    @property
    def is_one_program(self) -> bool:
        """Whether the artifact alone is the engine, so that a copy of it runs on another host."""
        program, *arguments = self.manifest.run.command
        return program == "{artifact}" and not any("{" in argument for argument in arguments)

    def null_command(self, port: int) -> list[str]:
        """The command that starts the engine's null server on a port."""
        return self._command("null", self.manifest.null, {"{port}": str(port)})

    def check_command(self) -> list[str]:
        """The command that checks a plan from standard input without sending anything, and prints JSON."""
        return self._command("check", self.manifest.check, {})

    def request_command(self) -> list[str]:
        """The command that sends single requests: JSON lines in, JSON lines out."""
        return self._command("request", self.manifest.request, {})

    def audit_command(self, plan: Path, ledger: Path, audit_sql: Path) -> list[str]:
        """The command that audits a run of this engine; it needs DATABASE_URL."""
        places = {"{plan}": str(plan), "{ledger}": str(ledger), "{audit_sql}": str(audit_sql)}
        return self._command("audit", self._audit_command(), places)

    @property
    def can_read_back(self) -> bool:
        return self.manifest.audit is not None and bool(self.manifest.audit.through)

    def read_back_command(self, plan: Path, ledger: Path, operations: Sequence[str], most: int) -> list[str]:
        """The command that audits a run through operations that read, `most` entities at most."""
        places = {"{plan}": str(plan), "{ledger}": str(ledger), "{most}": str(most)}
        places["{operations}"] = ",".join(operations)
        return self._command("audit", self._audit_command(through=True), places)

    def _audit_command(self, *, through: bool = False) -> Command | None:
        audit = self.manifest.audit
        if audit is None or (through and not audit.through):
            return None
        return Command(audit.through if through else audit.command)

    def build_version(self, version: str) -> str:
        """The version that the engine reports, with the build that it is of: a ceiling is one build's."""
        made_from = self.build.made_from
        return version if made_from is None else f"{version}+{made_from[:12]}"

    def _command(self, name: str, table: Command | None, places: Mapping[str, str]) -> list[str]:
        if table is None:
            raise BakeoffError(f"The engine {self.name} has no [{name}] in its engine.toml.")
        everywhere = {
            "{python}": self.python,
            "{artifact}": str(self.build.program),
            "{bin}": str(self.build.bin),
            "{here}": str(self.directory),
        }
        return [_replaced(part, {**everywhere, **places}) for part in table.command]

    def can(self, feature: str) -> bool:
        """Whether the engine offers one of the optional features of the engine schema."""
        return feature in self.manifest.features

    @property
    def toolchain_is_missing(self) -> bool:
        """Whether the engine is neither here nor can be built here."""
        return bool(self.manifest.toolchain.missing) and self.build.is_stale()

    def check_toolchain(self) -> None:
        """Raises BakeoffError when the engine is neither here nor can be built here, or is of another release."""
        toolchain = self.manifest.toolchain
        if self.toolchain_is_missing:
            install = toolchain.install.rstrip(".")
            needed = ", ".join(toolchain.missing)
            raise BakeoffError(f"The engine {self.name} needs {needed}: {install}. Or choose another with --engine.")
        if self.manifest.installed.same_version and not self.build.command:
            self._check_version()

    def _check_version(self) -> None:
        printed = toolchain_version((str(self.build.artifact), "--version"), self.directory) or "of no version"
        if printed.split()[-1] != __version__:
            raise BakeoffError(
                f"{self.build.artifact} is {printed}, and this is bakeoff {__version__}: both must be of one release. "
                f"{self.manifest.installed.install}=={__version__} installs it."
            )


def engine_files() -> dict[str, Path]:
    """The manifest of each engine of the tool, by name."""
    checkout = find_checkout()
    home = Path(__file__).parents[1] if checkout is None else checkout.root
    return {path.parent.name: path for path in sorted((home / _ENGINES).glob("*/engine.toml"))}


def find_engine(name: str) -> Engine:
    engines, checkout = engine_files(), find_checkout()
    if name not in engines:
        raise UsageError(f'There is no engine "{name}". Engines: {", ".join(engines) or "none"}.')
    manifest = read_toml(engines[name], FORMATS / "engine.schema.json", EngineManifest).document
    # An installed package builds nothing, and knows where images have what a checkout has.
    sources = checkout or Project(IMAGE_ROOT)
    directory = sources.root / _ENGINES / name
    build = build_of(f"engine-{name}", directory, manifest.build, sources, manifest.toolchain.version_command)
    image = None if manifest.image is None else image_of(f"engine-{name}", directory, manifest.image, build, sources)
    if checkout is None:
        program = _installed(manifest.installed.program)
        build = replace(build, command=(), inputs=(program,), artifact=program)
        toolchain = Toolchain(commands=[manifest.installed.program], install=manifest.installed.install)
        manifest = msgspec.structs.replace(manifest, toolchain=toolchain)
    return Engine(name, engines[name].parent, manifest, build, image)


def _installed(program: str) -> Path:
    """Where a program of this environment is, or one on PATH; a relative path where there is none."""
    folders = os.pathsep.join([sysconfig.get_path("scripts"), os.environ.get("PATH", os.defpath)])
    return Path(shutil.which(program, path=folders) or program)


def _replaced(text: str, places: Mapping[str, str]) -> str:
    for placeholder, path in places.items():
        text = text.replace(placeholder, path)
    return text
