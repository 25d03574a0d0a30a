"""How large what a build makes is, and how many lines it is made from."""

from functools import lru_cache
from pathlib import Path

from bakeoff.builds.build import Build
from bakeoff.builds.sources import all_files

# Written by package managers.
_LOCK_FILES = ("*.lock", "*.lockb", "*.sum", "*-lock.json", "*-lock.yaml", "*.lockfile")
# Described beside the source: manifests of the lab, documents, and files that begin with a dot.
_NOT_SOURCE = (*_LOCK_FILES, "target.toml", "statements.toml", "*.md", ".*")


def install_bytes(build: Build) -> int | None:
    """Of the artifact and the contents that the manifest names; None where it declares no artifact, or an image."""
    if build.artifact == build.directory or build.image is not None:
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
    roots = [root for root in (build.artifact, *build.contents) if root.exists()]
    files = {path for root in roots for path in all_files(root)}
    return sum(path.lstat().st_size for path in files) if roots else None


@lru_cache(maxsize=256)
def _lines_of(build: Build, _made_from: str | None, without: Path) -> int:
    is_apart = not build.directory.is_relative_to(without)
    files = {path for _, path in build.sources() if not (is_apart and path.is_relative_to(without))}
    return sum(_lines_in(path) for path in files if not any(path.match(each) for each in _NOT_SOURCE))


def _lines_in(path: Path) -> int:
    """None in a link or a binary file."""
    content = b"" if path.is_symlink() else path.read_bytes()
    return 0 if b"\0" in content else len(content.splitlines())
