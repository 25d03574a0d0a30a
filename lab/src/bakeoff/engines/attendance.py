"""Whether every agent still reports: one that is silent for too long has stalled, and the run's figures are void."""

from collections.abc import Sequence

from bakeoff.engines.stream import Clock, PhaseEnd, PhaseStart, Ready, Record
from bakeoff.errors import BakeoffError

# An agent reports every second of a phase; the rest is for the way to the lab and a start that lies ahead.
_SILENT_IN_PHASE_S = 4.0
# Between phases connections are opened, and at the end the ledger is written.
_SILENT_BETWEEN_S = 60.0
# A lab that itself was held up for so long cannot know which agent was silent.
_LAB_LATE_S = 2.0


class Attendance:
    """Takes the instants at which the records of agents arrived that are instructed, from `now_ns` on."""

    def __init__(self, names: Sequence[str], timeout_s: float, now_ns: int) -> None:
        self._names = names
        self._between_s = _SILENT_BETWEEN_S + timeout_s
        # The silence that is allowed, and since when; none of an agent that waits for others.
        self._allowed = dict.fromkeys(range(len(names)), (self._between_s, now_ns))
        self._left = set(self._allowed)
        self._waiting: set[int] = set()
        self._phases: dict[int, int] = {}
        self._looked_ns: int | None = None

    def take(self, agent: int, record: Record | None, at_ns: int) -> None:
        """A record has arrived, or the agent has ended."""
        if record is None:
            self._left.discard(agent)
            self._waiting.discard(agent)
            self._allowed.pop(agent, None)
        elif isinstance(record, Ready):
            self._waiting.add(agent)
            self._allowed.pop(agent, None)
        elif not isinstance(record, Clock):
            self._waiting.discard(agent)
            if isinstance(record, PhaseStart):
                self._phases[agent] = record.phase
            elif isinstance(record, PhaseEnd) and self._phases.get(agent) == record.phase:
                # The end of a phase may follow the start of the next, in which silence is not allowed either.
                del self._phases[agent]
            self._allowed[agent] = (_SILENT_IN_PHASE_S if agent in self._phases else self._between_s, at_ns)
        if self._waiting == self._left:
            # None waits for another one any more: they are instructed now.
            self._allowed = dict.fromkeys(self._waiting, (self._between_s, at_ns))

    def check(self, now_ns: int) -> None:
        """Raises BakeoffError for an agent that has been silent for too long."""
        was_late = self._looked_ns is not None and now_ns - self._looked_ns > _LAB_LATE_S * 1e9
        self._looked_ns = now_ns
        if was_late:
            self._allowed = {agent: (allowed_s, now_ns) for agent, (allowed_s, _) in self._allowed.items()}
        for agent, (allowed_s, since_ns) in self._allowed.items():
            if now_ns - since_ns > allowed_s * 1e9:
                name = self._names[agent]
                phase = self._phases.get(agent)
                when = "between phases" if phase is None else f"in phase {phase + 1}"
                raise BakeoffError(
                    f"{name[0].upper()}{name[1:]} stalled: no record of it arrived for {allowed_s:.0f} s {when}. Its "
                    "part of the load is missing, so the run has no figures. Is its host overloaded, suspended or "
                    "disconnected?"
                )
