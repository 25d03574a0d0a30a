"""From a result stream and samples to what was measured. Pure functions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bakeoff.engines import histograms
from bakeoff.engines.stream import Record
from bakeoff.running.result import ROLES, Measured, PhaseResult
from bakeoff.sampling.cost import Cost, cost_between
from bakeoff.sampling.sampler import Sample


def phase_results(records: Sequence[Record], samples: Sequence[Sample]) -> list[PhaseResult]:
    """A result for each phase that the stream brought to its end."""
    begun = {record["phase"]: record for record in records if record["type"] == "phase_start"}
    ended = [record for record in records if record["type"] == "phase_end"]
    return [_phase(begun[record["phase"]], record, samples) for record in ended if record["phase"] in begun]


def total_of(phases: Sequence[PhaseResult], samples: Sequence[Sample]) -> Measured | None:
    """All phases together, or None where there is none. Percentiles come from the merged histogram."""
    if not phases:
        return None
    parts = [phase.measured for phase in phases]
    histogram = histograms.merge(part.histogram for part in parts)
    return Measured(
        duration_s=sum(part.duration_s for part in parts),
        requests=sum(part.requests for part in parts),
        ok=sum(part.ok for part in parts),
        failed=sum(part.failed for part in parts),
        operations=sum(part.operations for part in parts),
        unsent=sum(part.unsent for part in parts),
        errors=_added(part.errors for part in parts),
        bytes_sent=sum(part.bytes_sent for part in parts),
        bytes_received=sum(part.bytes_received for part in parts),
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
        costs=_costs(samples, phases[0].begin_ns, phases[-1].end_ns),
    )


def _phase(begin: Record, end: Record, samples: Sequence[Sample]) -> PhaseResult:
    histogram = histograms.merge([end["response_histogram"] or end["service_histogram"]])
    measured = Measured(
        duration_s=end["duration_ns"] / 1e9,
        requests=end["sent"],
        ok=end["ok"],
        failed=end["failed"],
        operations=end["operations"],
        unsent=end["unsent"],
        errors=end["errors"],
        bytes_sent=end["bytes_sent"],
        bytes_received=end["bytes_received"],
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
        costs=_costs(samples, begin["time_unix_ns"], end["time_unix_ns"]),
    )
    return PhaseResult(
        number=end["phase"] + 1,
        name=begin["name"],
        virtual_users=begin["virtual_users"],
        begin_ns=begin["time_unix_ns"],
        end_ns=end["time_unix_ns"],
        measured=measured,
    )


def _costs(samples: Sequence[Sample], begin_ns: int, end_ns: int) -> dict[str, Cost]:
    costs = {role: cost_between(samples, role, begin_ns, end_ns) for role in ROLES}
    return {role: cost for role, cost in costs.items() if cost is not None}


def _added(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total)
