"""Containers on a real Docker engine: what is sampled, what limits them, and that none is left."""

import contextlib
import os
import signal
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from docker_here import SMALL_IMAGE

from bakeoff.containers.container import StatsUsage, find_container, usage_of
from bakeoff.containers.docker import DockerEngine, run_docker
from bakeoff.containers.launcher import DockerLauncher
from bakeoff.errors import BakeoffError
from bakeoff.options.table import EveryRunTable
from bakeoff.processes.launching import Program
from bakeoff.sampling.cgroup import CgroupUsage

pytestmark = pytest.mark.end_to_end

SERVE = "trap 'echo asked; exit 7' TERM; echo ready; while :; do sleep 0.05; done"
GONE_WITHIN_S = 120.0


def waiting(folder: Path, role: str = "target", **more: object) -> Program:
    """A program that waits to be ended."""
    program = Program(
        role=role, command=["sh", "-c", SERVE], log=folder / "log", image=SMALL_IMAGE, stdout=subprocess.PIPE
    )
    return Program(**{**vars(program), **more})


@contextlib.contextmanager
def launcher(docker: DockerEngine, checkout: Path, limits: EveryRunTable | None = None) -> Iterator[DockerLauncher]:
    with DockerLauncher(docker, checkout, limits or EveryRunTable()) as started:
        yield started


def ready(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def labelled(docker: DockerEngine, label: str) -> list[str]:
    """The objects of an engine with a label: containers, networks and volumes."""
    kinds = (["ps", "--all"], ["network", "ls"], ["volume", "ls"])
    return [
        found for kind in kinds for found in run_docker(docker.address, [*kind, "-q", "--filter", f"label={label}"])
    ]


def test_a_container_is_sampled_by_its_control_group_as_the_engine_counts_it(
    docker: DockerEngine, tmp_path: Path
) -> None:
    with launcher(docker, tmp_path) as started:
        process = ready(started.start(waiting(tmp_path)))
        name = started.container_of(process)
        assert name is not None
        container = find_container(docker, name)
        own, engines = usage_of(docker, container), StatsUsage(docker, container)
        if not isinstance(own, CgroupUsage):
            pytest.skip("this engine's control groups are out of sight: it runs in a virtual machine")
        before = own.usage()
        burn = "i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done"
        run_docker(docker.address, ["exec", name, "sh", "-c", burn])
        asked, after = engines.usage(), own.usage()
        assert before is not None and asked is not None and after is not None
        assert before.cpu_s < asked.cpu_s <= after.cpu_s
        assert after.memory_bytes > 0
        started.end(process, signal.SIGTERM, 30)
        assert own.usage() is None
        with pytest.raises(BakeoffError, match="There is no container"):
            find_container(docker, name)


def test_limits_are_those_of_the_control_group(docker: DockerEngine, tmp_path: Path) -> None:
    limits = EveryRunTable(limit_cpus={"target": 0.5}, limit_memory_bytes={"target": 64 << 20}, pin={"target": (0,)})
    with launcher(docker, tmp_path, limits) as started:
        limited, free = (ready(started.start(waiting(tmp_path, role))) for role in ("target", "engine"))
        names = [started.container_of(each) or "" for each in (limited, free)]
        found = [find_container(docker, name) for name in names]
        assert [each.described()["limits"] for each in found] == ["0.5 CPUs, CPUs 0, 64 MiB", "none"]
        script = "cat /sys/fs/cgroup/cpu.max /sys/fs/cgroup/memory.max 2>/dev/null || " + (
            "cat /sys/fs/cgroup/cpu/cpu.cfs_quota_us /sys/fs/cgroup/cpu/cpu.cfs_period_us"
            " /sys/fs/cgroup/memory/memory.limit_in_bytes"
        )
        words = run_docker(docker.address, ["exec", names[0], "sh", "-c", script])
        assert words == ["50000", "100000", str(64 << 20)]


def test_signals_output_and_status_pass_through(docker: DockerEngine, tmp_path: Path) -> None:
    with launcher(docker, tmp_path) as started:
        process = ready(started.start(waiting(tmp_path)))
        assert started.container_of(process)
        assert started.end(process, signal.SIGTERM, 30) == 7
        assert process.stdout is not None and process.stdout.read() == b"asked\n"
        assert started.container_of(process) is None


def test_a_program_is_not_root_writes_only_to_its_scratch_and_sees_no_secret_in_its_command(
    docker: DockerEngine, tmp_path: Path
) -> None:
    shown = "id -u; touch /tmp/x && echo scratch; touch /x || echo read-only; echo $SECRET"
    program = waiting(tmp_path, command=["sh", "-c", shown], environment={"SECRET": "s3"}, user="10001")
    with launcher(docker, tmp_path) as started:
        process = started.start(program)
        arguments = Path(f"/proc/{process.pid}/cmdline")
        if arguments.exists():
            assert b"s3" not in arguments.read_bytes()
        output, _ = process.communicate()
        assert output.split() == [b"10001", b"scratch", b"read-only", b"s3"]
        started.end(process, signal.SIGKILL, 10)


def test_programs_reach_what_is_published_and_not_the_loopback_address(docker: DockerEngine, tmp_path: Path) -> None:
    with launcher(docker, tmp_path) as started:
        process = ready(started.start(waiting(tmp_path, port=43_117)))
        host, port = started.address("127.0.0.1", 43_117)
        assert (host.count("."), port) == (3, 43_117) and not host.startswith("127.")
        assert started.address("db.example", 5432) == ("db.example", 5432)
        started.end(process, signal.SIGTERM, 30)
        with pytest.raises(BakeoffError, match="loopback"):
            started.address("127.0.0.1", 43_117)


def test_nothing_is_left_when_the_lab_fails(docker: DockerEngine, tmp_path: Path) -> None:
    label = ""
    with pytest.raises(KeyboardInterrupt), launcher(docker, tmp_path) as started:
        ready(started.start(waiting(tmp_path, data="/data", volume="bakeoff-test-volume")))
        label = started.label
        assert len(labelled(docker, label)) == 3
        raise KeyboardInterrupt
    assert labelled(docker, label) == []


def test_nothing_is_left_when_the_lab_is_killed(docker: DockerEngine, tmp_path: Path) -> None:
    lab = textwrap.dedent(
        f"""
        import subprocess, sys
        from pathlib import Path
        from bakeoff.containers.docker import DockerEngine
        from bakeoff.containers.launcher import DockerLauncher
        from bakeoff.options.table import EveryRunTable
        from bakeoff.processes.launching import Program
        folder = Path(sys.argv[1])
        with DockerLauncher(DockerEngine(sys.argv[2]), folder, EveryRunTable()) as started:
            program = Program(role="target", command=["sleep", "600"], log=folder / "log", image={SMALL_IMAGE!r})
            process = started.start(program)
            print(started.label, flush=True)
            process.wait()
        """
    )
    command = [sys.executable, "-c", lab, str(tmp_path), docker.address]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ)
    assert process.stdout is not None
    label = process.stdout.readline().strip()
    assert len(labelled(docker, label)) == 2
    process.kill()
    process.communicate()
    deadline = time.monotonic() + GONE_WITHIN_S
    while labelled(docker, label) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert labelled(docker, label) == []


def test_the_next_lab_of_a_checkout_removes_what_a_killed_one_left(docker: DockerEngine, tmp_path: Path) -> None:
    with launcher(docker, tmp_path) as first:
        left = ready(first.start(waiting(tmp_path)))
        with launcher(docker, tmp_path / "another checkout"):
            assert labelled(docker, first.label)
        with launcher(docker, tmp_path) as second:
            assert labelled(docker, first.label) == []
            assert labelled(docker, second.label)
        first.end(left, signal.SIGTERM, 30)
