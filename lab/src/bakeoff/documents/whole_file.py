"""Writes files and folders that appear whole or not at all, and files that no other user can read."""

import contextlib
import errno
import os
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def made_whole(path: Path) -> Iterator[Path]:
    """A place beside the path for a file or a folder, which is moved to the path when the block ends well.

    A reader or a crash never meets half of it. What was at the path before is replaced, except a folder by a file.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.partial")
    _remove(partial)
    yield partial
    if path.is_dir() and not partial.is_dir():
        _remove(partial)
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    # Renaming replaces a file at once; only where a folder is or will be, there is a moment without one.
    if path.is_dir() or partial.is_dir():
        _remove(path)
    partial.replace(path)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def write_whole(path: Path, content: bytes) -> Path:
    """Writes a file, and makes its folder."""
    with made_whole(path) as partial:
        partial.write_bytes(content)
    return path


def write_privately(path: Path, content: bytes) -> None:
    """Writes a file that no other user can read at any moment."""
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)


@contextlib.contextmanager
def private_file(path: Path, content: bytes) -> Iterator[None]:
    """A file that no other user can read at any moment; it exists while the block lasts."""
    write_privately(path, content)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
