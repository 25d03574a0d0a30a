"""What a run came to: immutable values that storing, judging and reporting share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Any

from bakeoff.engines.histograms import Latency
from bakeoff.sampling.cost import Cost
from bakeoff.sampling.sampler import Sample

ROLES = ("api", "database", "engine")


class Status(StrEnum):
    """How a run ended. A failed run is data beside the completed ones."""

    COMPLETED = "completed"
    INTERRUPTED = "interrupted"
    FAILED = "failed"
    VOID = "void"


@dataclass(frozen=True)
class Finding:
    """A typed doubt or fact about a run, with advice. `severity` is info, warning or error."""

    kind: str
    severity: str
    message: str
    advice: str


@dataclass(frozen=True)
class Measured:
    """Requests of a span of time: a phase, or all phases together.

    `throughput_per_s` counts operations that were acknowledged; they differ from requests only with batches.
    """

    duration_s: float
    requests: int
    ok: int
    failed: int
    operations: int
    unsent: int
    errors: Mapping[str, int]
    bytes_sent: int
    bytes_received: int
    latency: Latency
    histogram: str
    costs: Mapping[str, Cost]

    @property
    def throughput_per_s(self) -> float:
        return self.operations / self.duration_s if self.duration_s > 0 else 0.0

    @property
    def error_rate(self) -> float:
        return self.failed / self.requests if self.requests else 0.0


@dataclass(frozen=True)
class PhaseResult:
    """One phase and what was measured in it. `begin_ns` and `end_ns` are wall clock, Unix nanoseconds.

    `arrival_rate_per_s` is None in the closed model.
    """

    number: int
    name: str
    virtual_users: int
    begin_ns: int
    end_ns: int
    measured: Measured
    arrival_rate_per_s: float | None = None


@dataclass(frozen=True)
class Second:
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
    """What the names of a run's files begin with; they sort by time."""
    return f"{started_at:%Y%m%dT%H%M%S}.{started_at.microsecond // 1000:03d}-{mode}-{payload}"


@dataclass(frozen=True)
class RunResult:
    """One target × mode × payload on a fresh database.

    `contender` names the target with its settings in its comparison, `factors` are the levels that make it differ, and
    `round` counts from 1. `warm_up`, `database_activity` and `machine_state` tell how long it took until steady, what
    PostgreSQL counted meanwhile, and what the machine was like.
    `audit` is the engine's verdict on what was stored, None where there was no audit. `ceilings` are operations a
    second that this machine's calibrations name: `engine`, and each reference line of the database.
    """

    target: str
    workload: str
    language: str
    protocol: str
    mode: str
    payload: str
    engine: str
    engine_version: str
    settings: Mapping[str, str]
    started_at: datetime
    finished_at: datetime
    status: Status
    failure: str | None
    start_to_healthy_s: float | None
    phases: Sequence[PhaseResult]
    total: Measured | None
    samples: Sequence[Sample]
    findings: Sequence[Finding]
    environment: Mapping[str, str]
    audit: Mapping[str, Any] | None = field(default=None)
    ceilings: Mapping[str, float] = field(default_factory=dict)
    stream_file: Path | None = field(default=None)
    contender: str = ""
    factors: Mapping[str, str] = field(default_factory=dict)
    round: int = 1
    timeline: Sequence[Second] = ()
    warm_up: Mapping[str, Any] | None = None
    database_activity: Mapping[str, Any] | None = None
    machine_state: Mapping[str, Any] | None = None
