"""An engine at work: a process that is given a plan and whose stream is read while it runs."""

import signal
import subprocess
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from bakeoff import processes
from bakeoff.engines.manifest import Engine
from bakeoff.engines.stream import End, Record, StreamError, read_records
from bakeoff.errors import BakeoffError
from bakeoff.workload.plan_records import Plan

# The protocol allows 5 s for replies in flight; the rest is for writing what is known.
_STOP_PATIENCE_S = 10.0


class EngineProcess:
    """Starts the engine on entry; on exit it has ended, asked or killed. `share` is added to its command."""

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        plan_file: Path,
        stream_file: Path,
        log: Path,
        schema: Path,
        share: Sequence[str] = (),
    ) -> None:
        self._engine = engine
        self._plan = plan
        self._plan_file = plan_file
        self._stream_file = stream_file
        self._log = log
        self._schema = schema
        self._share = share
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "EngineProcess":
        self._plan_file.parent.mkdir(parents=True, exist_ok=True)
        # It may hold a token.
        self._plan_file.touch(mode=0o600)
        self._plan_file.write_bytes(self._plan.encoded())
        self._process = processes.start(
            [*self._engine.command, "--plan", str(self._plan_file), *self._share],
            log=self._log,
            stdout=subprocess.PIPE,
            death_signal=signal.SIGTERM,
        )
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        if self._process.stdout is not None:
            self._process.stdout.close()
        self.end()

    def end(self) -> None:
        """Asks the engine to stop, and kills it when it does not."""
        assert self._process is not None
        processes.stop(self._process, signal.SIGINT, _STOP_PATIENCE_S)
        # What the engine itself may have started.
        processes.kill_session(self._process)

    @property
    def pid(self) -> int:
        assert self._process is not None
        return self._process.pid

    @property
    def pids(self) -> list[int]:
        return [self.pid]

    def interrupt(self) -> None:
        """Asks the engine to stop sending; its stream still comes to an end."""
        assert self._process is not None
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)

    def records(self, on_record: Callable[[Record], None]) -> list[Record]:
        """All records, each handed on as it arrives and kept in the stream file.

        Raises BakeoffError when the engine ends badly: such a stream is not to be trusted.
        """
        assert self._process is not None and self._process.stdout is not None
        records: list[Record] = []
        self._stream_file.parent.mkdir(parents=True, exist_ok=True)
        with self._stream_file.open("wb") as copy:

            def copied() -> Iterator[bytes]:
                for line in self._process.stdout:  # type: ignore[union-attr]
                    copy.write(line)
                    yield line

            for record in read_records(copied(), self._schema, f"the stream of {self._engine.name}"):
                records.append(record)
                on_record(record)
        status = self._process.wait()
        last = records[-1] if records else None
        if status != 0 or not isinstance(last, End):
            raise BakeoffError(
                f"The engine {self._engine.name} ended with status {status} and "
                f"{'an end record' if isinstance(last, End) else 'no end record'}. "
                f"Last lines of {self._log}:\n{processes.last_lines(self._log)}"
            )
        if last.reason == "failed":
            raise StreamError(f"The engine {self._engine.name} could not follow the plan: {last.message}")
        return records
