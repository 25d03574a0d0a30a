"""The phase that `hit` has measured, from its JSON."""

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from bakeoff.reporting.metrics.phases import GRPC, Labels, MeasuredPhase
from bakeoff.results.histograms import merge, summarise
from bakeoff.results.operations import MeasuredOperation
from bakeoff.results.run import Measured

_PORTS = {"http": 80, "https": 443, "grpcs": 443}
_GRPC_FAILURE = "grpc_"


class HitResult(msgspec.Struct, frozen=True, kw_only=True):
    """Members of formats/hit.schema.json."""

    url: str
    method: str
    duration_s: float
    window_s: float | None
    requests: int
    ok: int
    ok_late: int
    failed: int
    unsent: int
    bytes_sent: int
    bytes_received: int
    statuses: Mapping[str, int]
    errors: Mapping[str, int]
    histogram: str | None
    ended_unix_ms: int


def read_hit_result(path: Path) -> HitResult | None:
    """The result in the file; None where the engine has ended without one."""
    content = path.read_bytes() if path.exists() else b""
    return msgspec.json.decode(content, type=HitResult) if content else None


def phase_of_hit(hit: HitResult, machine: str) -> MeasuredPhase:
    """The phase; its source is the server."""
    url = urlsplit(hit.url)
    end_ns = hit.ended_unix_ms * 1_000_000
    return MeasuredPhase(
        source={"target": url.netloc, "machine": machine},
        labels=_labels(hit),
        protocol=GRPC if url.scheme.startswith(GRPC) else "rest",
        begin_ns=end_ns - round(hit.duration_s * 1e9),
        end_ns=end_ns,
        measured=_measured(hit),
    )


def _labels(hit: HitResult) -> Labels:
    url = urlsplit(hit.url)
    port = url.port or _PORTS.get(url.scheme)
    return {
        "url": hit.url,
        "address": url.hostname or "",
        **({} if port is None else {"port": str(port)}),
        **({"rpc_method": url.path.strip("/")} if url.scheme.startswith(GRPC) else {"method": hit.method}),
    }


def _measured(hit: HitResult) -> Measured:
    histogram = hit.histogram or ""
    latency = summarise(merge([histogram]))
    replies = {**hit.statuses, **{_code(kind): count for kind, count in hit.errors.items() if _code(kind)}}
    requests = MeasuredOperation(
        requests=hit.requests,
        ok=hit.ok,
        failed=hit.failed,
        errors=hit.errors,
        statuses={status: count for status, count in replies.items() if count},
        checked=0,
        checks_failed=0,
        latency=latency,
        histogram=histogram,
    )
    return Measured(
        duration_s=hit.duration_s,
        requests=hit.requests,
        ok=hit.ok,
        failed=hit.failed,
        operations=hit.ok,
        unsent=hit.unsent,
        errors=hit.errors,
        bytes_sent=hit.bytes_sent,
        bytes_received=hit.bytes_received,
        latency=latency,
        histogram=histogram,
        costs={},
        by_operation={"": requests},
        window_s=hit.window_s,
        operations_late=hit.ok_late,
    )


def _code(kind: str) -> str:
    """gRPC's status code of a kind of failure; empty for other kinds."""
    return kind.removeprefix(_GRPC_FAILURE) if kind.startswith(_GRPC_FAILURE) else ""
