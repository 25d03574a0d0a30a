"""Loads a new workload as a run does, before it is called done."""

import json
import re
from collections.abc import Iterator

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.conformance.proto_codec import ProtoMismatchError
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import BASE_TIME_MS, Load, compile_plan
from bakeoff.workload.plan_records import Plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import parse_template

# Fits texts and numbers: what a reply will show is not known yet.
_CAPTURED = "1"


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
            codec.encode(method.request, json.loads(first_message(operation.message_over("grpc") or "{}")))
        except (ProtoMismatchError, ValueError) as error:
            yield operation.name, str(error)


def first_message(template: str) -> str:
    """The first message that a template makes."""
    known = re.sub(r"\$\{(?:captured|login)\.[^{}]*\}", _CAPTURED, template)
    return render(parse_template(known), RandomNumbers(1, 0, 0), Event("00000000", 0, 0, BASE_TIME_MS))
