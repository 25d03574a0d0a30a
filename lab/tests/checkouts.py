"""Projects that tests write into, and projects in which tests run labs at the same time."""

import contextlib
import shutil
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import pytest

from bakeoff.postgres.binaries import find_installation, folder_outside
from bakeoff.project import PROJECT_FILE, Project, own_checkout, prepare_state
from bakeoff.targets.manifest import Target, find_targets

# The copy's lab writes these; builds, installed programs and proofs are those of the checkout.
_SHARED_STATE = ("bin", "builds", "proofs")
FOLDERS = '[folders]\ntargets = ["targets"]\nworkloads = ["contract"]\n'


GALLERY = Project(own_checkout().root / "gallery")


def the_gallery() -> Project:
    """The gallery of this clone; where it is absent the test is skipped."""
    if not GALLERY.file.is_file():
        pytest.skip(f"there is no {GALLERY.root}")
    prepare_state(GALLERY)
    return GALLERY


@cache
def gallery_targets() -> Sequence[Target]:
    """Its targets, for the parameters of tests; none where it is absent."""
    return find_targets(GALLERY) if GALLERY.file.is_file() else []


def new_project(root: Path) -> Project:
    """A project with empty folders for targets and workloads."""
    for name in ("targets", "contract"):
        (root / name).mkdir(parents=True, exist_ok=True)
    (root / PROJECT_FILE).write_text(FOLDERS, "utf-8")
    return Project(root)


@contextlib.contextmanager
def throwaway(root: Path) -> Iterator[Project]:
    """A project of one test. Its database, some hundred MB outside its folder, is removed at the end."""
    checkout = new_project(root)
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
    """A project with locks, databases and logs of its own, and links to everything else of another."""
    checkout = Project(root)
    checkout.state.mkdir(parents=True)
    for name in _SHARED_STATE:
        (project.state / name).mkdir(parents=True, exist_ok=True)
        (checkout.state / name).symlink_to(project.state / name)
    for path in project.root.iterdir():
        if not path.name.startswith("."):
            (root / path.name).symlink_to(path)
    try:
        yield checkout
    finally:
        shutil.rmtree(folder_outside(checkout), ignore_errors=True)
        shutil.rmtree(root, ignore_errors=True)
