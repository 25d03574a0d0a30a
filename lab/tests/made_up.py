"""Measurements, runs and comparisons as no machine made them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any, Literal

import msgspec
from hdrh.histogram import HdrHistogram

from bakeoff.judging.judgement import Level
from bakeoff.judging.levels import level_of
from bakeoff.results import histograms
from bakeoff.results.audit import Audit
from bakeoff.results.cost import Cost, Sample
from bakeoff.results.database_activity import DatabaseActivity
from bakeoff.results.document import Origin
from bakeoff.results.findings import Finding, KindName
from bakeoff.results.machine_state import MachineState
from bakeoff.results.operations import MeasuredOperation, added_operations, summed
from bakeoff.results.run import Measured, PhaseResult, RunResult, Second, Status
from bakeoff.results.warm_up_record import WarmUp
from bakeoff.storage.stored_runs import StoredComparison, StoredRun

_OBSERVED = {
    "audit": Audit,
    "warm_up": WarmUp,
    "database_activity": DatabaseActivity,
    "machine_state": MachineState,
}

BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ORIGIN = Origin(BEGIN, "a name", "events", "quick", "./bakeoff run quick", 3)


@cache
def histogram_of(*latencies_ms: float, times: int = 1) -> str:
    """Encoded, of one request for each latency, or of so many."""
    histogram = HdrHistogram(1, 3_600_000_000_000, 3)
    for latency in latencies_ms:
        histogram.record_value(round(latency * 1e6), times)
    return histograms.encode(histogram)


@cache
def histogram_around(latency_ms: float) -> str:
    """Encoded, of requests that took half to one and a half times as long: a hundred latencies, a thousand of each."""
    return histogram_of(*(latency_ms * (0.5 + number / 100) for number in range(1, 101)), times=1000)


@cache
def latency_of(histogram: str) -> histograms.Latency:
    return histograms.summarise(histograms.merge([histogram]))


def cost(cpu_percent: float, memory_mb: float = 20.0, seconds: float = 10.0) -> Cost:
    return Cost(cpu_percent * seconds / 100, cpu_percent, cpu_percent, memory_mb * 1e6, round(memory_mb * 1e6))


def measured(throughput_per_s: float = 100.0, latency_ms: float = 1.0, failed: int = 0, **changes: Any) -> Measured:
    """Ten seconds of it, unless `duration_s` says otherwise."""
    seconds = changes.pop("duration_s", 10.0)
    histogram = changes.pop("histogram", histogram_around(latency_ms))
    requests = changes.pop("requests", round(throughput_per_s * seconds) + failed)
    values: dict[str, Any] = {
        "duration_s": seconds,
        "requests": requests,
        "ok": requests - failed,
        "failed": failed,
        "operations": requests - failed,
        "unsent": 0,
        "errors": {"timeout": failed} if failed else {},
        "bytes_sent": 500 * requests,
        "bytes_received": 60 * requests,
        "latency": latency_of(histogram),
        "histogram": histogram,
        "costs": {"target": cost(60, seconds=seconds), "database": cost(50, seconds=seconds)},
    }
    return Measured(**{**values, **changes})


def operation(
    ok: int = 500, latency_ms: float = 1.0, errors: Mapping[str, int] | None = None, **changes: Any
) -> MeasuredOperation:
    """Requests of one operation, answered with 200 where they did not fail; none was checked."""
    failed = sum((errors or {}).values())
    histogram = histogram_around(latency_ms)
    values: dict[str, Any] = {
        "requests": ok + failed,
        "ok": ok,
        "failed": failed,
        "errors": errors or {},
        "statuses": {"200": ok} if ok else {},
        "checked": 0,
        "checks_failed": 0,
        "latency": latency_of(histogram),
        "histogram": histogram,
    }
    return MeasuredOperation(**{**values, **changes})


def divided(operations: Mapping[str, MeasuredOperation], **changes: Any) -> Measured:
    """Ten seconds of these operations."""
    requests, failed = (sum(getattr(each, name) for each in operations.values()) for name in ("requests", "failed"))
    errors = summed(each.errors for each in operations.values())
    values = {"requests": requests, "failed": failed, "errors": errors, "by_operation": operations}
    return measured(**{**values, **changes})


def phase(number: int, users: int, part: Measured, rate: float | None = None) -> PhaseResult:
    return PhaseResult(number, f"{users} users", users, 0, round(part.duration_s * 1e9), part, rate)


def level(users: int, *parts: Measured, rate: float | None = None) -> Level:
    """A level of one round for each part."""
    slot = (1, "", users if rate is None else 0, rate)
    return level_of(slot, dict(enumerate(parts, start=1)))


def run_result(target: str = "one", minute: int = 0, total: Measured | None = None, **changes: Any) -> RunResult:
    """A plain completed run of one phase of ten users, begun this many minutes after BEGIN."""
    started_at = BEGIN + timedelta(minutes=minute)
    begin_ns = int(started_at.timestamp()) * 1_000_000_000
    total = total or measured()
    run = RunResult(
        target=target,
        workload="events",
        language="rust",
        protocol="rest",
        mode="quick",
        payload="default",
        engine="native",
        engine_version="1",
        settings={"seed": "1", "connections": "one for each user"},
        started_at=started_at,
        finished_at=started_at + timedelta(seconds=12),
        status=Status.COMPLETED,
        failure=None,
        start_to_healthy_s=0.1,
        phases=[PhaseResult(1, "Baseline", 10, begin_ns, begin_ns + 10_000_000_000, total)],
        total=total,
        samples=[Sample(begin_ns, "target", 0.5, 1_000_000)],
        findings=[Finding(KindName("errors"), "warning", "Some failed.", "Look.")],
        environment={"commit": "0" * 40},
        contender=target,
        timeline=[],
    )
    return replace(run, **typed(changes))


def run_of(
    target: str = "rust-rest",
    throughputs: Sequence[float] = (1000.0,),
    number: int = 1,
    phases: Sequence[PhaseResult] | None = None,
    **changes: Any,
) -> RunResult:
    """The run of a round: one phase for each throughput, at 10, 50, 200, … users, or the phases given.

    The target's name says its language and its protocol.
    """
    language, _, protocol = target.partition("-")
    if phases is None:
        users = (10, 50, 200, 500, 1000, 2000, 4000)
        phases = [phase(index + 1, users[index], measured(each)) for index, each in enumerate(throughputs)]
    values: dict[str, Any] = {
        "language": language,
        "protocol": protocol.partition("-")[0],
        "phases": phases,
        "total": _added([each.measured for each in phases]) if phases else None,
        "samples": [],
        "findings": [],
        "environment": {"cores": "2", "commit": "abc"},
        "round": number,
    }
    return replace(run_result(target, number), **{**values, **typed(changes)})


def typed(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Observations may be given as the document of a file."""
    return {
        name: msgspec.convert(value, _OBSERVED[name]) if isinstance(value, dict) and name in _OBSERVED else value
        for name, value in changes.items()
    }


def comparison_of(*runs: RunResult, **changes: Any) -> StoredComparison:
    values: dict[str, Any] = {
        "id": 7,
        "name": "",
        "workload": "events",
        "mode": "quick",
        "command": "./bakeoff run quick",
        "status": "completed",
        "rounds": max((run.round for run in runs), default=1),
        "started_at": BEGIN,
        "finished_at": BEGIN + timedelta(hours=1),
        "not_measured": {},
        "runs": [StoredRun(index + 1, 7, run) for index, run in enumerate(runs)],
    }
    return StoredComparison(**{**values, **changes})


def rounds_of(target: str, throughputs: Sequence[float], **changes: Any) -> list[RunResult]:
    """One run of one phase for each round."""
    return [run_of(target, (each,), number + 1, **changes) for number, each in enumerate(throughputs)]


def finding(
    kind: str, severity: Literal["info", "warning", "error"] = "warning", message: str = "It was so."
) -> Finding:
    return Finding(KindName(kind), severity, message, "Do this.")


def seconds_of(operations: Sequence[int], phase_number: int = 1) -> list[Second]:
    return [Second(float(at), phase_number, count, 0, 1.0, 2.0) for at, count in enumerate(operations)]


def _added(parts: Sequence[Measured]) -> Measured:
    errors: Mapping[str, int] = {kind: count for part in parts for kind, count in part.errors.items()}
    return measured(
        0.0,
        duration_s=sum(part.duration_s for part in parts),
        requests=sum(part.requests for part in parts),
        failed=sum(part.failed for part in parts),
        bytes_sent=sum(part.bytes_sent for part in parts),
        errors=errors,
        costs=parts[-1].costs,
        histogram=parts[-1].histogram,
        by_operation={
            name: added_operations([part.by_operation[name] for part in parts if name in part.by_operation])
            for name in dict.fromkeys(name for part in parts for name in part.by_operation)
        },
    )
