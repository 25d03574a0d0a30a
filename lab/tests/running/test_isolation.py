import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from bakeoff.errors import BakeoffError, UsageError
from bakeoff.options.option import changed
from bakeoff.options.table import EveryRunTable
from bakeoff.running.isolation import (
    check_limits,
    check_pins,
    limited,
    pinned_to,
    tree_pinned_to,
    usable_cpus,
)

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="CPUs and cgroups are Linux's")


def test_a_cpu_that_is_not_there_is_named() -> None:
    check_pins({"engine": (0, 3)}, {0, 3})
    with pytest.raises(UsageError, match=r"gives engine the CPUs 3\+4, but this process may use only 0, 3"):
        check_pins({"engine": (3, 4)}, {0, 3})


def test_children_inherit_the_cpus_and_the_lab_keeps_its_own() -> None:
    before, one = usable_cpus(), min(usable_cpus())
    ask = [sys.executable, "-c", "import os; print(sorted(os.sched_getaffinity(0)))"]
    with pinned_to((one,)):
        pinned = subprocess.run(ask, capture_output=True, text=True, check=True).stdout
    assert pinned == f"[{one}]\n"
    assert usable_cpus() == before


def test_a_running_process_is_bound_with_its_children_and_let_go() -> None:
    one = min(usable_cpus())
    script = "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'print(1, flush=True); input()'])"
    parent = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"1\n"
    (child,) = psutil.Process(parent.pid).children()
    with tree_pinned_to(parent.pid, (one,)):
        assert os.sched_getaffinity(parent.pid) == os.sched_getaffinity(child.pid) == {one}
    assert os.sched_getaffinity(child.pid) == usable_cpus()
    parent.communicate(b"\n")


LIMITS = EveryRunTable(limit_cpus={"target": 2}, limit_memory_bytes={"target": 2 << 30})


def cgroups(root: Path, controllers: str) -> Path:
    (root / "cgroup.subtree_control").write_text(controllers)
    return root


def test_a_command_joins_its_group_before_it_begins(tmp_path: Path) -> None:
    with limited(LIMITS, cgroups(tmp_path, "cpu io memory pids")) as before:
        (group,) = tmp_path.glob("bakeoff-*")
        assert (group / "cpu.max").read_text() == "200000 100000"
        assert (group / "memory.max").read_text() == str(2 << 30)
        done = subprocess.run([*before, "sh", "-c", "echo $$ $0", "word"], capture_output=True, text=True, check=True)
        assert done.stdout == (group / "cgroup.procs").read_text().strip() + " word\n"


def test_no_limits_need_no_cgroups(tmp_path: Path) -> None:
    with limited(EveryRunTable(), tmp_path / "nowhere") as before:
        assert before == ()


@pytest.mark.parametrize(
    ("controllers", "words"),
    [("pids", "the controllers cpu and memory are not enabled"), ("cpu pids", "the controllers memory are not")],
)
def test_limits_that_would_not_hold_are_refused(tmp_path: Path, controllers: str, words: str) -> None:
    with pytest.raises(BakeoffError, match=words):
        check_limits(LIMITS, cgroups(tmp_path, controllers))
    with pytest.raises(BakeoffError, match="not a cgroup version 2 file system"):
        check_limits(LIMITS, tmp_path / "nowhere")


def test_controllers_of_the_older_version_are_no_help(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with pytest.raises(BakeoffError, match="is a cgroup version 1 file system"):
        check_limits(LIMITS, tmp_path)


def test_what_isolates_stands_in_the_record() -> None:
    pins = {"target": (0, 1), "engine": (3,)}
    isolation = EveryRunTable(pin=pins, limit_cpus={"target": 1.5}, limit_memory_bytes={"target": 2 << 30})
    assert changed(isolation, EveryRunTable) == {
        "pin": "target=0+1,engine=3",
        "limit_cpus": "1.5",
        "limit_memory": "2048M",
    }
    assert changed(EveryRunTable(), EveryRunTable) == {}
    assert (isolation.memory_limit_mib, EveryRunTable().memory_limit_mib) == ("2048", "")
