"""Ends what a lab started when the lab itself has been killed. Runs as a script, in a separate process.

It reads about children from standard input, a line each: `+ PID SIGNAL` when one starts and `- PID` when it has ended;
`! COMMAND` and `? COMMAND`, as JSON, add a command to run in the end and withdraw it. The end of input means that the
lab is gone. It imports nothing that is slow: it starts with every command.
"""

import contextlib
import os
import signal
import sys
import time

_TIMEOUT_S = 10.0
_COMMAND_TIMEOUT_S = 60.0


def main() -> None:
    children: dict[int, int] = {}
    commands: list[str] = []
    for line in sys.stdin:
        sign, _, words = line.strip().partition(" ")
        if sign == "+":
            pid, number = words.split()
            children[int(pid)] = int(number)
        elif sign == "-":
            children.pop(int(words), None)
        elif sign == "!":
            commands.append(words)
        else:
            commands.remove(words)
    for pid, number_of_signal in children.items():
        _signal_session(pid, number_of_signal)
    deadline = time.monotonic() + _TIMEOUT_S
    while children and time.monotonic() < deadline:
        time.sleep(0.05)
        children = {pid: number for pid, number in children.items() if _is_there(pid)}
    for pid in children:
        _signal_session(pid, signal.SIGKILL)
    # What was started last uses what was made before it.
    for command in reversed(commands):
        _run(command)


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
