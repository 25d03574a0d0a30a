"""Starts the programs of a run: one interface for processes and containers."""

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from bakeoff.processes import children
from bakeoff.processes.children import kill_tree
from bakeoff.processes.cores import usable_cores


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program of a run: what starts it, and what it needs where it runs.

    - `command`: without one a container runs its image's own.
    - `role`: target, database, engine or audit, whose limits and CPUs apply.
    - `environment` is the program's own; of the lab's it inherits `inherited`, and in a container only `passed_on`.
    - `image`: a file that holds the id of the image that a container of it runs, or that image's name.
    - `port`: where it listens, on all addresses of a container.
    - `folders`: what it reads and writes outside of its image, at the same paths; `reads` only reads.
    - `data`: a folder of the image that keeps what is written to it until the lab ends, under the name `volume`.
    - `scratch`: folders that it may write to, in memory; nothing else of its image is writable.
    - `user`: as whom a container runs it; empty for the image's own.
    """

    role: str
    command: Sequence[str]
    log: Path
    environment: Mapping[str, str] = field(default_factory=dict)
    inherited: Mapping[str, str] | None = None
    passed_on: Mapping[str, str] = field(default_factory=dict)
    directory: Path | None = None
    stdin: int = subprocess.DEVNULL
    stdout: int | None = None
    death_signal: signal.Signals = signal.SIGKILL
    image: str | Path | None = None
    port: int | None = None
    folders: Sequence[Path] = ()
    reads: Sequence[Path] = ()
    data: str = ""
    volume: str = ""
    scratch: Sequence[str] = ("/tmp",)  # noqa: S108 — of the container
    user: str = ""


class Launcher:
    """Starts and ends programs, and knows how they reach one another: here as processes of this machine."""

    # The address at which a program must listen to be reached.
    bind = "127.0.0.1"
    # Whether its programs are containers; otherwise they are processes of this machine.
    in_containers = False

    @property
    def cores(self) -> int:
        """Those that its programs share."""
        return usable_cores()

    def start(self, program: Program) -> subprocess.Popen[bytes]:
        """A process that lives as long as the program, passes signals on to it, and has its output and exit status."""
        return children.start(
            program.command,
            log=program.log,
            stdin=program.stdin,
            stdout=program.stdout,
            environment=program.environment,
            inherited=os.environ if program.inherited is None else program.inherited,
            directory=program.directory,
            death_signal=program.death_signal,
        )

    def end(self, process: subprocess.Popen[bytes], how: signal.Signals, timeout_s: float) -> int:
        """Asks the program to end, and ends it with all it started when it does not. Returns its exit status."""
        if how is signal.SIGKILL and process.poll() is None:
            # A service may have left the session.
            kill_tree(process.pid)
        status = children.stop(process, how, timeout_s)
        children.kill_session(process)
        children.kill_strays(process)
        return status

    def address(self, host: str, port: int) -> tuple[str, int]:
        """The address at which its programs reach what the lab reaches at this one."""
        return host, port

    def container_of(self, process: subprocess.Popen[bytes]) -> str | None:  # noqa: ARG002 — for containers
        """The name of the program's container; None for a process of this machine."""
        return None


PROCESSES = Launcher()


def own_user() -> str:
    """The lab's own account: a container that runs as it can read and write the lab's private files."""
    return f"{os.getuid()}:{os.getgid()}"
