"""Several engine processes that divide one load among them, read as if they were one."""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from bakeoff.engines.merging import Merging
from bakeoff.engines.process import EngineProcess
from bakeoff.engines.stream import End, PhaseEnd, Record, Start
from bakeoff.errors import BakeoffError

# Stamped when they are written: between stamp and reading lie the way to the lab and the difference of the clocks.
_STAMPED = (Start, PhaseEnd, End)


# An agent's number with its next record, its error, or None once its stream has come to its end.
_Arrived = queue.SimpleQueue[tuple[int, Record | Exception | None]]


class Clocks:
    """How far the agents' clocks are from the lab's, by the records that arrived with the least delay."""

    def __init__(self, agents: int) -> None:
        self._behind_ns: list[int | None] = [None] * agents

    def take(self, agent: int, record: Record, received_ns: int) -> None:
        """Takes note of a record and of the instant at which the lab read it."""
        if isinstance(record, _STAMPED):
            behind_ns, known_ns = received_ns - record.time_unix_ns, self._behind_ns[agent]
            self._behind_ns[agent] = behind_ns if known_ns is None else min(behind_ns, known_ns)

    @property
    def apart_ns(self) -> int:
        """By how much the agents' clocks disagree at the most."""
        known = [behind_ns for behind_ns in self._behind_ns if behind_ns is not None]
        return max(known) - min(known) if known else 0


class Agents:
    """Starts all engines on entry; on exit they have ended. Looks like one engine's process, with several `pids`.

    The agents' own streams are kept in their files, and the merged one in `stream_file`.
    """

    def __init__(self, processes: Sequence[EngineProcess], stream_file: Path) -> None:
        self._processes = processes
        self._stream_file = stream_file
        self._stack = contextlib.ExitStack()
        self._readers: list[threading.Thread] = []
        self._merging = Merging(len(processes))
        self._clocks = Clocks(len(processes))

    def __enter__(self) -> "Agents":
        with contextlib.ExitStack() as stack:
            for process in self._processes:
                stack.enter_context(process)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.interrupt()
        for process in self._processes:
            process.end()
        # A stream must not be closed while a thread still reads it.
        for reader in self._readers:
            reader.join()
        self._stack.close()

    @property
    def pids(self) -> list[int]:
        return [pid for process in self._processes for pid in process.pids]

    @property
    def apart_ns(self) -> int:
        """By how much the agents began a phase apart, or disagree about the time: the larger of the two."""
        return max(self._merging.begun_apart_ns, self._clocks.apart_ns)

    def interrupt(self) -> None:
        """Asks all to stop sending; their streams still come to their ends."""
        for process in self._processes:
            process.interrupt()

    def records(self, on_record: Callable[[Record], None]) -> list[Record]:
        """All merged records, each handed on once all agents have told of it.

        Raises BakeoffError when an agent ends badly: then the others are stopped, and there is no result.
        """
        arrived: _Arrived = queue.SimpleQueue()
        for agent in range(len(self._processes)):
            reader = threading.Thread(target=self._read, args=(agent, arrived), name=f"agent {agent + 1}", daemon=True)
            reader.start()
            self._readers.append(reader)
        records: list[Record] = []
        self._stream_file.parent.mkdir(parents=True, exist_ok=True)
        with self._stream_file.open("wb") as copy:
            for agent, told in self._all_of(arrived):
                for record in self._merging.take(agent, told):
                    copy.write(msgspec.json.encode(record) + b"\n")
                    records.append(record)
                    on_record(record)
        return records

    def _all_of(self, arrived: _Arrived) -> Iterator[tuple[int, Record]]:
        """Every agent's records in the order of arrival. Raises the first agent's error as soon as it comes."""
        left = len(self._readers)
        while left:
            agent, told = arrived.get()
            if isinstance(told, BakeoffError):
                raise BakeoffError(f"Agent {agent + 1} of {len(self._readers)}: {told.message}") from told
            if isinstance(told, Exception):
                raise told
            if told is None:
                left -= 1
            else:
                yield agent, told

    def _read(self, agent: int, arrived: _Arrived) -> None:
        def pass_on(record: Record) -> None:
            self._clocks.take(agent, record, time.time_ns())
            arrived.put((agent, record))

        try:
            self._processes[agent].records(pass_on)
            arrived.put((agent, None))
        except Exception as error:  # noqa: BLE001 — the reader of the queue raises it, and would otherwise wait for ever
            arrived.put((agent, error))
