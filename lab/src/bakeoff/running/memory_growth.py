"""Whether a target took ever more memory under an unchanging load. Pure functions."""

from collections.abc import Sequence
from itertools import pairwise
from statistics import median

from bakeoff.results.run import Finding, PhaseResult
from bakeoff.sampling.sampler import Sample

# Shorter, and filling caches and pools look like a leak.
_SHORTEST_NS = 20_000_000_000
_QUARTERS = 4
# Growth over the later half that is no rounding: a tenth of what was there, and eight MiB.
_GROWTH_SHARE = 0.10
_GROWTH_BYTES = 8 << 20


def memory_findings(samples: Sequence[Sample], phases: Sequence[PhaseResult]) -> list[Finding]:
    """A finding for the longest phase in which the target's memory rose from quarter to quarter and did not level off.

    A pool that fills rises fast and then stays; so the last quarter must bring at least half of what the second did.
    """
    longest = max(phases, key=lambda phase: phase.end_ns - phase.begin_ns, default=None)
    if longest is None or longest.end_ns - longest.begin_ns < _SHORTEST_NS:
        return []
    levels = _quarters(samples, longest)
    if levels is None or not _rises(levels):
        return []
    seconds = (longest.end_ns - longest.begin_ns) / 1e9
    return [
        Finding(
            "memory-growing",
            "warning",
            f"The target's memory grew during all of phase {longest.number}, {seconds:.0f} s of one load: from "
            f"{levels[0] / 1e6:.0f} to {levels[-1] / 1e6:.0f} MB.",
            "It may leak memory, or its garbage collector has not settled. A longer phase shows which: "
            "--phase-duration 5m.",
        )
    ]


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
    enough = later >= max(_GROWTH_BYTES, _GROWTH_SHARE * levels[1])
    return enough and all(step > 0 for step in steps) and steps[-1] >= steps[0] / 2
