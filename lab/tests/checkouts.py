"""Checkouts that tests write into."""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path

from bakeoff.postgres.binaries import folder_outside
from bakeoff.project import Project


@contextlib.contextmanager
def throwaway(root: Path) -> Iterator[Project]:
    """A checkout of one test. Its database, some hundred MB outside its folder, is removed at the end."""
    checkout = Project(root)
    try:
        yield checkout
    finally:
        shutil.rmtree(folder_outside(checkout), ignore_errors=True)
