"""The files below folders that builds are made from."""

import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path

from bakeoff.git import git

# Left out where git does not know what builds make.
_MADE_BY_BUILDS = {"target", "node_modules", "__pycache__", ".git", "build", "bin", ".bakeoff", ".venv", "dist"}
# Options of `git ls-files`.
_AND_NEW = ("--others", "--exclude-standard")


def sources_below(folders: Sequence[Path], *, with_new: bool) -> Mapping[Path, Sequence[Path]]:
    """The files below each folder that git tracks; `with_new` adds those that it neither tracks nor ignores.

    Where git knows none of them, all files but those in folders with names that builds use.
    """
    options = _AND_NEW if with_new else ()
    # One process for all: a project has hundreds of input folders.
    common = [*git_files(Path(os.path.commonpath(folders)), *options, below=folders)] if folders else []
    return {
        folder: [path for path in common if str(path).startswith(f"{folder}{os.sep}")]
        or [*git_files(folder, *options)]
        or [*all_files(folder, _MADE_BY_BUILDS)]
        for folder in folders
    }


def all_files(root: Path, without: Collection[str] = ()) -> Iterator[Path]:
    """A file, or the regular files and links below a folder, except in folders of the names `without`."""
    if root.is_file():
        yield root.resolve()
        return
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in without)
        # A link to a folder is among the folders, and not followed.
        for path in (Path(folder) / name for name in sorted([*names, *folders])):
            if path.is_symlink() or path.is_file():
                yield path


def git_files(folder: Path, *options: str, below: Sequence[Path] = ()) -> Iterator[Path]:
    """The regular files and links in a folder, or `below` some in it, that git tracks, also in submodules.

    `options` of `git ls-files` add others.
    """
    within = [os.path.relpath(path, folder) for path in below or (folder,)]
    try:
        found = git(folder, "--literal-pathspecs", "ls-files", "-z", "--cached", *options, "--", *within)
    except OSError:
        return
    names = {name for name in found.stdout.split("\0") if name} if found.returncode == 0 else set()
    for path in (folder / name for name in sorted(names)):
        if path.is_symlink() or path.is_file():
            yield path
        # Without a repository in it, the folder of a submodule would list itself.
        elif (path / ".git").exists():
            yield from git_files(path, *options)
