"""From the runs of a contender to estimates of each phase. Pure functions."""

from collections.abc import Mapping, Sequence

from bakeoff.judging.estimates import estimate, estimate_of_known, estimate_of_latency
from bakeoff.judging.judgement import (
    ALL_PHASES,
    CostEstimate,
    Estimate,
    GaugeEstimate,
    Level,
    OperationLevel,
)
from bakeoff.results import histograms
from bakeoff.results.cost import Cost, cpu_us_each
from bakeoff.results.histograms import LATENCIES, Latency, is_known
from bakeoff.results.operations import summed
from bakeoff.results.run import ROLES, Measured, PhaseResult, RunResult

Slot = tuple[int, str, int, float | None]
_UNKNOWN: Mapping[str, str] = {}
_MB_PER_MIB = 2**20 / 1e6


def phases_by_slot(counted: Mapping[int, RunResult]) -> dict[Slot, dict[int, Measured]]:
    """The measurements of each phase, by round. A phase that a round lacks is missing there."""
    slots: dict[Slot, dict[int, Measured]] = {}
    for number, run in counted.items():
        for phase in run.phases:
            slots.setdefault(_slot(phase), {})[number] = phase.measured
    return dict(sorted(slots.items(), key=lambda item: item[0][0]))


def level_of(slot: Slot, by_round: Mapping[int, Measured], environment: Mapping[str, str] = _UNKNOWN) -> Level:
    """A phase over all rounds that have it; `environment` knows the limits of memory."""
    _, name, users, rate = slot
    parts = list(by_round.values())
    return _level(name, users, rate, parts, _merged([part.histogram for part in parts]), environment)


def total_of(counted: Mapping[int, RunResult], levels: Sequence[Level], environment: Mapping[str, str]) -> Level | None:
    """All phases together, or None where no round counts."""
    parts = [run.total for run in counted.values() if run.total is not None]
    if not parts:
        return None
    # The phases' histograms hold the same latencies and are fewer, being merged already.
    encoded = [level.histogram for level in levels] or [part.histogram for part in parts]
    return _level(ALL_PHASES, 0, None, parts, _merged(encoded), environment)


def throughput_by_round(by_round: Mapping[int, Measured]) -> dict[int, float]:
    """Operations a second, by round."""
    return {number: part.throughput_per_s for number, part in by_round.items()}


def _slot(phase: PhaseResult) -> Slot:
    users = phase.virtual_users if phase.arrival_rate_per_s is None else 0
    return phase.number, phase.name, users, phase.arrival_rate_per_s


def _level(
    name: str,
    users: int,
    rate: float | None,
    parts: Sequence[Measured],
    histogram: str,
    environment: Mapping[str, str],
) -> Level:
    limits = {role: memory_limit_mb(role, environment) for role in ROLES}
    costs = {role: _cost([(part.costs.get(role), part.operations) for part in parts], limits[role]) for role in ROLES}
    names = dict.fromkeys(name for part in parts for name in part.by_operation)
    return Level(
        name=name,
        virtual_users=users,
        arrival_rate_per_s=rate,
        duration_s=sum(part.duration_s for part in parts),
        requests=sum(part.requests for part in parts),
        failed=sum(part.failed for part in parts),
        unsent=sum(part.unsent for part in parts),
        throughput_per_s=estimate(part.throughput_per_s for part in parts),
        error_rate=estimate(part.error_rate for part in parts),
        latency_ms=latencies_ms([part.latency for part in parts]),
        histogram=histogram,
        costs={role: cost for role, cost in costs.items() if cost is not None},
        errors=summed(part.errors for part in parts),
        estimated_failed=sum(part.estimated_failed for part in parts),
        sent_bytes_per_s=estimate(part.sent_bytes_per_s for part in parts),
        received_bytes_per_s=estimate(part.received_bytes_per_s for part in parts),
        operations={name: _operation(name, parts) for name in names},
        processes=_processes(parts, limits["target"]),
        gauges=_gauges(parts),
    )


def _operation(name: str, parts: Sequence[Measured]) -> OperationLevel:
    """An operation in the rounds that have it."""
    with_it = [part for part in parts if name in part.by_operation]
    own = [part.by_operation[name] for part in with_it]
    return OperationLevel(
        requests=sum(each.requests for each in own),
        failed=sum(each.failed for each in own),
        checked=sum(each.checked for each in own),
        checks_failed=sum(each.checks_failed for each in own),
        errors=summed(each.errors for each in own),
        statuses=summed(each.statuses for each in own),
        throughput_per_s=estimate(part.operation_throughput_per_s(name) for part in with_it),
        error_rate=estimate(each.error_rate for each in own),
        latency_ms=latencies_ms([each.latency for each in own]),
    )


def _merged(encoded: Sequence[str]) -> str:
    """All in one; a single one, as each run by itself has, is not decoded and encoded again."""
    return encoded[0] if len(encoded) == 1 else histograms.encode(histograms.merge(encoded))


def latencies_ms(parts: Sequence[Latency], names: Sequence[str] = LATENCIES) -> dict[str, Estimate]:
    """The figures over rounds that the samples of all rounds together are enough for."""
    count = sum(part.count for part in parts)
    known = [name for name in names if is_known(name, count)]
    return {name: estimate_of_latency(part.by_name[name] for part in parts) for name in known}


def _processes(parts: Sequence[Measured], limit_mb: float | None) -> dict[str, CostEstimate]:
    """Each process of a target of several, in the rounds that have it."""
    names = dict.fromkeys(name for part in parts for name in part.processes)
    costs = {name: _cost([(part.processes.get(name), part.operations) for part in parts], limit_mb) for name in names}
    return {name: cost for name, cost in costs.items() if cost is not None}


def _gauges(parts: Sequence[Measured]) -> dict[str, GaugeEstimate]:
    """Each gauge, in the rounds that have it."""
    names = dict.fromkeys(name for part in parts for name in part.gauges)
    seen = {name: [part.gauges[name] for part in parts if name in part.gauges] for name in names}
    return {
        name: GaugeEstimate(
            unit=own[0].unit,
            mean=estimate(gauge.mean for gauge in own),
            maximum=estimate(gauge.maximum for gauge in own),
        )
        for name, own in seen.items()
    }


def _cost(parts: Sequence[tuple[Cost | None, int]], limit_mb: float | None) -> CostEstimate | None:
    """Of costs with the operations of the same span, those that were sampled."""
    sampled = [(cost, operations) for cost, operations in parts if cost is not None]
    if not sampled:
        return None
    return CostEstimate(
        cpu_us_each=estimate_of_known(cpu_us_each(cost, operations) for cost, operations in sampled),
        cpu_percent_mean=estimate_of_known(cost.cpu_percent_mean for cost, _ in sampled),
        cpu_percent_peak=estimate_of_known(cost.cpu_percent_peak for cost, _ in sampled),
        memory_mean_mb=estimate(cost.memory_mean_bytes / 1e6 for cost, _ in sampled),
        memory_peak_mb=estimate(cost.memory_peak_bytes / 1e6 for cost, _ in sampled),
        pss_peak_mb=estimate_of_known(
            None if cost.pss_peak_bytes is None else cost.pss_peak_bytes / 1e6 for cost, _ in sampled
        ),
        memory_limit_mb=limit_mb,
    )


def memory_limit_mb(role: str, environment: Mapping[str, str]) -> float | None:
    """The limit of a role where one is set, else the memory of the machine; None where a run's record has neither."""
    for fact in (f"{role}_memory_limit_mib", "memory_mib"):
        try:
            limit_mb = float(environment[fact]) * _MB_PER_MIB
        except (KeyError, ValueError):
            continue
        if limit_mb > 0:
            return limit_mb
    return None
