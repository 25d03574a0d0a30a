"""The latency of a small durable write: with the speed of a core, a condition of the machine."""

import os
import statistics
import tempfile
import time
from pathlib import Path

_PROBES = 15
_BLOCK = bytes(8192)


def fsync_ms(folder: Path) -> float | None:
    """The median of some writes of a block, each forced to disk, in its own file; None where that is refused.

    A few dozen milliseconds. Between runs on one machine it shows a disk that other processes use, or that throttles.
    """
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            return statistics.median(_synced_ms(file.fileno()) for _ in range(_PROBES))
    except OSError:
        return None


def _synced_ms(descriptor: int) -> float:
    began = time.perf_counter()
    os.pwrite(descriptor, _BLOCK, 0)
    os.fdatasync(descriptor)
    return (time.perf_counter() - began) * 1000
