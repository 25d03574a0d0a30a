"""The target of the comparison: the engine's null server, whose replies take a known time."""

import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

# One reply of fifty takes 20 ms and the others 2 ms: a tool that measures well says 2 for p50 and 20 for p99.
DELAYED = ("--delay", "2ms", "--slow-every", "50", "--slow-delay", "20ms")


@dataclass(frozen=True)
class NullServer:
    """A running server."""

    process: subprocess.Popen[str]
    port: int

    def stall(self, after_s: float, for_s: float) -> threading.Thread:
        """Stops the server for a while; the thread that does so has begun."""

        def stop_and_go_on() -> None:
            pause = threading.Event()
            pause.wait(after_s)
            self.process.send_signal(signal.SIGSTOP)
            pause.wait(for_s)
            self.process.send_signal(signal.SIGCONT)

        thread = threading.Thread(target=stop_and_go_on)
        thread.start()
        return thread


@contextmanager
def null_server(engine: Path, options: Sequence[str]) -> Iterator[NullServer]:
    """The engine's null server on a free port of the loopback interface."""
    command = [str(engine), "null", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            yield NullServer(process, int(line.rsplit(":", 1)[1]))
        finally:
            process.kill()
