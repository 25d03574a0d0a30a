"""Drives one URL with the engine, and the engine's null server beside it: how much of the engine that took."""

import signal
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bakeoff.engines.agents import Agents, alone
from bakeoff.engines.manifest import Engine
from bakeoff.engines.stream import PhaseEnd, Record
from bakeoff.errors import BakeoffError
from bakeoff.oneoff.url_request import OneOff
from bakeoff.processes import children, ports
from bakeoff.project import Project
from bakeoff.results import histograms
from bakeoff.targets.access import LOOPBACK, Access
from bakeoff.workload.plan_records import Plan

PERCENTILES = (10.0, 25.0, 50.0, 75.0, 90.0, 95.0, 99.0, 99.9)

# The null server always answers 200.
_NULL_STATUS = 200
_CAPACITY_S = 2.0
_NS_PER_MS = 1e6


@dataclass(frozen=True)
class Hit:
    """What one phase measured. Latencies are milliseconds, in the open model from each request's scheduled instant.

    `statuses` counts replies by status; `errors` what failed without one. `capacity_per_s` is what the engine does
    with the same request against a server that does nothing; None for a URL over TLS, where it was not measured.
    """

    duration_s: float
    requests: int
    ok: int
    failed: int
    unsent: int
    bytes_sent: int
    bytes_received: int
    statuses: Mapping[int, int]
    errors: Mapping[str, int]
    min_ms: float
    mean_ms: float
    max_ms: float
    percentiles_ms: Mapping[str, float]
    send_lag_p99_ms: float | None
    capacity_per_s: float | None
    interrupted: bool
    window_s: float | None = None
    ok_late: int = 0

    @property
    def requests_per_s(self) -> float:
        """Good replies within the planned duration, a second; of all of them where none was planned."""
        if self.window_s:
            return (self.ok - self.ok_late) / self.window_s
        return self.ok / self.duration_s if self.duration_s > 0 else 0.0


def measure(project: Project, engine: Engine, request: OneOff, expect: int, on_record: Callable[[Record], None]) -> Hit:
    """Measures the URL, then the engine alone. Raises BakeoffError where the engine cannot follow the plan."""
    records = _records(project, engine, request.plan(expect), on_record)
    capacity = _capacity_per_s(project, engine, request) if request.access.tls is None else None
    return hit_of(records, expect, capacity)


def hit_of(records: list[Record], expect: int, capacity_per_s: float | None) -> Hit:
    """The last phase of a stream: a warm-up comes before it."""
    ended = [record for record in records if isinstance(record, PhaseEnd)]
    if not ended:
        raise BakeoffError("Interrupted before anything was measured.")
    end = ended[-1]
    latency = histograms.merge([end.latency_histogram])
    figures = histograms.summarise(latency)
    statuses, errors = _split(end.errors)
    return Hit(
        duration_s=end.duration_ns / 1e9,
        requests=end.sent,
        ok=end.ok,
        failed=end.failed,
        unsent=end.unsent,
        bytes_sent=end.bytes_sent,
        bytes_received=end.bytes_received,
        statuses=dict(sorted({expect: end.ok, **statuses}.items())),
        errors=errors,
        min_ms=figures.min_ms,
        mean_ms=figures.mean_ms,
        max_ms=figures.max_ms,
        percentiles_ms={f"p{each:g}": latency.get_value_at_percentile(each) / _NS_PER_MS for each in PERCENTILES},
        send_lag_p99_ms=_p99_ms(end.send_lag_histogram),
        capacity_per_s=capacity_per_s,
        interrupted=end.interrupted,
        window_s=None if end.planned_ns is None else end.planned_ns / 1e9,
        ok_late=end.operations_late or 0,
    )


def _split(errors: Mapping[str, int]) -> tuple[dict[int, int], dict[str, int]]:
    """Error kinds that are replies of another status, and the others."""
    statuses = {
        int(kind.removeprefix("status_")): count for kind, count in errors.items() if kind.startswith("status_")
    }
    return statuses, {kind: count for kind, count in errors.items() if not kind.startswith("status_")}


def _p99_ms(histogram: str | None) -> float | None:
    if not histogram:
        return None
    value: int = histograms.merge([histogram]).get_value_at_percentile(99.0)
    return value / _NS_PER_MS


def _capacity_per_s(project: Project, engine: Engine, request: OneOff) -> float | None:
    """Requests a second that the engine sends to a server that does nothing; None where it has no such server."""
    if engine.manifest.null is None:
        return None
    port = ports.free_port()
    log = project.logs / "null-server.log"
    server = children.start(engine.null_command(port), log=log)
    try:
        children.wait_until_listening(server, port, log)
        plan = request.plan(_NULL_STATUS, Access(LOOPBACK, port), _CAPACITY_S)
        records = _records(project, engine, plan, lambda _record: None)
    finally:
        children.stop(server, signal.SIGTERM, timeout_s=5)
    end = next(record for record in records if isinstance(record, PhaseEnd))
    rate: float = end.ok / (end.duration_ns / 1e9)
    return rate or None


def _records(project: Project, engine: Engine, plan: Plan, on_record: Callable[[Record], None]) -> list[Record]:
    with tempfile.TemporaryDirectory(prefix="bakeoff-hit-") as folder:
        process = alone(
            engine,
            plan,
            Path(folder) / "plan.json",
            Path(folder) / "stream.jsonl",
            project.logs / f"engine-{engine.name}.log",
            project.contract / "schemas" / "stream.schema.json",
        )
        with process:
            return _read(process, on_record)


def _read(process: Agents, on_record: Callable[[Record], Any]) -> list[Record]:
    """The stream to its end; Ctrl-C ends the phase, and what was measured until then counts."""
    previous = signal.signal(signal.SIGINT, lambda *_: process.interrupt())
    try:
        return process.records(on_record)
    finally:
        signal.signal(signal.SIGINT, previous)
