"""A plan for the null server, which gives every request the same reply: 200 over HTTP, OK over gRPC, no content."""

from collections.abc import Mapping
from typing import TypeVar

from msgspec.structs import replace

from bakeoff.workload.declaration import HttpBatch
from bakeoff.workload.plan_records import Plan, PlannedGrpc, PlannedHttp, PlannedOperation
from bakeoff.workload.slots import CapturedSlot, Segments

_STATUSES = {"http": 200, "grpc": "OK"}
# As long as identifiers often are, so that requests have the size of real ones.
_CAPTURED = "1000000"


def for_null_server(plan: Plan) -> Plan:
    """The plan without what only an implementation of the workload can answer, so that every operation is sent.

    Each reply needs only the null server's status. Nothing is captured from it: a slot of a captured value becomes
    text, and an operation that needs a captured entity needs none.
    """
    status = _STATUSES["http" if isinstance(plan.batch, HttpBatch) else "grpc"]
    batch = None if plan.batch is None else replace(plan.batch, expect=status, reply={})
    stream = None if plan.stream is None else replace(plan.stream, reply={})
    return replace(plan, operations=[_operation(each) for each in plan.operations], batch=batch, stream=stream)


def _operation(operation: PlannedOperation) -> PlannedOperation:
    http, grpc = operation.http, operation.grpc
    if http is not None:
        http = replace(
            _unanswered(http, "http"),
            path=_without_captures(http.path),
            header_templates=_all_without_captures(http.header_templates),
        )
    if grpc is not None:
        grpc = replace(_unanswered(grpc, "grpc"), metadata_templates=_all_without_captures(grpc.metadata_templates))
    return replace(
        operation,
        http=http,
        grpc=grpc,
        variants=[_without_captures(variant) for variant in operation.variants],
        creates=None,
        needs=None,
        effect=None,
        reads=None,
        login=False,
        pick=None,
    )


_Call = TypeVar("_Call", PlannedHttp, PlannedGrpc)


def _unanswered(call: _Call, protocol: str) -> _Call:
    return replace(
        call,
        expect=_STATUSES[protocol],
        reply={},
        reply_templates={},
        capture={},
        capture_templates={},
        list=None,
    )


def _all_without_captures(templates: Mapping[str, Segments]) -> Mapping[str, Segments]:
    return {name: _without_captures(segments) for name, segments in templates.items()}


def _without_captures(segments: Segments) -> Segments:
    return [
        f"{segment.prefix or ''}{_CAPTURED}" if isinstance(segment, CapturedSlot) else segment for segment in segments
    ]
