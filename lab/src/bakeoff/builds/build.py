"""Builds what is stale: targets and engines alike declare a command, its inputs and its artifact."""

import hashlib
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec

from bakeoff.builds.digests import content_digest, file_digest
from bakeoff.builds.sources import all_files, sources_below
from bakeoff.builds.toolchain import build_flags, toolchain_version
from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.project import Project

_ENDS_WITHIN_S = 10.0

# The lines of a stamp.
_FINGERPRINT_LINE, _ARTIFACT_LINE = 0, 1

# Builds without declared inputs or artifact are run once by each command.
_RUN_BY_THIS_COMMAND: set[Path] = set()


class BuildTable(msgspec.Struct, frozen=True):
    """The [build] table of a manifest; its paths are relative to the manifest's folder.

    Without `inputs` or `artifact` the command is run before each comparison: only the tool that it starts knows whether
    something changed. Without a command there is nothing to build.
    """

    command: Sequence[str] = ()
    artifact: str = ""
    directory: str = "."
    inputs: Sequence[str] = ()
    contents: Sequence[str] = ()
    system_packages: bool = False
    typical_s: float | None = None


class ImageTable(msgspec.Struct, frozen=True):
    """The [image] table of a manifest: what a container of it runs, and the command where it is not that of [run]."""

    dockerfile: str
    arguments: Mapping[str, str] = {}
    run: Sequence[str] = ()


# Where an image has what the repository has in its root.
IMAGE_ROOT = Path("/bakeoff")
# More options of `docker build`, such as --network host, or --build-arg for a mirror of a registry.
_BUILD_OPTIONS = "BAKEOFF_DOCKER_BUILD_OPTIONS"


@dataclass(frozen=True)
class Build:
    """How one artifact is made; one without a command was installed, or is its sources.

    `typical_s` is what its manifest expects a first build to take; None: unknown.

    `contents` are further files and folders that make up the artifact, and `version_command` prints the version of the
    tools that make it. Of an image the artifact is a file with its id, and `inside` is where the image has the program.
    `marks` are further arguments of the command that do not change what it makes. With `system_packages` it also needs
    libraries that the system's own package manager has installed, somewhere else.

    Without `inputs` the sources are what git tracks in the folder. Where no artifact is declared it is the folder,
    and `inputs` only identify it.
    """

    name: str
    directory: Path
    command: tuple[str, ...]
    inputs: tuple[Path, ...]
    artifact: Path
    bin: Path
    stamp: Path
    log: Path
    typical_s: float | None = None
    contents: tuple[Path, ...] = ()
    version_command: tuple[str, ...] = ()
    inside: Path | None = None
    marks: tuple[str, ...] = ()
    system_packages: bool = False

    @property
    def program(self) -> Path:
        return self.artifact if self.inside is None else self.inside

    @property
    def image(self) -> Path | None:
        """The file that holds the id of the image; None where the artifact is no image."""
        return None if self.inside is None else self.artifact

    def adopt(self) -> None:
        """Takes an artifact that was built from the same sources elsewhere for one that was built here."""
        if not self.artifact.exists():
            raise BakeoffError(f"{self.name}: there is no {self.artifact} to adopt. Copy it there first.")
        self.stamp.parent.mkdir(parents=True, exist_ok=True)
        self.stamp.write_text(f"{self.fingerprint()}\n{self.artifact_sha256}\n")

    def is_stale(self) -> bool:
        """Whether the artifact is missing or not the one that was built, or made from other inputs, tools or flags."""
        if not self.command:
            return not self.artifact.exists()
        if not self.inputs or self.artifact == self.directory:
            return self.stamp not in _RUN_BY_THIS_COMMAND
        if not self.artifact.exists() or self.made_from != self.fingerprint():
            return True
        return _stamped(self.stamp, _ARTIFACT_LINE) != self.artifact_sha256

    def fingerprint(self) -> str:
        """A digest of the command, of its tools' version and flags, and of every input's content."""
        digest = hashlib.sha256(json.dumps([self.command, self.toolchain, build_flags()]).encode())
        for name, path in self.sources():
            digest.update(os.fsencode(name) + b"\0")
            digest.update(bytes.fromhex(file_digest(path)))
        return digest.hexdigest()

    def sources(self) -> Iterator[tuple[str, Path]]:
        """Each file that the artifact is made from, after its name in the input that it belongs to.

        The artifact and its contents are none, unless an input names the file itself.
        """
        made = () if self.artifact == self.directory else (self.artifact, *self.contents)
        roots = self.inputs or (self.directory,)
        below = sources_below([root for root in roots if root.is_dir()], with_new=bool(self.inputs))
        for root in roots:
            if root.is_file():
                yield root.name, root.resolve()
            elif self.inputs and not root.exists():
                raise BakeoffError(f"{self.name}: its manifest names the input {root}, which does not exist.")
            for path in below.get(root, ()):
                if not any(path.is_relative_to(each) for each in made):
                    yield str(path.relative_to(root.parent)), path

    @property
    def made_from(self) -> str | None:
        """The fingerprint of what the artifact was made from; None before it was made."""
        if not self.command:
            return self.fingerprint()
        return _stamped(self.stamp, _FINGERPRINT_LINE)

    @property
    def toolchain(self) -> str | None:
        """The version of the tools, or None where the manifest names no command for it or it fails."""
        return toolchain_version(self.version_command, self.directory)

    @property
    def artifact_sha256(self) -> str | None:
        """As `sha256sum` prints it; of an artifact of several files, that of `sha256sum` over all of them, sorted."""
        if self.artifact == self.directory:
            return content_digest([path for _, path in self.sources()])
        if not self.artifact.is_file():
            return None
        roots = (root for root in (self.artifact, *self.contents) if root.exists())
        return content_digest([path for root in roots for path in all_files(root)])

    def run(
        self,
        on_line: Callable[[str], None],
        on_start: Callable[[subprocess.Popen[bytes]], None] = lambda _: None,
    ) -> None:
        """Builds, passing each line of output to `on_line`; the stamp is written only after success.

        `on_start` receives the process, so that another thread can end it.
        """
        fingerprint = self.fingerprint()
        self.stamp.unlink(missing_ok=True)
        for folder in (
            self.log.parent,
            self.stamp.parent,
            self.bin,
            *([] if self.inside is None else [self.artifact.parent]),
        ):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            status = self._execute(on_line, on_start)
        except OSError as error:
            raise BakeoffError(f"{self.name} cannot be built: {self.command[0]}: {error.strerror}.") from error
        if status != 0:
            raise BakeoffError(
                f"{self.name} did not build ({' '.join(self.command)} ended with status {status}). "
                f"Last lines of {self.log}:\n{children.last_lines(self.log)}"
            )
        if not self.artifact.exists():
            raise BakeoffError(
                f"{self.name} built, but its artifact {self.artifact} does not exist. Correct its manifest."
            )
        self.stamp.write_text(f"{fingerprint}\n{self.artifact_sha256}\n")
        _RUN_BY_THIS_COMMAND.add(self.stamp)

    def _execute(self, on_line: Callable[[str], None], on_start: Callable[[subprocess.Popen[bytes]], None]) -> int:
        process = children.start(
            [*self.command, *self.marks],
            directory=self.directory,
            environment={"GOBIN": str(self.bin)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            death_signal=signal.SIGTERM,
        )
        assert process.stdout is not None
        try:
            on_start(process)
            with self.log.open("wb") as log, process.stdout as output:
                for line in output:
                    log.write(line)
                    on_line(line.decode("utf-8", "replace").rstrip())
            return process.wait()
        finally:
            # An interrupted build ends with all the compilers it has started.
            children.kill_session(process)
            children.stop(process, signal.SIGKILL, _ENDS_WITHIN_S)


def build_of(name: str, here: Path, table: BuildTable, project: Project, version_command: Sequence[str] = ()) -> Build:
    """The build that a manifest's [build] table describes; `here` is the manifest's folder."""

    def placed(text: str) -> Path:
        return Path(os.path.normpath(here / text.replace("{bin}", str(project.bin))))

    return Build(
        name=name,
        directory=placed(table.directory),
        command=tuple(part.replace("{bin}", str(project.bin)) for part in table.command),
        inputs=tuple(placed(text) for text in table.inputs),
        artifact=placed(table.artifact or table.directory),
        bin=project.bin,
        stamp=project.state / "builds" / f"{name}.stamp",
        log=project.logs / f"build-{name}.log",
        typical_s=table.typical_s,
        contents=tuple(placed(text) for text in table.contents),
        system_packages=table.system_packages,
        # Relative to the manifest; it runs in the build's folder, so that targets of one toolchain share the answer.
        version_command=tuple(str(placed(part)) if part.startswith(".") else part for part in version_command),
    )


def image_of(
    name: str, here: Path, table: ImageTable, build: Build, project: Project, tag: str = "", labels: Sequence[str] = ()
) -> Build:
    """The build of the image that a manifest's [image] table describes, of the same inputs as its [build].

    One with a tag is kept apart from the usual one; `labels` are what it is found by in the end.
    """
    own, tagged = (f"{name}@{tag}", f"bakeoff/{name}:{tag}") if tag else (name, f"bakeoff/{name}")
    dockerfile = Path(os.path.normpath(here / table.dockerfile))
    ignored = [path for path in (project.repository / ".dockerignore",) if path.exists()]
    artifact = project.state / "images" / f"{own}.id"
    arguments = [f"--build-arg={argument}={value}" for argument, value in table.arguments.items()]
    return replace(
        build,
        name=f"image {own}",
        directory=project.repository,
        command=(
            *("docker", "build", *shlex.split(os.environ.get(_BUILD_OPTIONS, ""))),
            *(f"--file={dockerfile}", *arguments, f"--tag={tagged}", f"--iidfile={artifact}", "."),
        ),
        marks=tuple(f"--label={label}" for label in labels),
        # Without inputs of the build, it is built by each command too.
        inputs=(*build.inputs, dockerfile.parent, *ignored) if build.inputs else (),
        artifact=artifact,
        stamp=project.state / "builds" / f"image-{own}.stamp",
        log=project.logs / f"build-image-{own}.log",
        typical_s=None,
        contents=(),
        version_command=(),
        inside=IMAGE_ROOT / os.path.relpath(build.artifact, project.repository),
    )


def _stamped(stamp: Path, line: int) -> str | None:
    """A line of what was noted after a build; None where there is none."""
    lines = stamp.read_text().splitlines() if stamp.exists() else []
    return lines[line] if line < len(lines) else None
