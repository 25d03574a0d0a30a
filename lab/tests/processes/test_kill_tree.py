import select
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from test_children import DAEMON

from bakeoff.processes import children
from bakeoff.processes.children import kill_tree
from bakeoff.processes.launching import PROCESSES, Program

# Starts processes as fast as it can, each in its own session, as PostgreSQL's are; all hold its standard output.
_FORKING = textwrap.dedent(
    """
    import os, signal
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    print("ready", flush=True)
    for _ in range(2000):
        if os.fork() == 0:
            os.setsid()
            signal.alarm(60)
            signal.pause()
    signal.pause()
    """
)


def test_what_starts_processes_meanwhile_leaves_none_behind() -> None:
    for _ in range(5):
        process = children.start([sys.executable, "-c", _FORKING], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        kill_tree(process.pid)
        children.stop(process, signal.SIGKILL, timeout_s=30)
        # The end of the file comes when no process holds the other end.
        assert select.select([process.stdout], [], [], 0)[0] == [process.stdout]
        assert process.stdout.read() == b""


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM])
def test_a_program_that_ends_takes_along_its_daemons(tmp_path: Path, how: signal.Signals) -> None:
    # Forked twice, it is below no process of the program.
    starts_it = f"{DAEMON}signal.pause()"
    command = [sys.executable, "-c", starts_it]
    process = PROCESSES.start(Program(role="target", command=command, log=tmp_path / "log", stdout=subprocess.PIPE))
    assert process.stdout is not None
    assert process.stdout.readline().strip().isdigit()
    PROCESSES.end(process, how, 10)
    assert select.select([process.stdout], [], [], 0)[0] == [process.stdout]
    assert process.stdout.read() == b""


def test_a_program_that_is_killed_takes_along_what_has_left_its_session(tmp_path: Path) -> None:
    daemon = "import os, signal; os.setsid(); print('ready', flush=True); signal.alarm(60); signal.pause()"
    starts_it = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {daemon!r}]).wait()"
    command = [sys.executable, "-c", starts_it]
    process = PROCESSES.start(Program(role="target", command=command, log=tmp_path / "log", stdout=subprocess.PIPE))
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    PROCESSES.end(process, signal.SIGKILL, 10)
    assert select.select([process.stdout], [], [], 0)[0] == [process.stdout]
    assert process.stdout.read() == b""
