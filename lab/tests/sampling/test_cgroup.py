from pathlib import Path

import pytest

from bakeoff.sampling.cgroup import group_of
from bakeoff.sampling.process_tree import Usage

ID = "4fa6e0f0c6786287e131c3852c58a2e01cc697a68231826813597e4994f1d6e2"
UNIFIED_STAT = f"anon {6 << 20}\nfile {9 << 20}\nfile_mapped {1 << 20}\nshmem 0\n"
OLDER_STAT = f"cache {9 << 20}\nrss 1\nmapped_file 1\ntotal_rss {6 << 20}\ntotal_mapped_file {1 << 20}\n"


def process(root: Path, *lines: str) -> Path:
    """A /proc in which process 7 is in these groups."""
    (root / "7").mkdir(parents=True)
    (root / "7" / "cgroup").write_text("".join(f"{line}\n" for line in lines))
    return root


def group(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True)
    for name, text in files.items():
        (folder / name.replace("_", ".", 1)).write_text(text)
    return folder


@pytest.mark.parametrize(
    ("path", "own"),
    [
        (f"/docker/{ID}", f"docker/{ID}"),
        (f"/system.slice/docker-{ID}.scope", f"system.slice/docker-{ID}.scope"),
        (f"/machine.slice/libpod-{ID}.scope/container", f"machine.slice/libpod-{ID}.scope"),
    ],
)
def test_the_unified_layout(tmp_path: Path, path: str, own: str) -> None:
    proc = process(tmp_path / "proc", f"0::{path}")
    group(tmp_path / "groups" / own, cpu_stat="usage_usec 1500000\nuser_usec 1\n", memory_stat=UNIFIED_STAT)
    found = group_of(7, ID, proc, tmp_path / "groups")
    assert found is not None and found.usage() == Usage(1.5, 7 << 20)


def test_the_older_layout_beside_an_empty_unified_one(tmp_path: Path) -> None:
    path = f"/docker/{ID}"
    proc = process(tmp_path / "proc", f"4:memory:{path}", f"2:cpu,cpuacct:{path}", "1:name=systemd:/", f"0::{path}")
    groups = tmp_path / "groups"
    group(groups / "cpu,cpuacct" / "docker" / ID, cpuacct_usage="1500000000\n")
    group(groups / "memory" / "docker" / ID, memory_stat=OLDER_STAT)
    found = group_of(7, ID, proc, groups)
    assert found is not None and found.usage() == Usage(1.5, 7 << 20)
    assert found.proportional_bytes() is None


def test_a_group_that_is_gone_uses_nothing(tmp_path: Path) -> None:
    proc = process(tmp_path / "proc", f"0::/docker/{ID}")
    folder = group(tmp_path / "docker" / ID, cpu_stat="usage_usec 1\n", memory_stat=UNIFIED_STAT)
    found = group_of(7, ID, proc, tmp_path)
    assert found is not None
    (folder / "cpu.stat").unlink()
    assert found.usage() is None


@pytest.mark.parametrize("line", ["0::/", "0::/user.slice/session-1.scope", "0::/../..", f"0::/docker/{ID}"])
def test_what_is_not_the_container_s_is_not_taken(tmp_path: Path, line: str) -> None:
    (tmp_path / "groups").mkdir()
    (tmp_path / "groups" / "cpu.stat").write_text("usage_usec 1\n")
    (tmp_path / "groups" / "memory.stat").write_text(UNIFIED_STAT)
    assert group_of(7, ID, process(tmp_path / "proc", line), tmp_path / "groups") is None
    assert group_of(8, ID, tmp_path / "proc", tmp_path / "groups") is None
