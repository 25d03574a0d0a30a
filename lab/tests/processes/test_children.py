import os
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import psutil
import pytest

from bakeoff.processes import children, ports

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); signal.pause()"


def start_ready(program: str) -> subprocess.Popen[bytes]:
    """Starts a Python program that prints a line when it is ready."""
    process = children.start([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    return process


def _printed_by_a_killed(lab: str) -> psutil.Process:
    """The process with the number that a lab prints first, once the lab has been killed."""
    with subprocess.Popen(
        [sys.executable, "-c", lab], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        printed = psutil.Process(int(process.stdout.readline()))
        # Not until the end of its output, which what it started may hold.
        process.kill()
    return printed


def test_a_process_that_does_not_stop_is_killed() -> None:
    process = start_ready(STUBBORN)
    assert children.stop(process, signal.SIGTERM, timeout_s=0.1) == -signal.SIGKILL


def test_a_process_that_stops_keeps_its_status() -> None:
    polite = (
        "import signal, sys; signal.signal(signal.SIGTERM, lambda *_: sys.exit(7)); "
        "print('ready', flush=True); signal.pause()"
    )
    assert children.stop(start_ready(polite), signal.SIGTERM, timeout_s=30) == 7


def test_stopping_what_has_ended_is_no_error() -> None:
    process = children.start([sys.executable, "-c", ""])
    process.wait()
    assert children.stop(process, signal.SIGTERM, timeout_s=1) == 0


def test_children_die_with_a_lab_that_is_killed() -> None:
    lab = textwrap.dedent(
        """
        import sys
        from bakeoff.processes import children, ports
        child = children.start([sys.executable, "-c", "import signal; signal.pause()"])
        print(child.pid, flush=True)
        child.wait()
        """
    )
    child = _printed_by_a_killed(lab)
    gone, alive = psutil.wait_procs([child], timeout=30)
    assert (len(gone), alive) == (1, [])


# Forks twice and leaves its session, as daemons do, and holds the standard output that it was given.
DAEMON = textwrap.dedent(
    """
    import os, signal
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
            print(os.getpid(), flush=True)
            signal.alarm(120)
            signal.pause()
        os._exit(0)
    os.wait()
    """
)


def test_a_daemon_that_left_its_session_dies_with_a_lab_that_is_killed() -> None:
    lab = textwrap.dedent(
        f"""
        import sys
        from bakeoff.processes import children, ports
        children.start([sys.executable, "-c", {DAEMON!r}], stdout=1).wait()
        sys.stdin.read()
        """
    )
    daemon = _printed_by_a_killed(lab)
    gone, alive = psutil.wait_procs([daemon], timeout=60)
    assert (len(gone), alive) == (1, [])


def test_the_guardian_of_a_lab_that_a_lab_started_outlives_both(tmp_path: Path) -> None:
    inner = textwrap.dedent(
        f"""
        import signal
        from bakeoff.processes import children, ports
        with children.when_killed(["touch", {str(tmp_path / "left")!r}]):
            print(children._guardian._process.pid, flush=True)
            signal.pause()
        """
    )
    outer = textwrap.dedent(
        f"""
        import subprocess, sys
        from bakeoff.processes import children, ports
        children.start([sys.executable, "-c", {inner!r}], stdout=1).wait()
        """
    )
    guardian = _printed_by_a_killed(outer)
    _, alive = psutil.wait_procs([guardian], timeout=60)
    assert (alive, (tmp_path / "left").exists()) == ([], True)


def test_a_port_in_use_is_not_free() -> None:
    import socket

    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port = listener.getsockname()[1]
        assert not ports.port_is_free(port)
    assert ports.port_is_free(port)
    assert 1024 < ports.free_port() < 65536


def test_the_end_of_a_log_is_shown(tmp_path: Path) -> None:
    log = tmp_path / "log"
    assert "No such file" in children.last_lines(log)
    log.write_bytes(b"")
    assert "wrote nothing" in children.last_lines(log)
    log.write_bytes(b"".join(b"line %d\n" % number for number in range(100)) + b"\xff end")
    assert children.last_lines(log, 2) == "    line 99\n    \ufffd end"


def test_output_goes_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "deep" / "log"
    process = children.start(
        [sys.executable, "-c", "import os; print(os.environ['GIVEN'], os.getcwd())"],
        log=log,
        environment={"GIVEN": "yes"},
        directory=tmp_path,
    )
    assert process.wait() == 0
    assert log.read_text() == f"yes {os.path.realpath(tmp_path)}\n"


def test_a_command_left_with_the_guardian_runs_when_the_lab_is_killed_and_not_otherwise(tmp_path: Path) -> None:
    lab = textwrap.dedent(
        f"""
        import sys
        from bakeoff.processes import children, ports
        with children.when_killed(["touch", {str(tmp_path / "withdrawn")!r}]):
            pass
        with children.when_killed(["touch", {str(tmp_path / "left")!r}]):
            guardian = children._guardian._process.pid
            print(guardian, flush=True)
            sys.stdin.read()
        """
    )
    guardian = _printed_by_a_killed(lab)
    _, alive = psutil.wait_procs([guardian], timeout=60)
    assert (alive, (tmp_path / "left").exists(), (tmp_path / "withdrawn").exists()) == ([], True, False)


def test_a_program_runs_as_if_it_were_this_one(capfd: pytest.CaptureFixture[str]) -> None:
    shell = Path("/bin/sh")
    assert children.to_its_end(["named", "-c", "echo $0; exit 3"], shell) == 3
    assert capfd.readouterr().out == "named\n"
    assert children.to_its_end(["named", "-c", "kill -TERM $$"], shell) == 128 + signal.SIGTERM


def test_signals_reach_the_program_that_runs_as_this_one() -> None:
    script = f"trap 'exit 7' INT; kill -INT {os.getpid()}; while :; do sleep 0.01; done"
    handler = signal.getsignal(signal.SIGINT)
    assert children.to_its_end(["named", "-c", script], Path("/bin/sh")) == 7
    assert signal.getsignal(signal.SIGINT) == handler
