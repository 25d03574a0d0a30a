"""Child processes that never outlive the lab."""

import contextlib
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import IO
from uuid import uuid4
from weakref import WeakKeyDictionary

import psutil

from bakeoff.errors import BakeoffError
from bakeoff.processes import guardian, ports
from bakeoff.text.redaction import redacted

_STRAYS_END_WITHIN_S = 10.0


def start(
    command: Sequence[str],
    *,
    log: Path | None = None,
    stdin: int = subprocess.DEVNULL,
    stdout: int | IO[bytes] | None = None,
    stderr: int | None = None,
    environment: Mapping[str, str] | None = None,
    inherited: Mapping[str, str] = os.environ,
    directory: Path | None = None,
    user: int | None = None,
    group: int | None = None,
    death_signal: signal.Signals = signal.SIGKILL,
    executable: Path | None = None,
    close_fds: bool = True,
) -> subprocess.Popen[bytes]:
    """Starts a child in its own session, so that Ctrl-C reaches only the lab, which stops it in order.

    Should the lab itself be killed, the guardian sends the child `death_signal`. Output goes to `log`. Its environment
    is what it inherits, by default the lab's own, with `environment` on top and a mark by which all that it starts is
    found. The command begins with another name than the program's where `executable` is given; without `close_fds` the
    child has the lab's inheritable descriptors.
    """
    mark = uuid4().hex
    with contextlib.ExitStack() as files:
        sink: int | IO[bytes] = subprocess.DEVNULL
        if log is not None:
            log.parent.mkdir(parents=True, exist_ok=True)
            sink = files.enter_context(log.open("wb"))
        process = subprocess.Popen(
            command,
            executable=executable,
            close_fds=close_fds,
            cwd=directory,
            env={**inherited, **(environment or {}), guardian.MARK: mark},
            stdin=stdin,
            stdout=sink if stdout is None else stdout,
            stderr=sink if stderr is None else stderr,
            start_new_session=True,
            user=user,
            group=group,
            extra_groups=None if user is None else [],
        )
    _marks[process] = mark
    _guardian.send(f"+ {process.pid} {int(death_signal)} {mark}\n")
    return process


_marks: "WeakKeyDictionary[subprocess.Popen[bytes], str]" = WeakKeyDictionary()


class _Guardian:
    """Informs the guardian process of children. The process starts with the first child and ends with the lab.

    Code between fork and exec could do this without a process, but it is not safe in a process with threads.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        # Builds start their processes in their own threads.
        self._lock = threading.Lock()

    def send(self, line: str) -> None:
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                script = Path(guardian.__file__)
                self._process = subprocess.Popen(
                    [sys.executable, "-I", "-S", str(script)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                    # The mark of a lab that a lab has started is none of its guardian, which outlives it.
                    env={name: value for name, value in os.environ.items() if name != guardian.MARK},
                )
            assert self._process.stdin is not None
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()


_guardian = _Guardian()


def to_its_end(command: Sequence[str], executable: Path) -> int:
    """Runs a program as if it were this one, and returns its exit status, as shells give it.

    It has this process's input, output and descriptors, and the signals that would end this process.
    """
    with _signals_kept() as kept:
        process = start(command, executable=executable, stdin=0, stdout=1, stderr=2, close_fds=False)
        kept.pass_to(process)
        status = process.wait()
    _guardian.send(f"- {process.pid}\n")
    return status if status >= 0 else 128 - status


class _Kept:
    """Signals for a process, also those that come before it has started."""

    def __init__(self) -> None:
        self._numbers: list[int] = []
        self._process: subprocess.Popen[bytes] | None = None

    def handle(self, number: int, _frame: FrameType | None) -> None:
        if self._process is None:
            self._numbers.append(number)
        else:
            self._process.send_signal(number)

    def pass_to(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        for number in self._numbers:
            process.send_signal(number)


@contextlib.contextmanager
def _signals_kept() -> Iterator[_Kept]:
    """Handles the signals that would end this process, except those that it ignores."""
    kept = _Kept()
    earlier = {each: signal.getsignal(each) for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    changed = {each: handler for each, handler in earlier.items() if handler is not signal.SIG_IGN}
    for each in changed:
        signal.signal(each, kept.handle)
    try:
        yield kept
    finally:
        for each, handler in changed.items():
            signal.signal(each, handler)


@contextlib.contextmanager
def when_killed(command: Sequence[str]) -> Iterator[None]:
    """Should the lab be killed in this block, the guardian runs the command after it has ended the lab's children.

    For what is no child of the lab, such as containers.
    """
    _guardian.send(f"! {json.dumps(command)}\n")
    try:
        yield
    finally:
        _guardian.send(f"? {json.dumps(command)}\n")


def stop(process: subprocess.Popen[bytes], how: signal.Signals, timeout_s: float) -> int:
    """Asks a child to end and waits; kills its whole session when it does not. Returns its exit status."""
    if process.poll() is None:
        process.send_signal(how)
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            kill_session(process)
    status = process.wait()
    _guardian.send(f"- {process.pid}\n")
    return status


def release(process: subprocess.Popen[bytes]) -> None:
    """Lets a child outlive the lab: another process has taken it over."""
    _guardian.send(f"- {process.pid}\n")
    # No code will wait for it: without this, Python would warn of that.
    process.returncode = 0


def kill_session(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to a child and all it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def kill_strays(process: subprocess.Popen[bytes]) -> None:
    """SIGKILL to all that a child has started and that is still there, daemons that have left its session too."""
    guardian.kill_marked([_marks[process]] if process in _marks else [], _STRAYS_END_WITHIN_S)


def wait_until_listening(process: subprocess.Popen[bytes], port: int, log: Path, timeout_s: float = 10.0) -> None:
    """Waits until a child accepts connections on a port; raises BakeoffError when it ends or takes too long."""
    deadline = time.monotonic() + timeout_s
    while process.poll() is None and time.monotonic() < deadline:
        if ports.is_listening("127.0.0.1", port):
            return
        time.sleep(0.005)
    raise BakeoffError(f"Nothing listens on port {port}. The last lines of {log}:\n{last_lines(log)}")


def failure_of(name: str, process: subprocess.Popen[bytes] | None, log: Path) -> BakeoffError | None:
    """The error of a child that has ended by itself; None while it runs, or before it was started."""
    status = None if process is None else process.poll()
    if status is None:
        return None
    return BakeoffError(f"{name} exited with status {status}. Last lines of {log}:\n{last_lines(log)}")


def last_lines(log: Path, count: int = 15) -> str:
    """The end of a log file, indented and without passwords, for an error message that may be stored."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, log.stat().st_size - 32_768))
            lines = redacted(file.read().decode("utf-8", "replace")).splitlines()
    except OSError as error:
        return f"    ({log}: {error.strerror})"
    return "\n".join(f"    {line}" for line in lines[-count:]) or "    (it wrote nothing)"


_POLL_S = 0.001


def kill_tree(pid: int, timeout_s: float = 30) -> None:
    """SIGKILL to a process and all it started, and waits until they have ended.

    Each process is stopped before its children are listed, so that none of them is started behind the list.
    """
    members = [psutil.Process(pid)]
    for member in members:
        # The list grows while it is walked.
        with contextlib.suppress(psutil.NoSuchProcess):
            member.suspend()
            # A fork in progress finishes first.
            while member.status() not in (psutil.STATUS_STOPPED, psutil.STATUS_TRACING_STOP, psutil.STATUS_ZOMBIE):
                time.sleep(_POLL_S)
            members += member.children()
    for member in members:
        with contextlib.suppress(psutil.NoSuchProcess):
            member.kill()
    psutil.wait_procs(members, timeout=timeout_s)
