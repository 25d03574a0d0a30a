"""From cumulative samples to what a span of time has cost. Pure functions."""

from collections.abc import Sequence
from itertools import pairwise

from bakeoff.results.cost import Cost, Sample

# The kernel counts CPU time in hundredths of a second: over less than this a figure would be noise.
_SHORTEST_SPAN_S = 1.0


def cost_between(samples: Sequence[Sample], role: str, begin_ns: int, end_ns: int) -> Cost | None:
    """Cost of a role from one instant to another, or None where it was not sampled.

    Cumulative CPU time is interpolated at both ends, between the samples around them.
    """
    own = sorted((sample for sample in samples if sample.role == role), key=lambda sample: sample.time_unix_ns)
    if not own:
        return None
    inside = [sample for sample in own if begin_ns <= sample.time_unix_ns <= end_ns] or [
        min(own, key=lambda sample: abs(sample.time_unix_ns - begin_ns))
    ]
    memory = [sample.memory_bytes for sample in inside]
    span_s = (end_ns - begin_ns) / 1e9
    cpu_s = mean = peak = None
    if span_s >= _SHORTEST_SPAN_S and len(own) > 1:
        cpu_s = max(0.0, _cpu_at(own, end_ns) - _cpu_at(own, begin_ns))
        mean = 100 * cpu_s / span_s
        peak = max([*_rates(inside), mean])
    proportional = [sample.pss_bytes for sample in inside if sample.pss_bytes is not None]
    return Cost(
        cpu_s, mean, peak, sum(memory) / len(memory), max(memory), pss_peak_bytes=max(proportional, default=None)
    )


def cpu_percent_within(samples: Sequence[Sample], role: str, spans: Sequence[tuple[int, int]]) -> float | None:
    """The CPU of a role in some spans of time, per cent of one core; None where unknown or too short."""
    own = sorted((sample for sample in samples if sample.role == role), key=lambda sample: sample.time_unix_ns)
    seconds = sum(end_ns - begin_ns for begin_ns, end_ns in spans) / 1e9
    if len(own) < 2 or seconds < _SHORTEST_SPAN_S:
        return None
    return 100 * sum(_cpu_at(own, end_ns) - _cpu_at(own, begin_ns) for begin_ns, end_ns in spans) / seconds


def cost_of_spans(parts: Sequence[tuple[Cost, float]]) -> Cost:
    """At least one cost, each with the seconds of its span, as one: CPU is unknown where that of a part is."""
    costs = [cost for cost, _ in parts]
    seconds = sum(span_s for _, span_s in parts)
    cpu = [cost.cpu_s for cost in costs if cost.cpu_s is not None]
    peaks = [cost.cpu_percent_peak for cost in costs if cost.cpu_percent_peak is not None]
    is_known = len(cpu) == len(costs) and seconds > 0
    weights = [span_s / seconds if seconds > 0 else 1 / len(parts) for _, span_s in parts]
    proportional = [cost.pss_peak_bytes for cost in costs if cost.pss_peak_bytes is not None]
    return Cost(
        cpu_s=sum(cpu) if is_known else None,
        cpu_percent_mean=100 * sum(cpu) / seconds if is_known else None,
        cpu_percent_peak=max(peaks, default=None) if is_known else None,
        memory_mean_bytes=sum(cost.memory_mean_bytes * weight for cost, weight in zip(costs, weights, strict=True)),
        memory_peak_bytes=max(cost.memory_peak_bytes for cost in costs),
        pss_peak_bytes=max(proportional, default=None),
    )


def _cpu_at(samples: Sequence[Sample], at_ns: int) -> float:
    if at_ns <= samples[0].time_unix_ns:
        return samples[0].cpu_s
    for before, after in pairwise(samples):
        if at_ns <= after.time_unix_ns:
            width = after.time_unix_ns - before.time_unix_ns
            share = (at_ns - before.time_unix_ns) / width if width else 1.0
            return before.cpu_s + share * (after.cpu_s - before.cpu_s)
    return samples[-1].cpu_s


def _rates(samples: Sequence[Sample]) -> list[float]:
    """CPU per cent between neighbours that are far enough apart to divide by."""
    pairs = pairwise(samples)
    return [
        100 * (after.cpu_s - before.cpu_s) / ((after.time_unix_ns - before.time_unix_ns) / 1e9)
        for before, after in pairs
        if after.time_unix_ns - before.time_unix_ns >= 0.5e9 * _SHORTEST_SPAN_S
    ]


def latest_cpu_percent(samples: Sequence[Sample], span_s: float = 1.0) -> dict[str, float]:
    """The CPU of each role, per cent of one core, over at least `span_s` before its last sample."""
    used = {}
    for role in {sample.role for sample in samples[-20:]}:
        own = [sample for sample in samples[-40:] if sample.role == role]
        last = own[-1]
        before = [sample for sample in own if last.time_unix_ns - sample.time_unix_ns >= 0.9e9 * span_s]
        if before:
            seconds = (last.time_unix_ns - before[-1].time_unix_ns) / 1e9
            used[role] = 100 * (last.cpu_s - before[-1].cpu_s) / seconds
    return used
