"""Measured phases with the figures of each, in the form that both outputs share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bakeoff.results.run import Measured, PhaseResult, RunResult

Labels = Mapping[str, str]

GRPC = "grpc"


@dataclass(frozen=True)
class Family:
    """Figures of one meaning. `unit` is UCUM's, as OpenTelemetry writes it; a counter only grows, others are gauges."""

    name: str
    unit: str
    help: str
    is_counter: bool = True


REQUESTS = Family("requests", "{request}", "Requests sent.")
GOOD = Family("good", "{request}", "Requests with a good reply.")
REPLIES = Family("replies", "{reply}", "Replies by status, expected or not.")
FAILURES = Family("failures", "{request}", "Failed requests by kind.")
UNSENT = Family("unsent", "{request}", "Requests that were due and never sent.")
OPERATIONS = Family("operations", "{operation}", "Operations acknowledged; a batch has several.")
SENT = Family("sent", "By", "Bytes sent.")
RECEIVED = Family("received", "By", "Bytes received.")
DURATION = Family("duration", "s", "Duration of the phase, to its last reply.", is_counter=False)
THROUGHPUT = Family(
    "operations_per_second", "{operation}/s", "Operations acknowledged within the planned duration.", is_counter=False
)
ERRORS = Family("error_ratio", "1", "Failed requests among all.", is_counter=False)
TARGET_CPU = Family("target_cpu_per_operation", "s", "CPU time of the target for an operation.", is_counter=False)
TARGET_MEMORY = Family("target_memory_peak", "By", "Largest memory of the target.", is_counter=False)

FAMILIES = (
    *(REQUESTS, GOOD, REPLIES, FAILURES, UNSENT, OPERATIONS, SENT, RECEIVED),
    *(DURATION, THROUGHPUT, ERRORS, TARGET_CPU, TARGET_MEMORY),
)
# Labels of single figures, beside those of their phase.
STATUS, KIND = "status", "kind"


@dataclass(frozen=True)
class MeasuredPhase:
    """One phase. `source` describes what was measured, and `labels` distinguish its series from others of the source.

    `begin_ns` and `end_ns` are wall clock, Unix nanoseconds.
    """

    source: Labels
    labels: Labels
    protocol: str
    begin_ns: int
    end_ns: int
    measured: Measured

    def figures(self, family: Family) -> Sequence[tuple[Labels, float]]:
        """The values of a family, each with its own labels; none where the figure does not exist."""
        return [(labels, value) for labels, value in _figures(self.measured, family) if value is not None]

    @property
    def histograms(self) -> Mapping[str, str]:
        """Encoded latencies by operation; the name "" stands for all requests where nothing divides them."""
        divided = {name: each.histogram for name, each in self.measured.by_operation.items()}
        return divided or {"": self.measured.histogram}


def phases_of(runs: Iterable[RunResult], comparison: str) -> list[MeasuredPhase]:
    """Every phase of the runs; of two with the same labels, such as those of a repeated run, the later."""
    found = [_phase_of(run, phase, comparison) for run in runs for phase in run.phases]
    latest = {(*each.source.items(), *_place(each.labels)): each for each in found}
    return list(latest.values())


def _place(labels: Labels) -> Iterator[tuple[str, str]]:
    """The labels that name a phase; how its run ended does not."""
    return ((name, value) for name, value in labels.items() if name != "result")


def _phase_of(run: RunResult, phase: PhaseResult, comparison: str) -> MeasuredPhase:
    source = {
        "target": run.target,
        "comparison": comparison,
        "commit": run.environment.get("commit", ""),
        "machine": run.machine,
    }
    labels = {
        "workload": run.workload,
        "contender": run.name,
        "mode": run.mode,
        "level": phase.level,
        "phase": str(phase.number),
        "round": str(run.round),
        "result": run.status.value,
    }
    return MeasuredPhase(
        {name: value for name, value in source.items() if value},
        labels,
        run.protocol,
        phase.begin_ns,
        phase.end_ns,
        phase.measured,
    )


def _figures(measured: Measured, family: Family) -> Iterator[tuple[Labels, float | None]]:
    if family == REPLIES:
        yield from (({STATUS: status}, count) for status, count in measured.statuses.items())
    elif family == FAILURES:
        yield from (({KIND: kind}, count) for kind, count in sorted(measured.errors.items()))
    else:
        yield {}, _single(measured)[family]


def _single(measured: Measured) -> Mapping[Family, float | None]:
    cpu_us, memory_mb = measured.target_cpu_us_each, measured.target_memory_peak_mb
    return {
        REQUESTS: measured.requests,
        GOOD: measured.ok,
        UNSENT: measured.unsent,
        OPERATIONS: measured.operations,
        SENT: measured.bytes_sent,
        RECEIVED: measured.bytes_received,
        DURATION: measured.duration_s,
        THROUGHPUT: measured.throughput_per_s,
        ERRORS: measured.error_rate,
        TARGET_CPU: None if cpu_us is None else cpu_us / 1e6,
        TARGET_MEMORY: None if memory_mb is None else memory_mb * 1e6,
    }
