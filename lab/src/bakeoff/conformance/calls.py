"""The tables of workload.toml that declare each call of a case."""

from typing import NoReturn

from bakeoff.conformance.case import Call
from bakeoff.errors import BakeoffError
from bakeoff.workload.declaration import GrpcBatch, GrpcCall, GrpcHealth, GrpcStream, HttpBatch, HttpCall, HttpHealth
from bakeoff.workload.loader import Workload

HttpTable = HttpCall | HttpBatch | HttpHealth
GrpcTable = GrpcCall | GrpcBatch | GrpcStream | GrpcHealth


def http_table(workload: Workload, call: Call) -> HttpTable:
    """The `http` table of a call; a single message is sent by the first operation."""
    declared = workload.declared
    tables: dict[Call, HttpTable | None] = {
        Call.SINGLE: declared.operations[0].http,
        Call.BATCH: declared.batch.http,
        Call.HEALTH: declared.health.http,
    }
    return tables.get(call) or _missing(workload, call, "http")


def grpc_table(workload: Workload, call: Call) -> GrpcTable:
    declared = workload.declared
    tables: dict[Call, GrpcTable | None] = {
        Call.SINGLE: declared.operations[0].grpc,
        Call.BATCH: declared.batch.grpc,
        Call.STREAM: declared.stream.grpc,
        Call.HEALTH: declared.health.grpc,
    }
    return tables.get(call) or _missing(workload, call, "grpc")


def first_of(call: HttpTable | GrpcCall) -> int | str:
    """The first of the expected statuses."""
    return call.expect if isinstance(call.expect, str | int) else call.expect[0]


def _missing(workload: Workload, call: Call, protocol: str) -> NoReturn:
    raise BakeoffError(f"{workload.name}: a case makes a {call} call, but the workload has no {protocol} for it.")
