"""A level measured in slices of a second, so that a run can wait between them, and what makes them one phase again.

Pure functions.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from msgspec.structs import replace as with_members

from bakeoff.results.cost import Sample
from bakeoff.running.modes import Phase
from bakeoff.sampling.gauges import GaugeReadings

_SLICE_S = 1.0


def slices_of(level: Phase) -> list[Phase]:
    """The level in slices of a second; what is left of a second belongs to the last. Iterations stay together."""
    if level.duration_s is None or level.duration_s < 2 * _SLICE_S:
        return [level]
    count = int(level.duration_s // _SLICE_S)
    rest_s = level.duration_s - count * _SLICE_S
    return [replace(level, duration_s=_SLICE_S + (rest_s if number == count - 1 else 0)) for number in range(count)]


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
