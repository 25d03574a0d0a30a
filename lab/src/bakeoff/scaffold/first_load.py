"""Loads a new workload as a run does, before it is called done."""

import json
from collections.abc import Iterator

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.proto_codec import ProtoMismatchError
from bakeoff.workload.expressible import first_rendered
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.plan_records import Plan


def first_plan(workload: Workload, protocol: str) -> Plan:
    """The plan of a run; raises BakeoffError where none can be made."""
    return compile_plan(workload, Load(workload.name, protocol, "127.0.0.1", 1, "smoke", phases=[]))


def unreadable_messages(workload: Workload) -> Iterator[tuple[str, str]]:
    """The gRPC operations with a message that its type cannot hold, each with the reason."""
    codec = codec_of(workload)
    for operation in workload.declared.operations:
        method = None if operation.grpc is None else codec.method(operation.grpc.method)
        if method is None or operation.has_text:
            continue
        try:
            codec.encode(method.request, json.loads(first_rendered(operation.message_over("grpc") or "{}")))
        except (ProtoMismatchError, ValueError) as error:
            yield operation.name, str(error)
