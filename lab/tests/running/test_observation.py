import os
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from bakeoff.cli.plain_progress import PlainProgress
from bakeoff.containers.docker import DockerEngine
from bakeoff.errors import BakeoffError
from bakeoff.postgres.server import Server
from bakeoff.project import Project
from bakeoff.running.observation import observe
from bakeoff.running.testbed import Testbed
from bakeoff.sampling.process_tree import Usage
from bakeoff.targets.access import Access
from docker_engine import DIGEST, FakeDocker, inspected, stats

NAME = "intake-rest"


def running(port: int = 1, pid: int | None = None, database_pids: Sequence[int] = ()) -> Any:
    """A running target. No `pid`: it was not started by the lab."""
    pids = {} if pid is None else {NAME: pid}
    process = SimpleNamespace(container=None)
    return SimpleNamespace(access=Access("127.0.0.1", port), pids=pids, database_pids=database_pids, process=process)


def _testbed(project: Project, server: Server | None = None, **changes: Any) -> Testbed:
    return Testbed(project, server, PlainProgress(Console(quiet=True)), **changes)


def test_what_the_lab_started_is_in_sight(project: Project) -> None:
    server = Server("postgresql://127.0.0.1:1/x", os.getpid(), embedded=True)
    seen = observe(_testbed(project, server), NAME, running(pid=os.getpid()))
    assert set(seen.sources) == {"target", "database"}
    assert (seen.facts, seen.limits) == ({}, {})
    seen.check()


def test_what_is_started_beside_the_server_counts_as_the_database(project: Project) -> None:
    with subprocess.Popen(["sleep", "60"]) as started, subprocess.Popen(["sleep", "60"]) as beside:
        server = Server("postgresql://127.0.0.1:1/x", started.pid, embedded=True)
        alone = observe(_testbed(project, server), NAME, running()).sources["database"].usage()
        together = observe(_testbed(project, server), NAME, running(database_pids=[beside.pid]))
        used = together.sources["database"].usage()
        started.kill()
        beside.kill()
    assert alone is not None
    assert used is not None
    assert used.memory_bytes > alone.memory_bytes


def test_what_listens_on_this_machine_is_in_sight(project: Project) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        server = Server(f"postgresql://me@127.0.0.1:{port}/x", None, embedded=False)
        seen = observe(_testbed(project, server), NAME, running(port))
    assert set(seen.sources) == {"target", "database"}
    assert seen.facts["target_process"] == seen.facts["database_process"]
    assert seen.facts["target_process"].endswith(f"({os.getpid()})")


def test_a_process_that_ended_meanwhile_is_told(project: Project) -> None:
    script = "import socket\ns = socket.create_server(('127.0.0.1', 0))\nprint(s.getsockname()[1], flush=True)\ninput()"
    child = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert child.stdout is not None
    seen = observe(_testbed(project), NAME, running(int(child.stdout.readline())))
    seen.check()
    child.communicate(b"\n")
    with pytest.raises(BakeoffError, match=f"The process {child.pid}, which listened at 127.0.0.1:"):
        seen.check()


def test_of_another_machine_nothing_is_claimed(project: Project) -> None:
    server = Server("postgresql://me@192.0.2.1/x", None, embedded=False)
    elsewhere = running()
    elsewhere.access = Access("192.0.2.2", 80)
    assert observe(_testbed(project, server), NAME, elsewhere).roles == {}


def test_containers_of_target_and_database(project: Project, tmp_path: Path) -> None:
    docker = FakeDocker(inspected("api-1", Pid=0), {**inspected("pg-1", Pid=0), "Id": "f" * 64})
    docker.stats = stats(2_000_000_000, {"usage": 5 << 20})
    server = Server("postgresql://me@127.0.0.1:1/x", None, embedded=False)
    with docker.serving(tmp_path / "docker.sock") as address:
        containers = {NAME: "api-1", "database": "pg-1"}
        seen = observe(_testbed(project, server, docker=DockerEngine(address), containers=containers), NAME, running())
        assert {role: source.usage() for role, source in seen.sources.items()} == {
            "target": Usage(2.0, 5 << 20),
            "database": Usage(2.0, 5 << 20),
        }
        assert (seen.facts["target_image_digest"], seen.facts["target_limits"]) == (DIGEST, "2 CPUs, 2048 MiB")
        assert seen.limits == {"limit_cpus": "2", "limit_memory": "2048M"}
        assert seen.facts["database_container"] == f"pg-1 ({'f' * 12})"
        seen.check()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"StartedAt": "2026-01-06T10:00:00Z"}, "api-1 was restarted during the run"),
        ({"Paused": True}, "api-1 is paused"),
        ({"Running": False, "Status": "exited"}, r"api-1 is not running \(exited\)"),
    ],
)
def test_a_container_must_live_through_the_run(
    project: Project, tmp_path: Path, change: dict[str, Any], words: str
) -> None:
    docker = FakeDocker(inspected("api-1"))
    with docker.serving(tmp_path / "docker.sock") as address:
        seen = observe(_testbed(project, docker=DockerEngine(address), containers={NAME: "api-1"}), NAME, running())
        docker.containers[0]["State"].update(change)
        with pytest.raises(BakeoffError, match=words):
            seen.check()
