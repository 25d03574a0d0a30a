"""Several agents' result streams as one: counters are summed, histograms added, and percentiles come from the sum."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from msgspec.structs import replace

from bakeoff.engines import histograms
from bakeoff.engines.stream import (
    Counted,
    End,
    EngineSecond,
    EngineVersion,
    Note,
    Outcomes,
    PhaseEnd,
    PhaseStart,
    Record,
    Start,
    StreamError,
)

# Where a record stands in its stream: start, then each phase with its begin, seconds and end, then end.
_Place = tuple[int, int, int, int]

_START: _Place = (0, 0, 0, 0)
_END: _Place = (2, 0, 0, 0)

# What all agents of a run must agree on.
_COMMON = ("version", "engine", "workload", "target", "protocol", "checks")
_SUMMED = ("sent", "ok", "failed", "operations", "bytes_sent", "bytes_received", "unsent")
_OUT_OF_STEP_NS = 500_000_000
# The worst that any agent says is said of all.
_Counted = TypeVar("_Counted", bound=Counted)
_REASONS = ("failed", "interrupted", "completed")


class Merging:
    """Takes the agents' records as they come, and gives the merged ones, each as soon as all agents have told of it.

    What it gives does not depend on the order in which the agents' streams happen to be read.
    """

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._waiting: dict[_Place, dict[int, Record]] = {}
        self._told: list[set[_Place]] = [set() for _ in names]
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
        self._told[agent].add(place)
        if isinstance(record, EngineSecond):
            self._last_second[agent][record.phase] = record.second
        if isinstance(record, PhaseStart):
            self._begun_ns.setdefault(record.phase, {})[agent] = record.time_unix_ns
            self._check_step(record.phase)
        return self._complete()

    @property
    def begun_apart_ns(self) -> int:
        """By how much the agents' begins of a phase lay apart at the most."""
        return max((max(begun.values()) - min(begun.values()) for begun in self._begun_ns.values()), default=0)

    def _check_step(self, phase: int) -> None:
        """Seconds whose starts lie further apart than half a second are not the same seconds."""
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
            if not all(self._has_passed(agent, place) for agent in range(len(self._told))):
                break
            records.append(self._merged(self._waiting.pop(place)))
        return records

    def _has_passed(self, agent: int, place: _Place) -> bool:
        """Whether an agent has told, or can no longer tell, what stands at a place."""
        told = self._told[agent]
        if place in told or _END in told:
            return True
        _, phase, kind, second = place
        is_second = kind == 1
        return is_second and ((1, phase, 2, 0) in told or self._last_second[agent][phase] > second)

    def _merged(self, parts: Mapping[int, Record]) -> Record:
        """One record out of the agents' records of the same place."""
        first, *others = (parts[agent] for agent in sorted(parts))
        match first:
            case Start():
                return _merged_start([first, *_alike(first, others)], [self._names[agent] for agent in sorted(parts)])
            case PhaseStart():
                return _merged_phase_start([first, *_alike(first, others)])
            case EngineSecond():
                return _merged_second([first, *_alike(first, others)])
            case PhaseEnd():
                return self._merged_phase_end(
                    {agent: part for agent, part in parts.items() if isinstance(part, PhaseEnd)}
                )
            case End():
                return _merged_end([first, *_alike(first, others)])
            case _:
                raise AssertionError(f"{type(first).__name__} has no place in a merged stream")

    def _merged_phase_end(self, parts: Mapping[int, PhaseEnd]) -> PhaseEnd:
        """The phase lasts from the first agent's begin to the last agent's end."""
        records = list(parts.values())
        begun = self._begun_ns[records[0].phase]
        ended_ns = max(begun[agent] + record.duration_ns for agent, record in parts.items())
        return replace(
            added(records),
            time_unix_ns=max(record.time_unix_ns for record in records),
            duration_ns=ended_ns - min(begun.values()),
            connections_opened=sum(record.connections_opened for record in records),
            interrupted=any(record.interrupted for record in records),
            send_lag_histogram=merged_histogram([record.send_lag_histogram for record in records]),
            planned_ns=max((record.planned_ns for record in records if record.planned_ns is not None), default=None),
            operations_late=sum_of_known([record.operations_late for record in records]),
        )


def merged(streams: Sequence[Sequence[Record]]) -> list[Record]:
    """The one stream that the agents' whole streams make."""
    merging = Merging([f"agent {number}" for number in range(1, len(streams) + 1)])
    turns = (turn for turn in zip_longest(*streams))
    return [
        done
        for turn in turns
        for agent, record in enumerate(turn)
        if record is not None
        for done in merging.take(agent, record)
    ]


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


_Kind = TypeVar("_Kind", Start, PhaseStart, EngineSecond, End)


def _alike(first: _Kind, others: Sequence[Record]) -> list[_Kind]:
    """Records of one place are of one kind."""
    return [other for other in others if isinstance(other, type(first))]


def _merged_start(records: Sequence[Start], names: Sequence[str]) -> Start:
    for member in _COMMON:
        if any(getattr(record, member) != getattr(records[0], member) for record in records):
            own = zip(records, names, strict=True)
            shown = ", ".join(f"{_shown(getattr(record, member))} of {name}" for record, name in own)
            raise StreamError(f"The agents differ: {member} is {shown}. Use the same version and settings for all.")
    return replace(
        records[0],
        connections=sum(record.connections for record in records),
        time_unix_ns=min(record.time_unix_ns for record in records),
    )


def _shown(value: object) -> str:
    return f"{value.name} {value.version}" if isinstance(value, EngineVersion) else f"{value}"


def _merged_phase_start(records: Sequence[PhaseStart]) -> PhaseStart:
    return replace(
        records[0],
        virtual_users=sum(record.virtual_users for record in records),
        time_unix_ns=min(record.time_unix_ns for record in records),
    )


def _merged_second(records: Sequence[EngineSecond]) -> EngineSecond:
    return replace(added(records), time_unix_ns=min(record.time_unix_ns for record in records))


def _merged_end(records: Sequence[End]) -> End:
    reasons = {record.reason for record in records}
    messages = [f"agent {number}: {record.message}" for number, record in enumerate(records, 1) if record.message]
    return replace(
        records[0],
        reason=next(reason for reason in _REASONS if reason in reasons),
        message="; ".join(messages),
        time_unix_ns=max(record.time_unix_ns for record in records),
    )


def added(records: Sequence[_Counted]) -> _Counted:
    """The first record with the sums of all in it: counts, and histograms added."""
    names = dict.fromkeys(name for record in records for name in record.by_operation)
    return replace(
        records[0],
        **{name: sum(getattr(record, name) for record in records) for name in _SUMMED},
        errors=_summed([record.errors for record in records]),
        service_histogram=merged_histogram([record.service_histogram for record in records]),
        response_histogram=merged_histogram([record.response_histogram for record in records]),
        by_operation={
            name: _added_outcomes([record.by_operation[name] for record in records if name in record.by_operation])
            for name in names
        },
    )


def _added_outcomes(parts: Sequence[Outcomes]) -> Outcomes:
    """What all agents saw of one operation."""
    return Outcomes(
        **{
            name: sum(getattr(part, name) for part in parts)
            for name in ("sent", "ok", "ok_late", "failed", "checked", "checks_failed")
        },
        errors=_summed([part.errors for part in parts]),
        statuses=_summed([part.statuses for part in parts]),
        service_histogram=merged_histogram([part.service_histogram for part in parts]),
        response_histogram=merged_histogram([part.response_histogram for part in parts]),
        failed_check=next((part.failed_check for part in parts if part.failed_check is not None), None),
    )


def sum_of_known(counts: Sequence[int | None]) -> int | None:
    """The sum of the counts that are known, or None where none is."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def _summed(parts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    counts: Counter[str] = Counter()
    for part in parts:
        counts.update(part)
    return dict(sorted(counts.items()))


def merged_histogram(parts: Sequence[str | None]) -> str | None:
    """One histogram of all that there are, or None without any."""
    told = [part for part in parts if part is not None]
    return told[0] if len(told) == 1 else histograms.encode(histograms.merge(told)) if told else None
