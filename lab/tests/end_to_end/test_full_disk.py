"""A disk that fills up in the middle of a comparison."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from bakeoff_process import bakeoff
from metrics_databases import metrics, stored

from bakeoff.postgres.server import Server
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

REST, GRPC = "producer-api-rust-rest", "producer-api-rust-grpc"

# Enough for the files of one smoke run, and not for two.
_TOO_SMALL, _AMPLE = "48k", "16m"


class SmallDisk:
    """A folder on a separate file system."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def mount(self) -> str:
        """The reason why it cannot be had; empty where it was mounted."""
        return self._mount("-t", "tmpfs", "-o", f"size={_TOO_SMALL}", "tmpfs")

    def grow(self) -> None:
        assert self._mount("-o", f"remount,size={_AMPLE}") == ""

    def _mount(self, *options: str) -> str:
        return subprocess.run(["mount", *options, self.folder], capture_output=True, text=True, check=False).stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[SmallDisk]:
    disk = SmallDisk(tmp_path / "results")
    disk.folder.mkdir()
    if reason := disk.mount():
        pytest.skip(f"a small file system cannot be mounted here: {reason.strip()}")
    yield disk
    subprocess.run(["umount", disk.folder], check=True)


def test_what_was_measured_is_kept_and_the_rest_follows(
    project: Project, database: Server, small_disk: SmallDisk
) -> None:
    two = ("run", "smoke", "--target", REST, "--target", GRPC)
    done = bakeoff(project, *two, results=small_disk.folder, environment=metrics(database))
    assert done.returncode == 1
    assert "bakeoff: the disk is full. Free some space" in done.stderr
    assert stored(database, "SELECT status FROM comparisons") == [("interrupted",)]
    (kept,) = stored(database, "SELECT target FROM test_runs")

    small_disk.grow()
    done = bakeoff(project, "run", "--resume", results=small_disk.folder, environment=metrics(database))
    assert done.returncode == 0, done.stderr
    assert stored(database, "SELECT status FROM comparisons") == [("completed",)]
    measured = stored(database, "SELECT target FROM test_runs ORDER BY id")
    assert measured[0] == kept
    assert sorted(measured) == [(GRPC,), (REST,)]
