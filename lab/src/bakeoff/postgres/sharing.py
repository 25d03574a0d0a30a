"""One embedded instance for several labs at once: history is read, or served, while another lab measures.

The first to come starts the instance, the last to go stops it. Each user holds a shared lock for as long as it uses
the instance; coming and going are decided one after another, behind a gate. Both locks are the kernel's and die with
their holder.
"""

import contextlib
import fcntl
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.embedded import Instance, InstanceKind, found_running
from bakeoff.postgres.server import Server


@contextlib.contextmanager
def shared(installation: Installation, kind: InstanceKind, logs: Path) -> Iterator[Server]:
    """The instance, started if it is not running; stopped when this was its last user."""
    gate = installation.data / f"{kind.name}.gate"
    instance = Instance(installation, kind, logs)
    with (installation.data / f"{kind.name}.users").open("a") as users:
        with _held(gate):
            server = found_running(installation.data, kind) or instance.start()
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield server
        finally:
            with _held(gate):
                if _is_last(users):
                    instance.stop()
                else:
                    instance.release()


@contextlib.contextmanager
def _held(gate: Path) -> Iterator[None]:
    # Closed, it is free again.
    with gate.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _is_last(users: IO[str]) -> bool:
    # The kernel converts a lock by dropping and taking it; no process gets in between, since it would need the gate.
    try:
        fcntl.flock(users, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        fcntl.flock(users, fcntl.LOCK_UN)
        return False
    return True
