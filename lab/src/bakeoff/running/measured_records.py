"""From the records of a run's whole stream to those of its levels: what settles is left out, slices are one phase.

Pure functions.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from msgspec import UNSET
from msgspec.structs import replace as with_members

from bakeoff.engines.merging import added
from bakeoff.engines.stream import EngineSecond, PhaseEnd, PhaseStart, Record
from bakeoff.results.cost import Sample
from bakeoff.running.phase_plan import PlannedStep
from bakeoff.sampling.database_activity import DatabaseCounts
from bakeoff.sampling.gauges import GaugeReadings
from bakeoff.sampling.maintenance import seconds_within

_OfPhase = PhaseStart | EngineSecond | PhaseEnd


@dataclass(frozen=True)
class Pauses:
    """The spans of wall-clock time in which a run waited between its slices, in the order of time, in ns."""

    spans: Sequence[tuple[int, int]] = ()

    def without(self, at_ns: int) -> int:
        """The instant on a clock that stood still in the pauses."""
        count = bisect_right(self.spans, at_ns, key=lambda span: span[0])
        return at_ns - sum(min(end_ns, at_ns) - begin_ns for begin_ns, end_ns in self.spans[:count])

    def covers(self, at_ns: int) -> bool:
        return any(begin_ns < at_ns < end_ns for begin_ns, end_ns in self.spans)


def samples_without(pauses: Pauses, samples: Sequence[Sample]) -> list[Sample]:
    """The samples on the clock of the pauses. What a role used in a pause is a cost of the run all the same."""
    return [with_members(each, time_unix_ns=pauses.without(each.time_unix_ns)) for each in samples]


def gauge_without(pauses: Pauses, gauge: GaugeReadings) -> GaugeReadings:
    """The readings on the clock of the pauses. Those of a pause show a target without load, and are left out."""
    kept = [each for each in gauge.readings if not pauses.covers(each.time_unix_ns)]
    return GaugeReadings(gauge.unit, [replace(each, time_unix_ns=pauses.without(each.time_unix_ns)) for each in kept])


def counts_without(pauses: Pauses, counts: DatabaseCounts) -> DatabaseCounts:
    """The counts on the clock of the pauses. What sessions did in a pause is not of the run's load."""
    return replace(
        counts,
        looks=[
            replace(each, time_unix_ns=pauses.without(each.time_unix_ns))
            for each in counts.looks
            if not pauses.covers(each.time_unix_ns)
        ],
        marks=[replace(each, time_unix_ns=pauses.without(each.time_unix_ns)) for each in counts.marks],
        vacuum_spans=[(pauses.without(begin_ns), pauses.without(end_ns)) for begin_ns, end_ns in counts.vacuum_spans],
    )


def maintained_s(pauses: Pauses, counts: DatabaseCounts) -> float:
    """For how long the database vacuumed or wrote a checkpoint in the pauses."""
    own_s = sum(seconds_within(counts.vacuum_spans, *span) for span in pauses.spans)
    looks = (each for each in counts.looks if pauses.covers(each.time_unix_ns))
    return own_s + counts.period_s * sum(each.vacuums > 0 or each.checkpoints > 0 for each in looks)


def is_edge(record: Record, steps: Sequence[PlannedStep]) -> bool:
    """Whether a step begins or ends with the record; of a level in slices the first and the last one count."""
    if not isinstance(record, PhaseStart | PhaseEnd):
        return False
    if isinstance(record, PhaseStart):
        return steps[record.phase].slice == 0
    return record.phase + 1 == len(steps) or steps[record.phase + 1].slice == 0


def measured_records(records: Sequence[Record], steps: Sequence[PlannedStep]) -> list[Record]:
    """The records of a stream as if it had only measured, and each level had been in its declared place.

    Instants are of a clock that stood still while the run waited between slices.
    """
    pauses = pauses_in(records, steps)
    kept: list[Record] = []
    of_level: dict[int, list[_OfPhase]] = {}
    for record in records:
        if not isinstance(record, PhaseStart | EngineSecond | PhaseEnd):
            kept.append(record)
        elif steps[record.phase].measures:
            of_level.setdefault(steps[record.phase].level, []).append(record)
    for level, own in of_level.items():
        kept += [
            with_members(record, phase=level, time_unix_ns=pauses.without(record.time_unix_ns))
            for record in _as_one_phase(own, steps)
        ]
    return kept


def pauses_in(records: Iterable[Record], steps: Sequence[PlannedStep]) -> Pauses:
    """From the end of each slice to the start of the next one."""
    begun: dict[int, int] = {}
    ended: dict[int, int] = {}
    for record in records:
        if isinstance(record, PhaseStart):
            begun[record.phase] = record.time_unix_ns
        elif isinstance(record, PhaseEnd) and record.phase in begun:
            ended[record.phase] = begun[record.phase] + record.duration_ns
    neighbours = pairwise(range(len(steps)))
    return Pauses(
        [
            (ended[before], max(ended[before], begun[after]))
            for before, after in neighbours
            if steps[after].slice and before in ended and after in begun
        ]
    )


def as_shown(record: Record, steps: Sequence[PlannedStep]) -> Record | None:
    """The record as people see it while the run goes on, or None: of all slices one start is shown, and no end."""
    if not isinstance(record, PhaseStart | EngineSecond | PhaseEnd):
        return record
    step = steps[record.phase]
    is_sliced = any(other.slice and other.level == step.level for other in steps) and step.measures
    if not is_sliced:
        return record
    if isinstance(record, EngineSecond):
        return with_members(record, second=step.slice) if record.second == 0 else None
    return record if isinstance(record, PhaseStart) and step.slice == 0 else None


def _as_one_phase(records: Sequence[_OfPhase], steps: Sequence[PlannedStep]) -> Iterator[_OfPhase]:
    starts = [record for record in records if isinstance(record, PhaseStart)]
    ends = [record for record in records if isinstance(record, PhaseEnd)]
    if len(starts) <= 1:
        yield from records
        return
    yield starts[0]
    yield from _seconds(records, steps)
    if ends:
        yield _one_end(ends)


def _seconds(records: Sequence[_OfPhase], steps: Sequence[PlannedStep]) -> Iterator[EngineSecond]:
    """Each slice has one second of the phase; replies that came after it are counted there."""
    level = steps[records[0].phase].level
    last = max(step.slice for step in steps if step.level == level)
    parts: dict[int, list[EngineSecond]] = {}
    for record in records:
        if isinstance(record, EngineSecond):
            number = steps[record.phase].slice
            # The last slice may be longer than a second.
            parts.setdefault(number + (record.second if number == last else 0), []).append(record)
    for number, own in sorted(parts.items()):
        yield with_members(added(own), second=number)


def _one_end(ends: Sequence[PhaseEnd]) -> PhaseEnd:
    planned = [end.planned_ns for end in ends]
    return with_members(
        added(ends),
        time_unix_ns=ends[-1].time_unix_ns,
        duration_ns=sum(end.duration_ns for end in ends),
        planned_ns=None if None in planned else sum(each for each in planned if each is not None),
        steady_after_s=UNSET,
    )
