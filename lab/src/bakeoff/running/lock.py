"""One lab at a time: two would measure each other. Tests may run beside tests, and not beside a measurement.

A process that holds a lock may take it again: what is inside belongs to what is outside.
"""

import contextlib
import errno
import fcntl
import os
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

from bakeoff.errors import BakeoffError
from bakeoff.project import Project

# Names another file than the machine's own, for labs that may measure at once: each has its own cores, say.
MACHINE_LOCK_VARIABLE = "BAKEOFF_MACHINE_LOCK"
# The same for every user and session, whatever their TMPDIR.
_MACHINE_LOCK = Path("/tmp/bakeoff.lock")  # noqa: S108 — opened as a shared folder requires, see _opened

# Descriptors of the locks that this process holds.
_held_here: dict[Path, int] = {}


_REFUSAL_HERE = (
    "Another bakeoff is running in this project (process {holder}). Two labs would disturb each other: wait until it "
    "ends, or stop it."
)
_REFUSAL = (
    "Another bakeoff is running on this machine (process {holder}). A measurement and other work would disturb each "
    "other: wait until it ends, or stop it. Labs that do not share cores can set one file each in "
    f"{MACHINE_LOCK_VARIABLE}."
)


def only_lab(lock_file: Path, before_waiting: Callable[[str], None] | None = None) -> AbstractContextManager[None]:
    """Holds the project's lock. The kernel releases it when its holder dies, however that happens."""
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    return _held(lock_file, str(os.getpid()), _REFUSAL_HERE, before_waiting=before_waiting)


@contextlib.contextmanager
def measuring_lab(project: Project, before_waiting: Callable[[str], None] | None = None) -> Iterator[None]:
    """Holds the project's lock and the machine's: no other lab of this machine measures or runs its tests now.

    Another one that does is waited for where `before_waiting` takes the words about it; else they are an error.
    """
    holder = f"{os.getpid()} in {project.root}"
    with (
        only_lab(project.state / "lock", before_waiting),
        _held(machine_lock(), holder, _REFUSAL, before_waiting=before_waiting),
    ):
        yield


def checking_lab(project: Project) -> AbstractContextManager[None]:
    """Keeps measurements off this machine while the project's tests run; the tests of other projects may run too."""
    return _held(machine_lock(), f"{os.getpid()} in {project.root}, which runs tests", _REFUSAL, fcntl.LOCK_SH)


def keep_locks() -> None:
    """Leaves the locks to the program that replaces this process."""
    for descriptor in _held_here.values():
        os.set_inheritable(descriptor, True)


def machine_lock() -> Path:
    """The file whose lock a measuring lab holds."""
    return Path(os.environ.get(MACHINE_LOCK_VARIABLE) or _MACHINE_LOCK).absolute()


@contextlib.contextmanager
def _held(
    path: Path,
    holder: str,
    refusal: str,
    how: int = fcntl.LOCK_EX,
    before_waiting: Callable[[str], None] | None = None,
) -> Iterator[None]:
    """Holds the lock of a file, which names its holder; `refusal` names the holder to those who come too late."""
    if path in _held_here:
        yield
        return
    with os.fdopen(_opened(path), "r+", encoding="utf-8") as file:
        try:
            fcntl.flock(file, how | fcntl.LOCK_NB)
        except BlockingIOError as error:
            words = refusal.format(holder=file.read().strip() or "unknown")
            if before_waiting is None:
                raise BakeoffError(words) from error
            before_waiting(f"{words} This one starts then.")
            fcntl.flock(file, how)
            file.seek(0)
        file.truncate(0)
        file.write(holder)
        file.flush()
        _held_here[path] = file.fileno()
        try:
            yield
        finally:
            del _held_here[path]


def _opened(path: Path) -> int:
    """Opens a lock file that users share.

    In a folder that all may write to the kernel refuses to create what another user has made already, so that it is
    opened as it is first; and no other user may have us write through a link into a file of our own.
    """
    flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
    try:
        try:
            descriptor = os.open(path, flags)
        except FileNotFoundError:
            descriptor = os.open(path, flags | os.O_CREAT)
            # For other users too, whatever the mask of this one.
            os.fchmod(descriptor, 0o666)
    except OSError as error:
        fix = "Measure in a copy" if error.errno == errno.EROFS else "Remove it, or make its folder writable"
        raise BakeoffError(f"The lock {path} cannot be opened: {error.strerror}. {fix}.") from error
    state = os.fstat(descriptor)
    if not stat.S_ISREG(state.st_mode) or state.st_nlink != 1:
        os.close(descriptor)
        raise BakeoffError(f"The lock {path} is not a regular file. Remove it and start again.")
    return descriptor
