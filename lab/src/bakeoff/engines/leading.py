"""Leads agents from phase to phase: it measures each agent's clock, and starts all at one instant."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from msgspec.structs import replace

from bakeoff.engines.agent import Agent
from bakeoff.engines.stream import Clock, Counted, End, PhaseStart, Ready, Record, Start
from bakeoff.errors import BakeoffError

# Round trips before each phase; the quickest counts, since its way there and back differ the least.
ROUND_TRIPS = 5

# A clock of Unix time is a monotonic one, and two readings one after the other relate them.
_READING_NS = 1_000_000


class LabClock:
    """Unix nanoseconds that a change of the wall clock does not move."""

    def __init__(self) -> None:
        self._ahead_ns = time.time_ns() - time.monotonic_ns()

    def now_ns(self) -> int:
        return time.monotonic_ns() + self._ahead_ns


@dataclass(frozen=True)
class Offset:
    """By how much an agent's clock is ahead of the lab's; the truth is at most `uncertainty_ns` from `ahead_ns`."""

    ahead_ns: int
    uncertainty_ns: int

    @property
    def certain_ns(self) -> int:
        """The offset where it is more than the uncertainty, else 0: then the clocks may well be the same."""
        return self.ahead_ns if abs(self.ahead_ns) > self.uncertainty_ns + _READING_NS else 0


# Of an engine that reports no clock: on this machine, where all have the same.
SAME = Offset(0, 0)


def offset_of(sent_ns: int, shown_ns: int, received_ns: int) -> Offset:
    """The offset by one round trip: the agent's clock showed `shown_ns` between two instants of the lab's."""
    half_ns = (received_ns - sent_ns) // 2
    return Offset(shown_ns - sent_ns - half_ns, half_ns)


class RoundTrips:
    def __init__(self) -> None:
        self._sent_ns: dict[int, int] = {}
        self._offsets: list[Offset] = []

    def sent(self, identifier: int, at_ns: int) -> None:
        self._sent_ns[identifier] = at_ns

    def received(self, identifier: int, shown_ns: int, at_ns: int) -> None:
        """The reply has arrived; an unexpected one is ignored."""
        sent_ns = self._sent_ns.pop(identifier, None)
        if sent_ns is not None:
            self._offsets.append(offset_of(sent_ns, shown_ns, at_ns))

    @property
    def are_enough(self) -> bool:
        return len(self._offsets) >= ROUND_TRIPS

    @property
    def best(self) -> Offset:
        return min(self._offsets, key=lambda offset: offset.uncertainty_ns)


# The instruction must reach every agent before the instant that it names: on this machine in well under this time, and
# elsewhere after a lost packet is sent again too.
_HERE_AHEAD_NS = 50_000_000
_ELSEWHERE_AHEAD_NS = 1_000_000_000
_ROUND_TRIPS_AHEAD = 4


class Leading:
    """Takes the agents' records as they arrive, instructs the agents, and hands on what counts, by the lab's clock.

    An agent's clock is measured before each phase by round trips, and the start is named as an instant of that clock:
    the agents' wall clocks take no part in it. Records that come before the first measurement wait for it.
    `before_start` is called before the agents are instructed, and may take its time.
    """

    def __init__(
        self, agents: Sequence[Agent], clock: LabClock, before_start: Callable[[], None] = lambda: None
    ) -> None:
        self._agents = agents
        self._clock = clock
        self._before_start = before_start
        self._offsets: list[Offset | None] = [None if agent.is_instructed else SAME for agent in agents]
        self._waiting: list[list[Record]] = [[] for _ in agents]
        self._round_trips: dict[int, RoundTrips] = {}
        self._next_question = 0
        self._ready: dict[int, range] = {}
        self._instructed: set[tuple[int, int]] = set()
        self._left = set(range(len(agents)))

    @property
    def offsets(self) -> Sequence[Offset]:
        """By how much each clock is ahead of the lab's."""
        return [SAME if offset is None else offset for offset in self._offsets]

    def take(self, agent: int, record: Record, at_ns: int) -> Iterator[tuple[int, Record]]:
        """The records that this one releases. Raises BakeoffError for an agent that starts by itself."""
        if isinstance(record, Ready):
            self._round_trips[agent] = RoundTrips()
            self._ready[agent] = record.phases
            self._ask(agent)
        elif isinstance(record, Clock):
            yield from self._answered(agent, record, at_ns)
        else:
            self._check_start(agent, record)
            self._waiting[agent].append(record)
            if self._offsets[agent] is not None:
                yield from self._released(agent)

    def _check_start(self, agent: int, record: Record) -> None:
        if not isinstance(record, PhaseStart) or not self._agents[agent].is_instructed:
            return
        if (agent, record.phase) not in self._instructed:
            raise BakeoffError(
                f"{self._agents[agent].name} started phase {record.phase + 1} without an instruction: is it an engine "
                "of another version?"
            )

    def ended(self, agent: int) -> Iterator[tuple[int, Record]]:
        """An agent has ended: the others wait for it no longer."""
        self._left.discard(agent)
        self._ready.pop(agent, None)
        yield from self._released(agent)
        self._go_if_all_are_ready()

    def _ask(self, agent: int) -> None:
        self._next_question += 1
        self._round_trips[agent].sent(self._next_question, self._clock.now_ns())
        self._agents[agent].engine.send(b"clock %d" % self._next_question)

    def _answered(self, agent: int, record: Clock, at_ns: int) -> Iterator[tuple[int, Record]]:
        trips = self._round_trips.get(agent)
        if trips is None:
            return
        trips.received(record.id, record.time_unix_ns, at_ns)
        if not trips.are_enough:
            self._ask(agent)
            return
        self._offsets[agent] = trips.best
        del self._round_trips[agent]
        yield from self._released(agent)
        self._go_if_all_are_ready()

    def _go_if_all_are_ready(self) -> None:
        """One instant for all, named by each agent's own clock."""
        if not self._left or self._round_trips or set(self._ready) != self._left:
            return
        phases = {self._agents[agent].name: phases for agent, phases in self._ready.items()}
        if len(set(phases.values())) > 1:
            at = ", ".join(f"{name} is at phase {own.start + 1}" for name, own in phases.items())
            raise BakeoffError(f"The agents are out of step: {at}.")
        self._before_start()
        alone = len(self._left) == 1
        at_ns = self._clock.now_ns() + self._ahead_ns()
        for agent in sorted(self._left):
            # A single agent waits for none, so that it starts as soon as it hears of it.
            self._agents[agent].engine.send(b"go" if alone else b"go %d" % (at_ns + self.offsets[agent].ahead_ns))
            self._instructed.update((agent, phase) for phase in self._ready[agent])
        self._ready.clear()

    def _ahead_ns(self) -> int:
        slowest_ns = max(self.offsets[agent].uncertainty_ns * 2 for agent in self._left)
        are_here = all(self._agents[agent].is_here for agent in self._left)
        return (_HERE_AHEAD_NS if are_here else _ELSEWHERE_AHEAD_NS) + _ROUND_TRIPS_AHEAD * slowest_ns

    def _released(self, agent: int) -> Iterator[tuple[int, Record]]:
        offset_ns = self.offsets[agent].certain_ns
        waiting, self._waiting[agent] = self._waiting[agent], []
        for record in waiting:
            if offset_ns and isinstance(record, Start | PhaseStart | Counted | End):
                record = replace(record, time_unix_ns=record.time_unix_ns - offset_ns)
            yield agent, record
