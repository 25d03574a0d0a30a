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
    """Places for the files of one run, in its own folder that only this user may read; it goes with the run."""
    with own_folder(folder, target) as own:
        yield RunFiles(own / "plan.json", own / "ledger")


@contextlib.contextmanager
def own_folder(within: Path, name: str) -> Iterator[Path]:
    """A new folder within another, named like this, while the block lasts.

    What a lab left there that was killed goes too: the kernel released its lock.
    """
    within.mkdir(parents=True, exist_ok=True)
    with contextlib.ExitStack() as stack:
        # One at a time: none clears away what another has made and does not hold yet.
        with _held(within, fcntl.LOCK_EX):
            for left_behind in within.iterdir():
                with contextlib.suppress(OSError), _held(left_behind):
                    shutil.rmtree(left_behind, ignore_errors=True)
            own = Path(tempfile.mkdtemp(dir=within, prefix=f"{name}-"))
            stack.enter_context(_held(own))
        try:
            yield own
        finally:
            shutil.rmtree(own)


@contextlib.contextmanager
def _held(folder: Path, how: int = fcntl.LOCK_EX | fcntl.LOCK_NB) -> Iterator[None]:
    """Keeps other labs from clearing a folder away; OSError when one of them holds it, unless it may wait."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, how)
        yield
    finally:
        os.close(descriptor)
