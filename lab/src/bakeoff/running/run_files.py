"""Files that lab, engine and audit share during one run; removed afterwards."""

import contextlib
import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class RunFiles:
    """The plan, which may hold a token, and the ledger of what was acknowledged."""

    plan: Path
    ledger: Path


@contextlib.contextmanager
def run_files(folder: Path, target: str) -> Iterator[RunFiles]:
    """Places for the files of one run, in its own folder that only this user may read; it goes with the run.

    What a lab left there that was killed goes too: the kernel released its lock.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for left_behind in folder.iterdir():
        with contextlib.suppress(OSError), _held(left_behind):
            shutil.rmtree(left_behind, ignore_errors=True)
    own = Path(tempfile.mkdtemp(dir=folder, prefix=f"{target}-"))
    with _held(own):
        try:
            yield RunFiles(own / "plan.json", own / "ledger")
        finally:
            shutil.rmtree(own)


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Keeps other labs from clearing a folder away; OSError when one of them holds it."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(descriptor)
