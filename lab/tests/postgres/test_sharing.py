"""One embedded instance, several users: each an own process, as labs are."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation, find_installation
from bakeoff.postgres.sharing import shared
from bakeoff.project import Project

pytestmark = pytest.mark.end_to_end

KIND = embedded.InstanceKind("shared", "trial_data", ("shared_buffers=16MB", "max_wal_size=64MB", "min_wal_size=32MB"))

# A lab that says its server's process, then keeps using it until its input ends.
_LAB = """
import sys
from pathlib import Path
from bakeoff.postgres import embedded
from bakeoff.postgres.binaries import Installation
from bakeoff.postgres.sharing import shared
programs, data, user, group, logs = sys.argv[1:]
number = lambda text: int(text) if text else None
installation = Installation(Path(programs), Path(data), number(user), number(group))
kind = embedded.InstanceKind("shared", "trial_data", ("shared_buffers=16MB",))
with shared(installation, kind, Path(logs)) as server:
    print(server.pid, flush=True)
    sys.stdin.read()
    server.execute_script("SELECT 1")
"""


@pytest.fixture(scope="module")
def installation(project: Project) -> Iterator[Installation]:
    """The packaged programs with a data folder of the tests' own, which PostgreSQL's account can enter."""
    packaged = find_installation(project)
    data = packaged.data / f"test-sharing-{os.getpid()}"
    data.mkdir(mode=0o755)
    if packaged.user is not None and packaged.group is not None:
        os.chown(data, packaged.user, packaged.group)
    yield Installation(packaged.programs, data, packaged.user, packaged.group)
    shutil.rmtree(data)


@contextlib.contextmanager
def lab(installation: Installation, logs: Path) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Another lab, and the process id of the server that it uses."""
    user, group = (str(number) if number is not None else "" for number in (installation.user, installation.group))
    arguments = [str(installation.programs), str(installation.data), user, group, str(logs)]
    process = subprocess.Popen(
        [sys.executable, "-c", _LAB, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield process, int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


def leave(process: subprocess.Popen[str]) -> int:
    assert process.stdin is not None
    process.stdin.close()
    return process.wait(60)


@pytest.mark.parametrize("first_to_leave", ["starter", "other"])
def test_the_last_user_stops_what_the_first_has_started(
    installation: Installation, tmp_path: Path, first_to_leave: str
) -> None:
    with lab(installation, tmp_path) as (starter, pid), lab(installation, tmp_path) as (other, same_pid):
        assert same_pid == pid
        first, last = (starter, other) if first_to_leave == "starter" else (other, starter)
        assert leave(first) == 0
        assert psutil.pid_exists(pid)
        # The one that stays can still use it.
        assert leave(last) == 0
        assert not psutil.pid_exists(pid)


def test_a_server_that_a_killed_user_left_is_used_and_stopped(installation: Installation, tmp_path: Path) -> None:
    with lab(installation, tmp_path) as (starter, pid), lab(installation, tmp_path) as (other, _):
        assert leave(starter) == 0
        other.kill()
        other.wait()
        assert psutil.pid_exists(pid)
        with shared(installation, KIND, tmp_path) as server:
            assert server.pid == pid
            server.execute_script("SELECT 1")
        assert not psutil.pid_exists(pid)
