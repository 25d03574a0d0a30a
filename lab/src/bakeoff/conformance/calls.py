"""Where a workload takes each call of its cases."""

from bakeoff.conformance.case import Call
from bakeoff.errors import BakeoffError
from bakeoff.workload.declaration import GrpcBatch, GrpcCall, GrpcStream, HttpBatch, HttpCall, HttpHealth
from bakeoff.workload.loader import Workload

HttpTable = HttpCall | HttpBatch | HttpHealth


def http_table(workload: Workload, call: Call) -> HttpTable:
    """The `http` table of a call in workload.toml; a single message goes where the first operation goes."""
    declared = workload.declared
    table: HttpTable | None = None
    match call:
        case Call.SINGLE:
            table = declared.operations[0].http
        case Call.BATCH:
            table = declared.batch.http
        case Call.HEALTH:
            table = declared.health.http
    if table is None:
        raise _missing(workload, call, "http")
    return table


def grpc_method(workload: Workload, call: Call) -> str:
    """The method of a call in workload.toml."""
    declared = workload.declared
    table: GrpcCall | GrpcBatch | GrpcStream | None = None
    match call:
        case Call.SINGLE:
            table = declared.operations[0].grpc
        case Call.BATCH:
            table = declared.batch.grpc
        case Call.STREAM:
            table = declared.stream.grpc
    if table is None:
        raise _missing(workload, call, "grpc")
    return table.method


def grpc_batch(workload: Workload) -> GrpcBatch:
    """How gRPC carries many messages at once."""
    table = workload.declared.batch.grpc
    if table is None:
        raise _missing(workload, Call.BATCH, "grpc")
    return table


def grpc_service(workload: Workload) -> str:
    """The service whose health is asked for."""
    table = workload.declared.health.grpc
    if table is None:
        raise _missing(workload, Call.HEALTH, "grpc")
    return table.service


def first_of(call: HttpCall | HttpBatch | HttpHealth | GrpcCall) -> int | str:
    """The expected status of those that are accepted."""
    return call.expect if isinstance(call.expect, str | int) else call.expect[0]


def _missing(workload: Workload, call: Call, protocol: str) -> BakeoffError:
    return BakeoffError(f"{workload.name}: a case makes a {call} call, but workload.toml has no {protocol} for it.")
