"""Memory of a target that grows under constant load. Pure functions."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from bakeoff.results import finding_kinds as kinds
from bakeoff.results.cost import Sample
from bakeoff.results.findings import Finding
from bakeoff.results.run import PhaseResult

# In a shorter phase, caches and pools that fill look like a leak; less growth is noise.
_GROWTH_SHARE, _GROWTH_MIB, _SHORTEST_S = kinds.MEMORY_GROWING.limits
_QUARTERS = 4


def memory_findings(samples: Sequence[Sample], phases: Sequence[PhaseResult]) -> list[Finding]:
    """A finding for the longest phase in which the target's memory rose from quarter to quarter and did not level off.

    A pool that fills rises fast and then stays; so the last quarter must bring at least half of what the second did.
    """
    longest = max(phases, key=lambda phase: phase.end_ns - phase.begin_ns, default=None)
    if longest is None or (seconds := (longest.end_ns - longest.begin_ns) / 1e9) < _SHORTEST_S:
        return []
    levels = _quarters(samples, longest)
    if levels is None or not _rises(levels):
        return []
    first_mb, last_mb = levels[0] / 1e6, levels[-1] / 1e6
    return [kinds.MEMORY_GROWING(phase=longest.number, seconds=seconds, first_mb=first_mb, last_mb=last_mb)]


def _quarters(samples: Sequence[Sample], phase: PhaseResult) -> list[float] | None:
    """The median memory in each quarter of a phase, or None where one was not sampled."""
    length_ns = (phase.end_ns - phase.begin_ns) / _QUARTERS
    parts: list[list[int]] = [[] for _ in range(_QUARTERS)]
    for sample in samples:
        part = int((sample.time_unix_ns - phase.begin_ns) // length_ns)
        if sample.role == "target" and 0 <= part < _QUARTERS:
            parts[part].append(sample.memory_bytes)
    return [median(part) for part in parts] if all(parts) else None


def _rises(levels: Sequence[float]) -> bool:
    steps = [after - before for before, after in pairwise(levels)]
    later = levels[-1] - levels[1]
    enough = later >= max(_GROWTH_MIB * 2**20, _GROWTH_SHARE * levels[1])
    return enough and all(step > 0 for step in steps) and steps[-1] >= steps[0] / 2
