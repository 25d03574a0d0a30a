"""Where things lie: the project that is measured, and the tool itself."""

import hashlib
import itertools
import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bakeoff.errors import BakeoffError, NotFoundError
from bakeoff.git import git

PROJECT_FILE = "bakeoff.toml"
PROJECT_VARIABLE = "BAKEOFF_PROJECT"
# The project of a launcher, where the current folder lies in none.
FALLBACK_VARIABLE = "BAKEOFF_FALLBACK_PROJECT"

# In the state of a project: keeps it out of the repository, and is written last.
IGNORE_FILE = ".gitignore"

# JSON Schemas of the documents that the tool reads and writes.
FORMATS = Path(__file__).with_name("formats")
# The one for editors, below the state of a project.
EDITOR_SCHEMA = Path("formats") / "project.schema.json"


@dataclass(frozen=True)
class Project:
    """A folder with a `bakeoff.toml`. All that a run makes lies in its `state`."""

    root: Path

    @property
    def file(self) -> Path:
        return self.root / PROJECT_FILE

    @cached_property
    def repository(self) -> Path:
        """The root of the git repository that the project lies in, or its own folder without one."""
        return _repository_of(self.root) or self.root

    @property
    def results(self) -> Path:
        """Files of each run: BAKEOFF_RESULTS, or `.bakeoff/results`."""
        return Path(os.environ.get("BAKEOFF_RESULTS") or self.state / "results").absolute()

    @property
    def state(self) -> Path:
        return self.root / ".bakeoff"

    @property
    def bin(self) -> Path:
        """Programs that the lab installs for itself."""
        return self.state / "bin"

    @property
    def logs(self) -> Path:
        return self.state / "logs"

    @property
    def commits(self) -> Path:
        """Where its other commits are checked out: not below it, as tools look for files in the folders above.

        Raises BakeoffError where that folder would lie in its repository.
        """
        folder = user_cache() / "commits" / hashlib.sha256(os.fsencode(self.root.resolve())).hexdigest()[:16]
        if folder.resolve().is_relative_to(self.repository.resolve()):
            raise BakeoffError(
                f"Another commit cannot be checked out in {folder}, which lies in the repository itself: its tools "
                "would find the files of the candidate. Let XDG_CACHE_HOME name a folder outside of the repository."
            )
        return folder

    def relative(self, path: Path) -> str:
        """A path as files of the project name it: relative to its folder where it lies there."""
        return _relative(path, self.root)


def path_here(path: Path) -> str:
    """A path as a person types it: relative to the current folder where it lies there."""
    return _relative(path, Path.cwd())


def _relative(path: Path, folder: Path) -> str:
    return str(path.relative_to(folder)) if path.is_relative_to(folder) else str(path)


def find_project() -> Project:
    """The project of BAKEOFF_PROJECT, or of the current folder or the nearest one above it.

    Raises NotFoundError where there is none. Its state folder gets a `.gitignore` of its own.
    """
    project = _named(PROJECT_VARIABLE) or next(_above(Path.cwd()), None) or _named(FALLBACK_VARIABLE)
    if project is None:
        raise NotFoundError(
            f"There is no {PROJECT_FILE} in {Path.cwd()} or a folder above it. Type {COMMAND} init in the folder of "
            "the service to measure, or name a project: --project DIR."
        )
    prepare_state(project)
    return project


def _named(variable: str) -> Project | None:
    """The project that a variable names, as its folder or its file."""
    value = os.environ.get(variable)
    if not value:
        return None
    named = Path(value).absolute()
    root = named.parent if named.name == PROJECT_FILE else named
    if not root.is_dir():
        raise BakeoffError(f"--project or {variable} names {root}, which is no folder. Name the one of a project.")
    if not (root / PROJECT_FILE).is_file():
        raise BakeoffError(f"{root} is no project: it has no {PROJECT_FILE}. Type {COMMAND} init there to make one.")
    return Project(root.resolve())


def _above(folder: Path) -> Iterator[Project]:
    """The projects that a folder lies in, the nearest first."""
    return (Project(each) for each in (folder, *folder.parents) if (each / PROJECT_FILE).is_file())


def hidden_project() -> str | None:
    """One line where the nearest project lies in another one, which may be the one that was meant."""
    found = [] if os.environ.get(PROJECT_VARIABLE) else list(itertools.islice(_above(Path.cwd()), 2))
    if len(found) < 2:
        return None
    nearest, other = found
    return f"The project is {nearest.file}. Another one lies above it: --project {other.root}."


def prepare_state(project: Project) -> None:
    """Keeps results and builds out of the repository of the project; gives editors the schema of its file."""
    ignore, schema, text = project.state / IGNORE_FILE, project.state / EDITOR_SCHEMA, _editor_schema()
    try:
        if not schema.is_file() or schema.read_bytes() != text.encode():
            schema.parent.mkdir(parents=True, exist_ok=True)
            schema.write_text(text, "utf-8")
        if not ignore.exists():
            ignore.write_text("*\n")
    except OSError as error:
        raise BakeoffError(
            f"{project.state} cannot be written: {error.strerror}. It holds the state and the results of the project: "
            "make the folder writable, or measure a copy of it."
        ) from error


def _editor_schema() -> str:
    """The schema of a project's file with those of its targets and workloads in it: editors read one file."""
    whole = json.loads((FORMATS / "project.schema.json").read_text("utf-8"))
    for kind in ("target", "workload"):
        text = (FORMATS / f"{kind}.schema.json").read_text("utf-8").replace('"#/$defs/', f'"#/$defs/{kind}/$defs/')
        part = {name: value for name, value in json.loads(text).items() if name not in ("$schema", "$id")}
        whole.setdefault("$defs", {})[kind] = part
        whole["properties"][f"{kind}s"]["additionalProperties"] = {"$ref": f"#/$defs/{kind}"}
    return json.dumps(whole)


def _repository_of(folder: Path) -> Path | None:
    try:
        found = git(folder, "rev-parse", "--show-toplevel")
    except OSError:
        return None
    return Path(found.stdout.strip()) if found.returncode == 0 else None


def find_checkout() -> Project | None:
    """The clone of the tool that this package was installed from; None for an installed wheel."""
    root = Path(__file__).resolve().parents[3]
    return Project(root) if (root / "load" / "native" / "engine.toml").is_file() else None


COMMAND = "bakeoff" if find_checkout() is None else "./bakeoff"
"""How a person starts the tool: messages that name the next command begin with it."""


def own_checkout() -> Project:
    """The clone of the tool. Raises BakeoffError for an installed package, which has no tests and no documents."""
    checkout = find_checkout()
    if checkout is None:
        raise BakeoffError("This command is for the clone of bakeoff's own repository; this is an installed package.")
    return checkout


def tool() -> Project:
    """Where the tool keeps what it builds or installs for all projects: its clone, or the user's cache folder."""
    return find_checkout() or Project(user_cache())


def user_cache() -> Path:
    """The user's folder for what can be made again. Raises BakeoffError for a user without one."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "bakeoff"
    except RuntimeError as error:
        raise BakeoffError(
            "This user has no home folder, so there is none for caches. Let XDG_CACHE_HOME name one."
        ) from error
