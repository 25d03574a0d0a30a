"""A plan for the null server, which gives every request the same reply: 200 over HTTP, OK over gRPC, no content."""

from collections.abc import Mapping

from msgspec.structs import replace

from bakeoff.workload.declaration import HttpBatch
from bakeoff.workload.plan_records import Plan, PlannedGrpc, PlannedHttp, PlannedOperation
from bakeoff.workload.slots import CapturedSlot, Segments

_HTTP_STATUS = 200
_GRPC_STATUS = "OK"
# As long as identifiers often are, so that requests have the size of real ones.
_CAPTURED = "1000000"


def for_null_server(plan: Plan) -> Plan:
    """The plan without what only an implementation of the workload can answer, so that every operation is sent.

    Each reply needs only the null server's status. Nothing is captured from it: a slot of a captured value becomes
    text, and an operation that needs a captured entity needs none.
    """
    batch = plan.batch
    if isinstance(batch, HttpBatch):
        batch = replace(batch, expect=_HTTP_STATUS, reply={})
    elif batch is not None:
        batch = replace(batch, expect=_GRPC_STATUS, reply={})
    stream = None if plan.stream is None else replace(plan.stream, reply={})
    return replace(plan, operations=[_operation(each) for each in plan.operations], batch=batch, stream=stream)


def _operation(operation: PlannedOperation) -> PlannedOperation:
    return replace(
        operation,
        http=None if operation.http is None else _http(operation.http),
        grpc=None if operation.grpc is None else _grpc(operation.grpc),
        variants=[_without_captures(variant) for variant in operation.variants],
        creates=None,
        needs=None,
        effect=None,
        reads=None,
        login=False,
        pick=None,
    )


def _http(call: PlannedHttp) -> PlannedHttp:
    return replace(
        call,
        path=_without_captures(call.path),
        header_templates=_all_without_captures(call.header_templates),
        expect=_HTTP_STATUS,
        reply={},
        reply_templates={},
        capture={},
        list=None,
    )


def _grpc(call: PlannedGrpc) -> PlannedGrpc:
    return replace(
        call,
        metadata_templates=_all_without_captures(call.metadata_templates),
        expect=_GRPC_STATUS,
        reply={},
        reply_templates={},
        capture={},
        list=None,
    )


def _all_without_captures(templates: Mapping[str, Segments]) -> Mapping[str, Segments]:
    return {name: _without_captures(segments) for name, segments in templates.items()}


def _without_captures(segments: Segments) -> Segments:
    return [_CAPTURED if isinstance(segment, CapturedSlot) else segment for segment in segments]
