"""The k6 process: how it is started, read, stopped, and never left behind."""

import ctypes
import fcntl
import os
import resource
import select
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from pathlib import Path

from k6_engine.k6_control import K6Control

PIPE_BYTES = 1 << 20
STOP_SECONDS = 5.0
# k6 ends so when a threshold was crossed, which is a result and not a failure of the engine.
THRESHOLDS_CROSSED = 99

_LINUX = sys.platform == "linux"
_LIBC = ctypes.CDLL(None, use_errno=True) if _LINUX else None
_PR_SET_PDEATHSIG = 1
_F_SETPIPE_SZ = 1031


class K6Error(Exception):
    """k6 cannot be started, or failed. The message is for a person."""


def k6_version(k6: Path) -> str:
    """The version that this program says it is, like `1.8.1`. Raises K6Error."""
    try:
        answer = subprocess.run([k6, "version"], capture_output=True, text=True, timeout=30, check=True)
    except FileNotFoundError as error:
        raise K6Error(f"there is no k6 at {k6}: build it with the command in load/k6/engine.toml") from error
    except (OSError, subprocess.SubprocessError) as error:
        raise K6Error(f"{k6} does not run: {error}") from error
    words = answer.stdout.split()
    if len(words) < 2 or not words[1].startswith("v"):
        raise K6Error(f"{k6} is not k6: it says {answer.stdout.strip()!r} to `version`")
    return words[1].removeprefix("v")


def raise_open_files_limit() -> int:
    """Allows as many connections as the system lets us have; returns how many files may be open."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return sys.maxsize if hard == resource.RLIM_INFINITY else hard


class K6Process:
    """`k6 run` of one script, with its CSV rows on a pipe."""

    def __init__(
        self,
        k6: Path,
        script: Path,
        settings: Mapping[str, str],
        ca_file: str | None = None,
        segment: Sequence[str] = (),
        *,
        is_paused: bool = False,
    ) -> None:
        """Starts k6. `settings` become `__ENV` of the script; `ca_file` replaces the system's authorities.

        `segment` are the options of its part of the test. With `is_paused` it makes its users and waits for `resume`.
        """
        self._control = K6Control() if is_paused else None
        own = [*segment, *(["--address="] if self._control is None else self._control.options)]
        try:
            self._process = subprocess.Popen(
                _command(k6, script, settings, own),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(ca_file),
                # A separate group: Ctrl-C reaches the engine, which then stops k6 once and in order.
                start_new_session=True,
                preexec_fn=_die_with_parent if _LINUX else None,
            )
        except OSError as error:
            raise K6Error(f"{k6} does not start: {error.strerror}") from error
        assert self._process.stdout is not None
        self._output = self._process.stdout.fileno()
        os.set_blocking(self._output, False)
        if _LINUX:
            fcntl.fcntl(self._output, _F_SETPIPE_SZ, PIPE_BYTES)
        self._last_lines: deque[str] = deque(maxlen=20)
        self._errors = threading.Thread(target=self._keep_last_lines, daemon=True)
        self._errors.start()
        self._kill_at: float | None = None

    @property
    def has_ended(self) -> bool:
        """Whether it runs no more."""
        return self._process.poll() is not None

    def is_waiting(self) -> bool:
        """Whether a paused one has made its users."""
        return self._control is not None and self._control.is_waiting()

    def resume(self) -> None:
        """Starts the test of a paused one. Raises OSError."""
        assert self._control is not None
        self._control.resume()

    def read(self, timeout_seconds: float) -> bytes | None:
        """k6's output since the last call, perhaps nothing; None when it has closed its output."""
        self._kill_when_overdue()
        if not select.select([self._output], [], [], timeout_seconds)[0]:
            return b""
        # k6 writes in bursts of small pieces. Let one arrive, then take it whole: less work for the same rows.
        time.sleep(0.02)
        blocks: list[bytes] = []
        try:
            while block := os.read(self._output, PIPE_BYTES):
                blocks.append(block)
        except BlockingIOError:
            return b"".join(blocks)
        return b"".join(blocks) if blocks else None

    def stop(self) -> None:
        """Asks k6 to stop; it is killed when it has not ended after a while."""
        if self._kill_at is None:
            self._kill_at = time.monotonic() + STOP_SECONDS
            self._signal_group(signal.SIGINT)

    def wait(self) -> int:
        """Waits for the end of k6, whose output is closed already; returns its exit status."""
        try:
            status = self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            status = self._process.wait()
        self._errors.join()
        return status

    def kill(self) -> None:
        """Ends k6 at once, if it still runs."""
        if self._process.poll() is None:
            self._signal_group(signal.SIGKILL)
            self._process.wait()

    @property
    def last_lines(self) -> str:
        """The last lines that k6 wrote for people."""
        return "\n".join(self._last_lines)

    def _kill_when_overdue(self) -> None:
        if self._kill_at is not None and time.monotonic() > self._kill_at:
            self.kill()

    def _signal_group(self, number: signal.Signals) -> None:
        if self._process.poll() is None:
            os.killpg(self._process.pid, number)

    def _keep_last_lines(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as lines:
            for line in lines:
                self._last_lines.append(line.decode(errors="replace").rstrip())


def _command(k6: Path, script: Path, settings: Mapping[str, str], own: Sequence[str]) -> Sequence[str]:
    quiet = ("--quiet", "--no-color", "--summary-mode=disabled", "--no-usage-report")
    variables = [word for name, value in settings.items() for word in ("--env", f"{name}={value}")]
    return [str(k6), "run", *quiet, *own, "--out", "csv=-", *variables, str(script)]


def _environment(ca_file: str | None) -> dict[str, str]:
    """The environment without settings of k6 that a person may have made for other tests, and without proxies."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("K6_")}
    environment |= {"K6_CSV_TIME_FORMAT": "unix_micro", "K6_CSV_SAVE_INTERVAL": "250ms", "NO_PROXY": "*"}
    # HTTP/1.1 as the plan says, also where a TLS server offers HTTP/2; gRPC does not heed this.
    environment["GODEBUG"] = "http2client=0"
    if ca_file is not None:
        environment |= {"SSL_CERT_FILE": ca_file, "SSL_CERT_DIR": os.devnull}
    return environment


def _die_with_parent() -> None:
    assert _LIBC is not None
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
