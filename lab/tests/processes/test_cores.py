import os
from pathlib import Path

import pytest

from bakeoff.processes.cores import usable_cores


def groups(folder: Path, **files: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("cpu_", "cpu.", 1)).write_text(text, "utf-8")


@pytest.fixture
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(8)), raising=False)


def test_a_process_that_is_bound_to_one_core_has_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3}, raising=False)
    assert usable_cores(tmp_path / "none", tmp_path) == 1


@pytest.mark.parametrize(
    ("own", "outer", "cores"),
    [
        ("max 100000\n", "max 100000\n", 8),
        ("100000 100000\n", "max 100000\n", 1),
        ("50000 100000\n", "max 100000\n", 1),
        ("150000 100000\n", "max 100000\n", 2),
        ("max 100000\n", "300000 100000\n", 3),
        ("1600000 100000\n", "max 100000\n", 8),
    ],
)
def test_quotas_of_all_groups_around_it_count(
    eight_cores: None, tmp_path: Path, own: str, outer: str, cores: int
) -> None:
    (tmp_path / "own").write_text("0::/ci/job\n", "utf-8")
    groups(tmp_path / "groups" / "ci", cpu_max=outer)
    groups(tmp_path / "groups" / "ci" / "job", cpu_max=own)
    assert usable_cores(tmp_path / "own", tmp_path / "groups") == cores


@pytest.mark.parametrize(("quota", "cores"), [("-1\n", 8), ("200000\n", 2)])
@pytest.mark.parametrize("inside", ["", "docker/4fa6"])
def test_quotas_of_the_older_layout(eight_cores: None, tmp_path: Path, quota: str, cores: int, inside: str) -> None:
    """Within a container the group's own path may lead nowhere: its files are those of the root."""
    (tmp_path / "own").write_text("5:memory:/docker/4fa6\n4:cpu,cpuacct:/docker/4fa6\n0::/\n", "utf-8")
    groups(tmp_path / "groups" / "cpu,cpuacct" / inside, cpu_cfs_quota_us=quota, cpu_cfs_period_us="100000\n")
    assert usable_cores(tmp_path / "own", tmp_path / "groups") == cores


def test_a_system_without_control_groups(eight_cores: None, tmp_path: Path) -> None:
    assert usable_cores(tmp_path / "none", tmp_path) == 8
