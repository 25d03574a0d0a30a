"""Summarises the stream and the samples of a run: phases, timeline and settling. Pure functions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TypeVar

from bakeoff.engines.stream import EngineSecond, Outcomes, PhaseEnd, PhaseStart, Record
from bakeoff.results import histograms
from bakeoff.results.cost import Cost, Gauge, Sample
from bakeoff.results.operations import MeasuredOperation, added_operations, summed
from bakeoff.results.run import ROLES, Measured, PhaseResult, Second
from bakeoff.results.warm_up_record import ColdStart, Settled, WarmUp
from bakeoff.running import warm_up
from bakeoff.running.modes import Phase
from bakeoff.running.phase_plan import PlannedStep
from bakeoff.sampling.cost import cost_between, cost_of_spans
from bakeoff.sampling.gauges import GaugeReadings, gauge_between, gauge_of_spans

_SECOND_NS = 1_000_000_000
# Members that a phase's record, its figures and those of an operation have in common, by name.
_COUNTS = ("ok", "failed", "operations", "unsent", "bytes_sent", "bytes_received")
_ADDED = ("duration_s", "requests", *_COUNTS, "operations_late")
_OF_OPERATION = ("ok", "failed", "errors", "statuses", "checked", "checks_failed", "failed_check", "failed_reply")
_OfProcesses = Mapping[str, Sequence[Sample]]
_OfGauges = Mapping[str, GaugeReadings]
_Part = TypeVar("_Part", Cost, Gauge)


def phase_results(
    records: Sequence[Record],
    samples: Sequence[Sample],
    planned: Sequence[Phase] = (),
    processes: _OfProcesses = MappingProxyType({}),
    gauges: _OfGauges = MappingProxyType({}),
) -> list[PhaseResult]:
    """A result for each phase that the stream brought to its end, by number; `planned` holds arrival rates.

    `processes` are samples of each process of a target of several, and `gauges` readings of what it shows, by name.
    """
    begun = {record.phase: record for record in records if isinstance(record, PhaseStart)}
    ended = [record for record in records if isinstance(record, PhaseEnd)]
    rates = {number: phase.rate_per_s for number, phase in enumerate(planned)}
    return [
        _phase(begun[record.phase], record, samples, rates.get(record.phase), processes, gauges)
        for record in sorted(ended, key=lambda record: record.phase)
        if record.phase in begun
    ]


def timeline_of(records: Sequence[Record]) -> list[Second]:
    """Each whole second of each phase, as the engine reported it, in the order of time."""
    begun = {record.phase: record.time_unix_ns for record in records if isinstance(record, PhaseStart)}
    origin_ns = min(begun.values(), default=0)
    seconds = [_second(record, (begun[record.phase] - origin_ns) / 1e9) for record in _whole_seconds(records)]
    return sorted(seconds, key=lambda second: second.at_s)


def operations_per_second(records: Sequence[Record], phase: int) -> list[int]:
    """Operations acknowledged in each whole second of a phase; `phase` is its index in the plan."""
    return [record.operations for record in _whole_seconds(records) if record.phase == phase]


def _whole_seconds(records: Sequence[Record]) -> list[EngineSecond]:
    """Seconds in order, without the one that the end of its phase cut short: it would look like a collapse."""
    lasted_ns = {record.phase: record.duration_ns for record in records if isinstance(record, PhaseEnd)}
    seconds = [
        record
        for record in records
        if isinstance(record, EngineSecond) and (record.second + 1) * _SECOND_NS <= lasted_ns.get(record.phase, 0)
    ]
    return sorted(seconds, key=lambda record: (record.phase, record.second))


def total_of(phases: Sequence[PhaseResult]) -> Measured | None:
    """All phases together, or None where there is none. Percentiles come from the merged histogram."""
    if not phases:
        return None
    parts = [phase.measured for phase in phases]
    histogram = histograms.merge(part.histogram for part in parts)
    known = [part.window_s for part in parts if part.window_s is not None]
    names = dict.fromkeys(name for part in parts for name in part.by_operation)
    return Measured(
        **{name: sum(getattr(part, name) for part in parts) for name in _ADDED},
        errors=summed(part.errors for part in parts),
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
        costs=_over_phases([part.costs for part in parts], phases, cost_of_spans),
        window_s=sum(known) if len(known) == len(parts) else None,
        by_operation={
            name: added_operations([part.by_operation[name] for part in parts if name in part.by_operation])
            for name in names
        },
        processes=_over_phases([part.processes for part in parts], phases, cost_of_spans),
        gauges=_over_phases([part.gauges for part in parts], phases, gauge_of_spans),
    )


def _second(record: EngineSecond, phase_began_s: float) -> Second:
    latency = histograms.summarise(histograms.merge([record.latency_histogram]))
    answered = latency.count > 0
    return Second(
        at_s=phase_began_s + record.second,
        phase=record.phase + 1,
        operations=record.operations,
        failed=record.failed,
        p50_ms=latency.percentiles_ms["p50"] if answered else None,
        p99_ms=latency.percentiles_ms["p99"] if answered else None,
    )


def _phase(
    begin: PhaseStart,
    end: PhaseEnd,
    samples: Sequence[Sample],
    rate_per_s: float | None,
    processes: _OfProcesses,
    gauges: _OfGauges,
) -> PhaseResult:
    histogram = histograms.merge([end.latency_histogram])
    # The record is written later, after the last timeout.
    end_ns = begin.time_unix_ns + end.duration_ns
    span = (begin.time_unix_ns, end_ns)
    measured = Measured(
        duration_s=end.duration_ns / 1e9,
        requests=end.sent,
        **{name: getattr(end, name) for name in (*_COUNTS, "errors")},
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
        costs=_known({role: cost_between(samples, role, *span) for role in ROLES}),
        by_operation={name: _operation(outcomes) for name, outcomes in end.by_operation.items()},
        window_s=None if end.planned_ns is None else end.planned_ns / 1e9,
        operations_late=end.operations_late,
        processes=_known({name: cost_between(each, "target", *span) for name, each in processes.items()}),
        gauges=_known({name: gauge_between(each, *span) for name, each in gauges.items()}),
    )
    return PhaseResult(
        number=end.phase + 1,
        name=begin.name,
        virtual_users=begin.virtual_users,
        begin_ns=begin.time_unix_ns,
        end_ns=end_ns,
        measured=measured,
        arrival_rate_per_s=rate_per_s,
    )


def _operation(outcomes: Outcomes) -> MeasuredOperation:
    histogram = histograms.merge([outcomes.response_histogram or outcomes.service_histogram])
    return MeasuredOperation(
        requests=outcomes.sent,
        **{name: getattr(outcomes, name) for name in _OF_OPERATION},
        latency=histograms.summarise(histogram),
        histogram=histograms.encode(histogram),
    )


def _known(parts: Mapping[str, _Part | None]) -> dict[str, _Part]:
    return {name: part for name, part in parts.items() if part is not None}


def _over_phases(
    parts: Sequence[Mapping[str, _Part]],
    phases: Sequence[PhaseResult],
    together: Callable[[Sequence[tuple[_Part, float]]], _Part],
) -> dict[str, _Part]:
    """The phases alone, by name: what was used or shown between them, while levels settled, is in no figure."""
    lengths_s = [(phase.end_ns - phase.begin_ns) / 1e9 for phase in phases]
    names = dict.fromkeys(name for each in parts for name in each)
    return {
        name: together([(each[name], length) for each, length in zip(parts, lengths_s, strict=True) if name in each])
        for name in names
    }


def settled_in(records: Sequence[Record], steps: Sequence[PlannedStep], stated_s: float = 0.0) -> WarmUp | None:
    """The record of a run's settling, or None where there was none or the first did not come to its end.

    Of a target that states how long it warms up there is a record in any case.
    """
    ended = {record.phase: record for record in records if isinstance(record, PhaseEnd)}
    cold: ColdStart | None = None
    levels: list[Settled] = []
    for index, step in enumerate(steps):
        if not step.settles or index not in ended:
            continue
        operations = operations_per_second(records, index)
        if step.phase.name == warm_up.COLD_START:
            cold = warm_up.cold_start(ended[index], operations)
        else:
            assert step.phase.duration_s is not None
            levels.append(warm_up.settled(step.level + 1, step.phase.duration_s, ended[index], operations))
    if not levels:
        return WarmUp(stated_s=stated_s) if stated_s else None
    first, *later = levels
    if cold is not None and first.steady:
        # Counted from the first request of the process; it may have been steady before the cold start was over.
        whole = warm_up.steady_after([*cold.operations_per_s, *first.operations_per_s])
        first = replace(first, steady_after_s=whole)
    return WarmUp(**vars(first), rule=warm_up.RULE, later=later, cold_start=cold, stated_s=stated_s)
