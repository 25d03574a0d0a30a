"""Agents on other hosts, by the user's own OpenSSH client: it copies the engine, starts it, and fetches its ledger.

Keys, aliases and jump hosts are those of the user's ssh configuration. Nothing is asked: what needs a password fails.
"""

import contextlib
import json
import os
import shlex
import signal
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from bakeoff.engines.manifest import Engine
from bakeoff.engines.transport import Assignment, PipedInstructions, StartedEngine
from bakeoff.errors import BakeoffError
from bakeoff.options.ssh_host import SshHost
from bakeoff.processes import children

_CONNECT_TIMEOUT_S = 10
# A host that does not answer for 15 s is lost.
_ALIVE_INTERVAL_S, _ALIVE_COUNT = 5, 3
_OPTIONS = {
    "BatchMode": "yes",
    "ConnectTimeout": str(_CONNECT_TIMEOUT_S),
    "ServerAliveInterval": str(_ALIVE_INTERVAL_S),
    "ServerAliveCountMax": str(_ALIVE_COUNT),
}
_COMMAND_TIMEOUT_S = 120.0
# Replies in flight are awaited for 5 s, and the host's answer travels back.
_STOP_TIMEOUT_S = 12.0

# The folder that keeps the engine, so that it is copied once: its name contains the digest of its content.
_CACHE = "${XDG_CACHE_HOME:-$HOME/.cache}/bakeoff"
_LOOK = f'if [ -x "{_CACHE}/$1" ]; then echo present; fi'
_COPY = f"""set -eu; umask 077
mkdir -p "{_CACHE}"; partial="{_CACHE}/.$1.$$"
trap 'rm -f "$partial"' EXIT
cat > "$partial"; chmod 700 "$partial"; mv "$partial" "{_CACHE}/$1"
"""
_CALL = f'name=$1; shift; exec "{_CACHE}/$name" "$@"'
# The engine works in a separate folder, which lasts as long as the connection: the end of standard input, whatever
# ends it, ends the engine first and then the folder.
_RUN = f"""umask 077
folder=$(mktemp -d "${{TMPDIR:-/tmp}}/bakeoff-agent.XXXXXXXX") || exit 70
trap 'rm -rf "$folder"' EXIT
trap 'kill -9 "$engine" 2>/dev/null; exit 143' HUP INT TERM
# Writing to a disconnected lab must not end the shell before its folder is removed.
trap '' PIPE
cd "$folder" || exit 70
name=$1; shift
# A shell gives what it starts in the background no standard input, except by another number.
exec 3<&0
sh -c 'printf "{{\\"host\\":\\"started\\",\\"engine\\":%d,\\"folder\\":\\"%s\\"}}\\n" "$$" "$PWD"; exec "$@"' \\
    sh "{_CACHE}/$name" "$@" <&3 3<&- &
engine=$!
wait "$engine"; status=$?
printf '{{"host":"ended","status":%d}}\\n' "$status"
cat >/dev/null
exit "$status"
"""
_LEDGER = "ledger"


class Ssh:
    """The transport of one host. `install` comes first, once for each engine."""

    def __init__(self, host: SshHost) -> None:
        self._host = host

    @property
    def name(self) -> str:
        return self._host.url

    def check(self) -> None:
        """Raises BakeoffError where the host is out of reach or of another kind than this machine."""
        own = os.uname()
        expected, found = f"{own.sysname} {own.machine}", self._done(self.command("uname -sm"), None)
        if expected.encode() not in found.splitlines():
            raise BakeoffError(
                f"{self.name} is {_shown(found)}, and this machine builds engines for {expected}. Name a host "
                "of this kind, or run the lab on one of that kind."
            )

    def install(self, engine: Engine) -> None:
        """Copies the engine's binary where the host does not have it, and sees it start. Raises BakeoffError."""
        name = _binary_name(engine)
        if b"present" not in self._done(self.command(_LOOK, name), None):
            self._done(self.command(_COPY, name), engine.build.artifact)
        version = self.call(engine, ["--version"])
        if version.returncode != 0:
            raise BakeoffError(
                f"{self.name}: the engine {engine.name}, which was built on this machine, does not start there "
                f"(status {version.returncode}): {_shown(version.stderr)}. Use a host with the same system, at "
                "least as new as this one, whose cache folder may hold programs."
            )

    def call(self, engine: Engine, arguments: Sequence[str]) -> "subprocess.CompletedProcess[bytes]":
        """Runs the engine there to its end with these arguments."""
        return self._ran(self.command(_CALL, _binary_name(engine), *arguments), None)

    def start(self, assignment: Assignment) -> "SshEngine":
        return SshEngine(self, assignment)

    def command(self, script: str, *arguments: str) -> list[str]:
        """The command that runs a script of the POSIX shell there, whatever the user's own shell is."""
        options = [part for name, value in _OPTIONS.items() for part in ("-o", f"{name}={value}")]
        port = [] if self._host.port is None else ["-p", str(self._host.port)]
        remote = shlex.join(["sh", "-c", script, "bakeoff", *arguments])
        return ["ssh", "-T", *options, *port, "--", self._host.destination, remote]

    def fetch(self, path: str, to: Path) -> None:
        """Brings a file here. Raises BakeoffError."""
        with to.open("wb") as file:
            done = subprocess.run(
                self.command('cat "$1"', path),
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=subprocess.PIPE,
                check=False,
            )
        if done.returncode != 0:
            raise BakeoffError(f"{self.name}: the ledger {path} cannot be fetched: {_shown(done.stderr)}.")

    def remove(self, engine_pid: int, folder: str) -> None:
        """Ends an engine that did not end by itself, and removes its folder, where the host still answers."""
        with contextlib.suppress(BakeoffError):
            self._ran(self.command('kill -9 "$1" 2>/dev/null; rm -rf "$2"', str(engine_pid), folder), None)

    def _done(self, command: Sequence[str], source: Path | None) -> bytes:
        done = self._ran(command, source)
        if done.returncode != 0:
            raise BakeoffError(
                f"{self.name}: {_shown(done.stderr) or f'status {done.returncode}'}. Does "
                f"`ssh {self._host.destination}` work without a question? Keys, ports and jump hosts are read from "
                "your own ssh configuration."
            )
        return done.stdout

    def _ran(self, command: Sequence[str], source: Path | None) -> "subprocess.CompletedProcess[bytes]":
        with contextlib.ExitStack() as stack:
            stdin = subprocess.DEVNULL if source is None else stack.enter_context(source.open("rb"))
            try:
                return subprocess.run(
                    command, stdin=stdin, capture_output=True, timeout=_COMMAND_TIMEOUT_S, check=False
                )
            except FileNotFoundError as error:
                raise BakeoffError(
                    "There is no ssh on PATH, which --agents ssh://… needs. Debian: apt-get install openssh-client."
                ) from error
            except subprocess.TimeoutExpired as error:
                raise BakeoffError(f"{self.name} did not answer within {_COMMAND_TIMEOUT_S:.0f} s.") from error


class SshEngine(StartedEngine):
    """An engine on another host; the local process is that of ssh."""

    ledger_there = _LEDGER

    def __init__(self, host: Ssh, assignment: Assignment) -> None:
        self._host = host
        engine = assignment.engine
        own = [part for part in engine.command if part != str(engine.build.artifact)]
        # It stays until its standard input ends.
        self._process = children.start(
            host.command(_RUN, _binary_name(engine), *own, *assignment.arguments),
            log=assignment.log,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            death_signal=signal.SIGTERM,
        )
        assert self._process.stdin is not None and self._process.stdout is not None
        self._stdin = PipedInstructions(self._process.stdin)
        self._stdout = self._process.stdout
        self._engine_pid: int | None = None
        self._folder = ""
        self._status: int | None = None
        super().__init__(assignment, self._stdin)

    def lines(self) -> Iterator[bytes]:
        for line in self._stdout:
            if not line.startswith(b'{"host":'):
                yield line
                continue
            note = json.loads(line)
            if note["host"] == "ended":
                self._status = note["status"]
                return
            self._engine_pid, self._folder = note["engine"], note["folder"]

    def status(self) -> int:
        """The engine's; where the connection was lost, that of ssh."""
        return self._process.wait() if self._status is None else self._status

    def fetch_ledger(self) -> None:
        if self._assignment.plan.ledger is not None:
            self._host.fetch(f"{self._folder}/{_LEDGER}", Path(self._assignment.plan.ledger))

    def _end(self) -> None:
        self._stdin.close()
        try:
            self._process.wait(_STOP_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            if self._engine_pid is not None:
                self._host.remove(self._engine_pid, self._folder)
        children.stop(self._process, signal.SIGTERM, timeout_s=2.0)
        self._stdout.close()


def _binary_name(engine: Engine) -> str:
    """By its content: another build has another name."""
    return f"{engine.build.artifact.name}-{engine.build.artifact_sha256}"


def _shown(output: bytes) -> str:
    return " ".join(output.decode(errors="replace").split()).rstrip(".")
