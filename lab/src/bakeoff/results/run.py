"""The result of a run: immutable values that storing, judging and reporting share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import msgspec

from bakeoff.results.audit import Audit
from bakeoff.results.cost import Cost, Gauge, Sample, cpu_us_each
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.findings import Finding
from bakeoff.results.histograms import Latency
from bakeoff.results.machine_state import MachineState
from bakeoff.results.operations import Count, MeasuredOperation, summed
from bakeoff.results.warm_up_record import WarmUp

Number = Annotated[int, msgspec.Meta(ge=1)]
Text = Annotated[str, msgspec.Meta(min_length=1)]
Moment = Annotated[datetime, msgspec.Meta(tz=True)]

ROLES = ("target", "database", "engine")

HOSTILE_CONNECTIONS = "target_hostile_connections"
"""The fact, of a run's environment, how its target held under hostile connections when it was last tried."""


class Status(StrEnum):
    """How a run ended. A failed run is data beside the completed ones."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    VOID = "void"


class Durability(StrEnum):
    """Whether acknowledged writes survive a crash, as far as known. Runs that differ in it are never ranked together.

    Proven: PostgreSQL was crashed under the contender's load, and nothing was lost. Declared: settings, tables and
    flushes say so, or the target's manifest does of a store that is not PostgreSQL. None promised: the contender stores
    in memory, or nothing.
    """

    PROVEN = "proven"
    DECLARED = "declared"
    NOT_DURABLE = "not durable"
    NONE_PROMISED = "none promised"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class Measured:
    """Requests of a span of time: a phase, or all phases together.

    `throughput_per_s` counts operations that were acknowledged; they differ from requests only with batches. Late
    replies count for latency alone: `window_s` is the planned duration, and `operations_late` were acknowledged after
    it. Without a planned end `window_s` is None, and all operations count.
    `by_operation` divides the requests among the workload's operations; empty where the engine did not.
    `processes` divides the cost of a target of several processes among them, by name; empty where it is one. `gauges`
    are what its processes showed of themselves, by the labels of its manifest.
    """

    duration_s: Annotated[float, msgspec.Meta(ge=0)]
    requests: Count
    ok: Count
    failed: Count
    operations: Count
    unsent: Count
    errors: Mapping[str, Count]
    bytes_sent: Count
    bytes_received: Count
    latency: Latency
    histogram: str
    costs: Mapping[str, Cost]
    by_operation: Mapping[str, MeasuredOperation] = field(default_factory=dict)
    window_s: Annotated[float, msgspec.Meta(ge=0)] | None = None
    operations_late: Count = 0
    processes: Mapping[str, Cost] = field(default_factory=dict)
    gauges: Mapping[str, Gauge] = field(default_factory=dict)

    @property
    def throughput_per_s(self) -> float:
        in_time = self.operations - (0 if self.window_s is None else self.operations_late)
        return in_time / self.planned_s if self.planned_s > 0 else 0.0

    @property
    def planned_s(self) -> float:
        """How long it was planned to last; without a planned end, how long it lasted."""
        return self.duration_s if self.window_s is None else self.window_s

    @property
    def estimated_failed(self) -> float:
        """Failed requests, and replies that were not checked and are wrong as often as the checked ones."""
        unseen = sum(each.estimated_failed - each.failed for each in self.by_operation.values())
        return self.failed + unseen

    @property
    def error_rate(self) -> float:
        return self.estimated_failed / self.requests if self.requests else 0.0

    @property
    def sent_bytes_per_s(self) -> float:
        return self.bytes_sent / self.duration_s if self.duration_s > 0 else 0.0

    @property
    def received_bytes_per_s(self) -> float:
        return self.bytes_received / self.duration_s if self.duration_s > 0 else 0.0

    @property
    def target_cpu_us_each(self) -> float | None:
        return cpu_us_each(self.costs.get("target"), self.operations)

    @property
    def database_cpu_us_each(self) -> float | None:
        return cpu_us_each(self.costs.get("database"), self.operations)

    @property
    def target_memory_peak_mb(self) -> float | None:
        own = self.costs.get("target")
        return None if own is None else own.memory_peak_bytes / 1e6

    @property
    def statuses(self) -> dict[str, int]:
        """Replies by status, of all operations."""
        return dict(sorted(summed(each.statuses for each in self.by_operation.values()).items()))

    def operation_throughput_per_s(self, name: str) -> float:
        """Requests of one operation that succeeded, a second."""
        return self.by_operation[name].ok / self.duration_s if self.duration_s > 0 else 0.0


@dataclass(frozen=True)
class PhaseResult:
    """One phase and what was measured in it. `begin_ns` and `end_ns` are wall clock, Unix nanoseconds.

    `arrival_rate_per_s` is None in the closed model.
    """

    number: Number
    name: str
    virtual_users: Count
    begin_ns: int
    end_ns: int
    measured: Measured
    arrival_rate_per_s: float | None = None

    @property
    def load(self) -> str:
        """For people: `50 users` or `5,000/s`."""
        return load_in_words(self.virtual_users, self.arrival_rate_per_s)

    @property
    def level(self) -> str:
        """As series of runs name it: `50` or `5000/s`."""
        rate = self.arrival_rate_per_s
        return str(self.virtual_users) if rate is None else f"{rate:.10g}/s"


def load_in_words(users: int, rate_per_s: float | None) -> str:
    """`1 user`, `2,000 users`, `5,000/s`."""
    return f"{users:,} user{'' if users == 1 else 's'}" if rate_per_s is None else f"{rate_per_s:,.10g}/s"


class Second(msgspec.Struct, frozen=True, array_like=True):
    """One second of a run: operations acknowledged and requests failed in it, latencies in ms of what it answered.

    `at_s` counts from the begin of the first phase. Latencies are None in a second that answered nothing.
    """

    at_s: float
    phase: int
    operations: int
    failed: int
    p50_ms: float | None
    p99_ms: float | None


def file_stem(started_at: datetime, mode: str, payload: str) -> str:
    """The prefix of the names of a run's files; they sort by time."""
    return f"{started_at:%Y%m%dT%H%M%S}.{started_at.microsecond // 1000:03d}-{mode}-{payload}"


@dataclass(frozen=True)
class RunResult:
    """One target × mode × payload on a fresh database.

    `contender` names the target with its settings in its comparison, `factors` are the levels that make it differ, and
    `round` counts from 1. `warm_up`, `database_activity` and `machine_state` show how long it took until steady, what
    PostgreSQL counted meanwhile, and the machine's conditions.
    `audit` is the engine's verdict on what was stored, None where there was no audit. `ceilings` are operations a
    second that this machine's calibrations name: `engine`, and each reference line of the database.
    `target_class` is standard or tuned, and `contract_profile` the profile that the target proved before; empty where
    that is not known. `checks` is the fraction of replies whose content is checked, by operation. `workload_digest`
    changes with what is sent and stored, `vectors_digest` with the conformance cases.
    """

    target: Text
    workload: Text
    language: str
    protocol: str
    mode: Text
    payload: Text
    engine: str
    engine_version: str
    settings: Mapping[str, str]
    started_at: Moment
    finished_at: Moment
    status: Status
    failure: str | None
    start_to_healthy_s: float | None
    phases: Sequence[PhaseResult]
    total: Measured | None
    samples: Sequence[Sample]
    findings: Sequence[Finding]
    environment: Mapping[str, str]
    audit: Audit | None = None
    ceilings: Mapping[str, float] = field(default_factory=dict)
    stream_file: Path | None = None
    contender: str = ""
    factors: Mapping[str, str] = field(default_factory=dict)
    round: Number = 1
    timeline: Sequence[Second] = ()
    warm_up: WarmUp | None = None
    database_activity: DatabaseActivity | None = None
    machine_state: MachineState | None = None
    target_class: Text = "standard"
    contract_profile: str = ""
    durability: Durability = Durability.UNKNOWN
    checks: Mapping[str, float] = field(default_factory=dict)
    workload_digest: str = ""
    vectors_digest: str = ""

    @property
    def name(self) -> str:
        """The contender, of a run that was made alone the target."""
        return self.contender or self.target

    @property
    def load(self) -> str | None:
        """The levels of its phases; None where it has none."""
        return ",".join(phase.level for phase in self.phases) or None

    @property
    def best_phase(self) -> PhaseResult | None:
        """The phase with the highest throughput, the first of equals."""
        return max(self.phases, key=lambda phase: phase.measured.throughput_per_s, default=None)

    @property
    def machine(self) -> str:
        """The machine that it was measured on, as far as its environment names it."""
        return f"{self.environment.get('cpu', 'unknown')} × {self.environment.get('cores', '?')}"
