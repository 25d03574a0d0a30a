"""The agents of a run: engines that divide one load, here or elsewhere, led and read as if they were one.

A run on this machine with one engine is a run of one agent.
"""

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import msgspec

from bakeoff.engines.agent import Agent
from bakeoff.engines.attendance import Attendance
from bakeoff.engines.here import Here
from bakeoff.engines.leading import LabClock, Leading, Offset
from bakeoff.engines.manifest import Engine
from bakeoff.engines.merging import Merging, Tallies
from bakeoff.engines.stream import Record
from bakeoff.engines.transport import Assignment, Transport
from bakeoff.errors import BakeoffError
from bakeoff.workload.plan_records import Plan

# How long the lab waits for a record before it looks whether an agent has stalled.
_LOOK_S = 0.25

# An agent's number from 0 with its next record and the instant of its arrival, its error, or None once it has ended.
_Arrived = queue.SimpleQueue[tuple[int, Record | Exception | None, int]]


class Agents:
    """Starts all engines on entry; on exit they have ended.

    Several agents have a part of the plan each, and a ledger each in the folder `plan.ledger`. Their own streams are
    kept beside the merged one, which is `stream_file`. `plan_file` gets the plan, which may hold a token.
    """

    def __init__(
        self,
        engine: Engine,
        plan: Plan,
        plan_file: Path,
        stream_file: Path,
        log: Path,
        places: Sequence[Transport],
        before_start: Callable[[], None] = lambda: None,
    ) -> None:
        """`before_start` is called before each instruction to start a phase, and may take its time."""
        self._plan = plan
        self._plan_file = plan_file
        self._stream_file = stream_file
        self._agents = [
            Agent(place, assignment, stream)
            for place, assignment, stream in _parts(engine, plan, plan_file, stream_file, log, places)
        ]
        self._stack = contextlib.ExitStack()
        self._readers: list[threading.Thread] = []
        self._clock = LabClock()
        names = [agent.name for agent in self._agents]
        self._leading = Leading(self._agents, self._clock, before_start)
        self._merging = Merging(names)
        self._attendance: Attendance | None = None
        self.tallies = Tallies(names)

    def __enter__(self) -> "Agents":
        self._plan_file.parent.mkdir(parents=True, exist_ok=True)
        self._plan_file.touch(mode=0o600)
        self._plan_file.write_bytes(self._plan.encoded())
        if self._plan.ledger is not None and len(self._agents) > 1:
            Path(self._plan.ledger).mkdir()
        with contextlib.ExitStack() as stack:
            for agent in self._agents:
                stack.enter_context(agent)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        # All at once, so that the replies in flight are awaited once and not once for each.
        self.interrupt()
        self._stack.close()
        for reader in self._readers:
            reader.join()

    @property
    def pids(self) -> list[int]:
        """Processes on this machine."""
        return [pid for agent in self._agents for pid in agent.engine.pids]

    @property
    def containers(self) -> list[str]:
        """Containers on this machine that engines run in."""
        return [name for agent in self._agents if (name := agent.engine.container) is not None]

    @property
    def names(self) -> list[str]:
        return [agent.name for agent in self._agents]

    @property
    def begun_apart_ns(self) -> int:
        """By how much the agents' starts of a phase lay apart at the most."""
        return self._merging.begun_apart_ns

    @property
    def offsets(self) -> Sequence[Offset]:
        """How far the agents' clocks are ahead of the lab's, as measured before the last phase."""
        return self._leading.offsets

    def interrupt(self) -> None:
        """Asks all to stop sending; their streams still come to their ends."""
        for agent in self._agents:
            agent.engine.interrupt()

    def records(self, on_record: Callable[[Record], None]) -> list[Record]:
        """All merged records, each handed on once all agents have reported it.

        Raises BakeoffError, which names the agent, when one ends badly, stalls or falls out of step: then there is no
        result.
        """
        records: list[Record] = []
        if all(agent.is_instructed for agent in self._agents):
            timeout_s = self._plan.transport.timeout_ms / 1000
            self._attendance = Attendance(self.names, timeout_s, self._clock.now_ns())
        self._stream_file.parent.mkdir(parents=True, exist_ok=True)
        with contextlib.ExitStack() as stack:
            copy = None if self.is_one_here else stack.enter_context(self._stream_file.open("wb"))
            for agent, own in self._all_records():
                self.tallies.take(agent, own)
                for record in self._merging.take(agent, own):
                    if copy is not None:
                        copy.write(msgspec.json.encode(record) + b"\n")
                    records.append(record)
                    on_record(record)
        return records

    @property
    def is_one_here(self) -> bool:
        """Whether there is one agent, on this machine: by the lab's clock, so that its own stream is the run's."""
        return len(self._agents) == 1 and self._agents[0].is_here

    def _all_records(self) -> Iterator[tuple[int, Record]]:
        """Every agent's records in the order of arrival, by the lab's clock. Raises the first agent's error at once."""
        arrived: _Arrived = queue.SimpleQueue()
        for number, agent in enumerate(self._agents):
            reader = threading.Thread(target=self._read, args=(number, agent, arrived), name=agent.name, daemon=True)
            reader.start()
            self._readers.append(reader)
        left = len(self._agents)
        while left:
            try:
                number, own, at_ns = arrived.get(timeout=_LOOK_S)
            except queue.Empty:
                self._check_attendance()
                continue
            if isinstance(own, BakeoffError) and not self.is_one_here:
                name = self._agents[number].name
                raise BakeoffError(f"{name[0].upper()}{name[1:]}: {own.message}") from own
            if isinstance(own, Exception):
                raise own
            if self._attendance is not None:
                self._attendance.take(number, own, at_ns)
            if own is None:
                left -= 1
                yield from self._leading.ended(number)
            else:
                yield from self._leading.take(number, own, at_ns)
            # Records that arrived while one was handled are taken first: it shows that its agent has not stalled.
            if arrived.empty():
                self._check_attendance()

    def _check_attendance(self) -> None:
        if self._attendance is not None:
            self._attendance.check(self._clock.now_ns())

    def _read(self, number: int, agent: Agent, arrived: _Arrived) -> None:
        try:
            agent.read(lambda record: arrived.put((number, record, self._clock.now_ns())))
            arrived.put((number, None, self._clock.now_ns()))
        except Exception as error:  # noqa: BLE001 — the reader of the queue raises it, and would otherwise wait for ever
            arrived.put((number, error, self._clock.now_ns()))


def alone(
    engine: Engine,
    plan: Plan,
    plan_file: Path,
    stream_file: Path,
    log: Path,
    here: Transport | None = None,
) -> Agents:
    return Agents(engine, plan, plan_file, stream_file, log, [here or Here()])


def _parts(
    engine: Engine, plan: Plan, plan_file: Path, stream_file: Path, log: Path, places: Sequence[Transport]
) -> Iterator[tuple[Transport, Assignment, Path]]:
    """Each agent's place, assignment and stream. One agent's ledger and log are those of the run."""
    if len(places) == 1:
        own = stream_file if not places[0].name else _of_agent(stream_file, ".stream.", 1)
        yield places[0], Assignment(engine, plan, plan_file, log), own
        return
    for number, place in enumerate(places, 1):
        ledger = None if plan.ledger is None else str(Path(plan.ledger) / f"agent-{number}")
        own_plan = msgspec.structs.replace(plan, ledger=ledger)
        assignment = Assignment(
            engine, own_plan, plan_file, _of_agent(log, ".engine.", number), number=number, of=len(places)
        )
        yield place, assignment, _of_agent(stream_file, ".stream.", number)


def _of_agent(path: Path, part: str, number: int) -> Path:
    """The file of an agent, next to that of the run: `….stream.jsonl` → `….stream.agent-1.jsonl`."""
    head, found, tail = path.name.rpartition(part)
    name = f"{head}{part}agent-{number}.{tail}" if found else f"{path.stem}.agent-{number}{path.suffix}"
    return path.with_name(name)
