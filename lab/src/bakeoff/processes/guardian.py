"""Ends what a lab started when the lab itself has been killed. Runs as a script, in a separate process.

It reads about children from standard input, a line each: `+ PID SIGNAL MARK` when one starts and `- PID` when it has
ended; `! COMMAND` and `? COMMAND`, as JSON, add a command to run in the end and withdraw it. The end of input means
that the lab is gone. It imports nothing that is slow: it starts with every command.
"""

import contextlib
import os
import signal
import sys
import time
from collections.abc import Collection

MARK = "BAKEOFF_CHILD"
"""The variable by which a child and all that it starts are found, in whatever session and below whatever parent."""

_TIMEOUT_S = 10.0
_COMMAND_TIMEOUT_S = 60.0
_POLL_S = 0.05


def main() -> None:
    children: dict[int, int] = {}
    marks: dict[int, str] = {}
    commands: list[str] = []
    for line in sys.stdin:
        sign, _, words = line.strip().partition(" ")
        if sign == "+":
            pid, number, mark = words.split()
            children[int(pid)], marks[int(pid)] = int(number), mark
        elif sign == "-":
            children.pop(int(words), None)
            marks.pop(int(words), None)
        elif sign == "!":
            commands.append(words)
        else:
            commands.remove(words)
    for pid, number_of_signal in children.items():
        _signal_session(pid, number_of_signal)
    deadline = time.monotonic() + _TIMEOUT_S
    while children and time.monotonic() < deadline:
        time.sleep(_POLL_S)
        children = {pid: number for pid, number in children.items() if _is_there(pid)}
    for pid in children:
        _signal_session(pid, signal.SIGKILL)
    # Daemons have left their sessions.
    kill_marked(marks.values(), _TIMEOUT_S)
    # What was started last uses what was made before it.
    for command in reversed(commands):
        _run(command)


def kill_marked(marks: Collection[str], timeout_s: float) -> None:
    """SIGKILL to every process that was started with one of these marks, until there is none."""
    deadline = time.monotonic() + timeout_s
    # One that was started meanwhile is found the next time.
    while marks and (found := _marked(marks)) and time.monotonic() < deadline:
        for pid in found:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(_POLL_S)


def _marked(marks: Collection[str]) -> list[int]:
    """Processes whose environment has one of these marks; those of other users are out of sight."""
    # Imported only now, for the sake of the start.
    from pathlib import Path

    wanted = {f"{MARK}={mark}".encode() for mark in marks}
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            with contextlib.suppress(OSError):
                if not wanted.isdisjoint((folder / "environ").read_bytes().split(b"\0")):
                    found.append(int(folder.name))
    return found


def _run(command: str) -> None:
    # Imported only now, for the sake of the start.
    import json
    import subprocess

    with contextlib.suppress(OSError, subprocess.TimeoutExpired):
        subprocess.run(json.loads(command), stdin=subprocess.DEVNULL, check=False, timeout=_COMMAND_TIMEOUT_S)


def _signal_session(pid: int, number: int) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(pid, number)


def _is_there(pid: int) -> bool:
    try:
        os.killpg(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


if __name__ == "__main__":
    main()
