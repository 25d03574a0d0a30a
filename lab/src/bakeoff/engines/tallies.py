"""Counts of each agent's own stream, to compare with the merged stream and the ledgers."""

from collections import Counter
from collections.abc import Sequence

from bakeoff.engines.stream import EngineSecond, PhaseEnd, Record, StreamError

_COUNTERS = ("sent", "ok", "failed", "operations")


class Tallies:
    """Adds up each agent's phases, and checks that the seconds of a phase add up to it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.acknowledged: list[int] = [0] * len(names)
        self._seconds: dict[tuple[int, int], Counter[str]] = {}

    def take(self, agent: int, record: Record) -> None:
        """A record of an agent. Raises StreamError where a second of a phase is missing."""
        if isinstance(record, EngineSecond):
            seconds = self._seconds.setdefault((agent, record.phase), Counter())
            seconds.update({name: getattr(record, name) for name in _COUNTERS})
        elif isinstance(record, PhaseEnd):
            self._check(agent, record, self._seconds.pop((agent, record.phase), Counter()))
            self.acknowledged[agent] += record.operations

    def _check(self, agent: int, record: PhaseEnd, seconds: Counter[str]) -> None:
        for name in _COUNTERS:
            if seconds[name] != getattr(record, name):
                raise StreamError(
                    f"Of {self._names[agent]} phase {record.phase + 1} has {getattr(record, name):,} {name}, and its "
                    f"seconds have {seconds[name]:,}: a record was lost on its way."
                )
