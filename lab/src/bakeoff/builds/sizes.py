"""How large what a build makes is, and how many lines it is made from."""

import os
from functools import lru_cache
from pathlib import Path

from bakeoff.builds.build import Build

# Written by package managers.
_LOCK_FILES = ("*.lock", "*.lockb", "*.sum", "*-lock.json", "*-lock.yaml", "*.lockfile")
# Described beside the source: manifests of the lab, documents, and files that begin with a dot.
_NOT_SOURCE = (*_LOCK_FILES, "target.toml", "statements.toml", "*.md", ".*")


def install_bytes(build: Build) -> int | None:
    """Of the artifact and the contents that the manifest names.

    None where it declares no artifact, an image, or packages of the system, whose files nothing here knows.
    """
    if build.artifact == build.directory or build.image is not None or build.system_packages:
        return None
    return _bytes_of(build, build.made_from)


def source_lines(build: Build, without: Path) -> int | None:
    """Of the files that the manifest names as inputs, blank lines and comments included; None where it names none.

    Lock files, Markdown, the lab's own manifests, hidden and binary files are left out. So are the files below
    `without`, unless the build itself lies there.
    """
    return _lines_of(build, build.made_from, without) if build.inputs else None


@lru_cache(maxsize=256)
def _bytes_of(build: Build, _made_from: str | None) -> int | None:
    """Counted once for each build: a folder of dependencies has ten thousands of files."""
    roots = {root for root in (build.artifact, *build.contents) if root.exists()}
    apart = [root for root in roots if not roots & {*root.parents}]
    return sum(map(_size_of, apart)) if roots else None


def _size_of(path: Path) -> int:
    """Of a file, or of all files below a folder; links are not followed."""
    if path.is_symlink() or not path.is_dir():
        return path.lstat().st_size
    with os.scandir(path) as entries:
        return sum(
            _size_of(Path(entry)) if entry.is_dir(follow_symlinks=False) else entry.stat(follow_symlinks=False).st_size
            for entry in entries
        )


@lru_cache(maxsize=256)
def _lines_of(build: Build, _made_from: str | None, without: Path) -> int:
    is_apart = not build.directory.is_relative_to(without)
    files = {path for _, path in build.sources() if not (is_apart and path.is_relative_to(without))}
    return sum(_lines_in(path) for path in files if not any(path.match(each) for each in _NOT_SOURCE))


def _lines_in(path: Path) -> int:
    """None in a link or a binary file."""
    content = b"" if path.is_symlink() else path.read_bytes()
    return 0 if b"\0" in content else len(content.splitlines())
