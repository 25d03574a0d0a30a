"""Several agents' result streams as one: counters are summed, histograms added, and percentiles come from the sum.

Each agent's own stream is counted too, to compare with the merged stream and the ledgers.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from bakeoff.engines.stream import (
    Counted,
    End,
    EngineSecond,
    Note,
    Outcomes,
    PhaseEnd,
    PhaseStart,
    Record,
    Start,
    StreamError,
)
from bakeoff.results import histograms

# The place of a record in its stream: start, then each phase with its start, seconds and end, then end.
_Place = tuple[int, int, int, int]

_START: _Place = (0, 0, 0, 0)
_END: _Place = (2, 0, 0, 0)

# Equal in all agents of a run.
_COMMON = ("version", "engine", "workload", "target", "protocol", "checks")
_OUT_OF_STEP_NS = 500_000_000
_TALLIED = ("sent", "ok", "failed", "operations")
_REASONS = ("failed", "interrupted", "completed")


class Merging:
    """Takes the agents' records as they arrive, and returns each merged record once all agents have reported it.

    The result does not depend on the order in which the streams are read.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._waiting: dict[_Place, dict[int, Record]] = {}
        self._reported: list[set[_Place]] = [set() for _ in names]
        self._last_second: list[dict[int, int]] = [defaultdict(lambda: -1) for _ in names]
        self._begun_ns: dict[int, dict[int, int]] = {}

    def take(self, agent: int, record: Record) -> list[Record]:
        """The merged records that this record of an agent, counted from 0, makes complete.

        Raises StreamError when the agents do not do the same.
        """
        if len(self._names) == 1:
            return [record]
        if isinstance(record, Note):
            return [replace(record, message=f"{self._names[agent]}: {record.message}")]
        place = _place_of(record)
        self._waiting.setdefault(place, {})[agent] = record
        self._reported[agent].add(place)
        if isinstance(record, EngineSecond):
            self._last_second[agent][record.phase] = record.second
        if isinstance(record, PhaseStart):
            self._begun_ns.setdefault(record.phase, {})[agent] = record.time_unix_ns
            self._check_step(record.phase)
        return self._complete()

    @property
    def begun_apart_ns(self) -> int:
        """The largest spread of the agents' starts of a phase."""
        return max((max(begun.values()) - min(begun.values()) for begun in self._begun_ns.values()), default=0)

    def _check_step(self, phase: int) -> None:
        """Raises StreamError where the agents' starts of a phase are more than half a second apart."""
        begun = self._begun_ns[phase]
        first, last = min(begun, key=lambda agent: begun[agent]), max(begun, key=lambda agent: begun[agent])
        apart_ns = begun[last] - begun[first]
        if apart_ns > _OUT_OF_STEP_NS:
            name = self._names[last]
            raise StreamError(
                f"{name[0].upper()}{name[1:]} fell out of step: it started phase {phase + 1} {apart_ns / 1e6:,.0f} ms "
                f"after {self._names[first]}. Their seconds are not the same seconds, so the run has no figures. Give "
                "its host more CPU, or a better network."
            )

    def _complete(self) -> list[Record]:
        records = []
        for place in sorted(self._waiting):
            if not all(self._has_passed(agent, place) for agent in range(len(self._reported))):
                break
            records.append(self._merged(self._waiting.pop(place)))
        return records

    def _has_passed(self, agent: int, place: _Place) -> bool:
        """Whether an agent has reported a place, or is past it."""
        reported = self._reported[agent]
        if place in reported or _END in reported:
            return True
        _, phase, kind, second = place
        is_second = kind == 1
        return is_second and ((1, phase, 2, 0) in reported or self._last_second[agent][phase] > second)

    def _merged(self, parts: Mapping[int, Record]) -> Record:
        """One record of the agents' records of the same place."""
        records = [parts[agent] for agent in sorted(parts)]
        one = combined(records, _RULES[type(records[0])])
        if isinstance(one, Start):
            _check_common(records, [self._names[agent] for agent in sorted(parts)])
        elif isinstance(one, End):
            ends = ((number, end.message) for number, end in enumerate(records, 1) if isinstance(end, End))
            one = replace(one, message="; ".join(f"agent {number}: {message}" for number, message in ends if message))
        elif isinstance(one, PhaseEnd):
            # The phase lasts from the first agent's start to the last agent's end.
            begun = self._begun_ns[one.phase]
            ended = (begun[agent] + part.duration_ns for agent, part in parts.items() if isinstance(part, PhaseEnd))
            one = replace(one, duration_ns=max(ended) - min(begun.values()))
        return one


class Tallies:
    """Adds up each agent's phases, and checks that the seconds of a phase add up to it."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self.acknowledged: list[int] = [0] * len(names)
        self._seconds: defaultdict[tuple[int, int], Counter[str]] = defaultdict(Counter)

    def take(self, agent: int, record: Record) -> None:
        """A record of an agent. Raises StreamError where a second of a phase is missing."""
        if not isinstance(record, EngineSecond | PhaseEnd):
            return
        counts = {name: getattr(record, name) for name in _TALLIED}
        if isinstance(record, EngineSecond):
            self._seconds[agent, record.phase].update(counts)
            return
        seconds = self._seconds.pop((agent, record.phase), Counter())
        for name, count in counts.items():
            if seconds[name] != count:
                raise StreamError(
                    f"Of {self._names[agent]} phase {record.phase + 1} has {count:,} {name}, and its seconds have "
                    f"{seconds[name]:,}: a record was lost on its way."
                )
        self.acknowledged[agent] += record.operations


def _place_of(record: Record) -> _Place:
    match record:
        case Start():
            return _START
        case PhaseStart():
            return (1, record.phase, 0, 0)
        case EngineSecond():
            return (1, record.phase, 1, record.second)
        case PhaseEnd():
            return (1, record.phase, 2, 0)
        case _:
            return _END


def _check_common(starts: Sequence[Any], names: Sequence[str]) -> None:
    """Raises StreamError where the agents differ."""
    for member in _COMMON:
        values = [getattr(start, member) for start in starts]
        if any(value != values[0] for value in values):
            shown = ", ".join(f"{value} of {name}" for value, name in zip(values, names, strict=True))
            raise StreamError(f"The agents differ: {member} is {shown}. Use the same version and settings for all.")


_Struct = TypeVar("_Struct", bound=msgspec.Struct)
_Rule = Callable[[Sequence[Any]], Any]


def combined(records: Sequence[_Struct], rules: Mapping[str, _Rule]) -> _Struct:
    """The first record, with each member of the rules made of all records' members."""
    return replace(
        records[0], **{name: rule([getattr(each, name) for each in records]) for name, rule in rules.items()}
    )


_Counted = TypeVar("_Counted", bound=Counted)


def added(records: Sequence[_Counted]) -> _Counted:
    """The first record with the sums of all: counts, and histograms added."""
    rules = {**_RULES[type(records[0])]}
    del rules["time_unix_ns"]
    return combined(records, rules)


def merged_histogram(parts: Sequence[str | None]) -> str | None:
    """One histogram of all parts, or None without any."""
    known = [part for part in parts if part is not None]
    return known[0] if len(known) == 1 else histograms.encode(histograms.merge(known)) if known else None


def _summed(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part)
    return dict(sorted(counts.items()))


def _merged_operations(parts: Sequence[Mapping[str, Outcomes]]) -> dict[str, Outcomes]:
    names = dict.fromkeys(name for part in parts for name in part)
    return {name: combined([part[name] for part in parts if name in part], _OUTCOMES) for name in names}


def _first(parts: Sequence[Any]) -> Any:
    """The first that is known, or None."""
    return next((part for part in parts if part is not None), None)


def _summing(*names: str) -> dict[str, _Rule]:
    return dict.fromkeys(names, sum)


_HISTOGRAMS = dict.fromkeys(("service_histogram", "response_histogram"), merged_histogram)
_OUTCOMES: Mapping[str, _Rule] = {
    **_summing("sent", "ok", "ok_late", "failed", "checked", "checks_failed"),
    **_HISTOGRAMS,
    "errors": _summed,
    "statuses": _summed,
    **dict.fromkeys(("failed_check", "failed_reply"), _first),
}
_COUNTED: Mapping[str, _Rule] = {
    **_summing("sent", "ok", "failed", "operations", "bytes_sent", "bytes_received", "unsent"),
    **_HISTOGRAMS,
    "errors": _summed,
    "by_operation": _merged_operations,
}
_RULES: Mapping[type, Mapping[str, _Rule]] = {
    Start: {"connections": sum, "time_unix_ns": min},
    PhaseStart: {"virtual_users": sum, "time_unix_ns": min},
    EngineSecond: {**_COUNTED, "time_unix_ns": min},
    PhaseEnd: {
        **_COUNTED,
        **_summing("connections_opened", "operations_late"),
        "interrupted": any,
        "send_lag_histogram": merged_histogram,
        "planned_ns": lambda planned: max((each for each in planned if each is not None), default=None),
        "time_unix_ns": max,
    },
    # The worst reason that any agent reports.
    End: {"reason": lambda reasons: min(reasons, key=_REASONS.index), "time_unix_ns": max},
}
