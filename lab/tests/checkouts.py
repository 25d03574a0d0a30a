"""Checkouts that tests write into, and checkouts in which tests run labs at the same time."""

import contextlib
import shlex
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from bakeoff.postgres.binaries import find_installation, folder_outside
from bakeoff.project import Project

# The copy's lab writes these; builds, installed programs and proofs are those of the checkout.
_SHARED_STATE = ("bin", "builds", "proofs")
# Git sees the checkout itself, whatever the folder.
_LAUNCHER = """\
#!/bin/sh
export GIT_DIR={git} GIT_WORK_TREE={root} PYTHONPATH={sources}
exec {python} -m bakeoff "$@"
"""


@contextlib.contextmanager
def throwaway(root: Path) -> Iterator[Project]:
    """A checkout of one test. Its database, some hundred MB outside its folder, is removed at the end."""
    checkout = Project(root)
    try:
        yield checkout
    finally:
        shutil.rmtree(folder_outside(checkout), ignore_errors=True)


def share_databases(owner: Project, checkout: Project) -> None:
    """Gives a checkout the instances of another, which initdb takes seconds to make. One lab at a time uses them."""
    find_installation(owner)
    outside, own = folder_outside(owner), folder_outside(checkout)
    links = {own / name: outside / name for name in ("packages", "data")}
    for link, folder in {**links, checkout.state / "postgres": owner.state / "postgres"}.items():
        if folder.exists():
            link.parent.mkdir(mode=0o711, parents=True, exist_ok=True)
            link.symlink_to(folder)


@contextlib.contextmanager
def linked(project: Project, root: Path) -> Iterator[Project]:
    """A checkout with its own locks, databases and logs, a copy of the lab, and links to everything else."""
    with throwaway(root) as checkout:
        checkout.state.mkdir(parents=True)
        for name in _SHARED_STATE:
            (project.state / name).mkdir(parents=True, exist_ok=True)
            (checkout.state / name).symlink_to(project.state / name)
        for path in project.root.iterdir():
            if not path.name.startswith(".") and path.name not in ("bakeoff", "lab", "results"):
                (root / path.name).symlink_to(path)
        shutil.copytree(project.root / "lab" / "src", root / "lab" / "src")
        values = {"root": project.root, "git": project.root / ".git", "sources": root / "lab" / "src"}
        quoted = {name: shlex.quote(str(value)) for name, value in values.items()}
        launcher = root / "bakeoff"
        launcher.write_text(_LAUNCHER.format(python=shlex.quote(sys.executable), **quoted))
        launcher.chmod(0o755)
        try:
            yield checkout
        finally:
            shutil.rmtree(root, ignore_errors=True)
