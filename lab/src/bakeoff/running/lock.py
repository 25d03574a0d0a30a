"""One lab at a time: two would measure each other."""

import contextlib
import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

from bakeoff.errors import BakeoffError


@contextlib.contextmanager
def only_lab(lock_file: Path) -> Iterator[None]:
    """Holds the checkout's lock. The kernel lets go of it when its holder dies, however that happens."""
    lock_file.parent.mkdir(parents=True, exist_ok=True)
    with lock_file.open("a+") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            file.seek(0)
            holder = file.read().strip() or "unknown"
            raise BakeoffError(
                f"Another bakeoff is at work in this checkout (process {holder}). Two labs would measure each other: "
                "wait until it has ended, or end it."
            ) from error
        file.truncate(0)
        file.write(str(os.getpid()))
        file.flush()
        yield
