"""A plan for the null server, which gives every request the same reply: 200 over HTTP, OK over gRPC, no content."""

from bakeoff.documents import Document
from bakeoff.workload.plan import Plan
from bakeoff.workload.template import Segments

_STATUS = {"http": 200, "grpc": "OK"}
# As long as identifiers often are, so that requests have the size of real ones.
_CAPTURED = "1000000"


def for_null_server(plan: Plan) -> Plan:
    """The plan without what only an implementation of the workload can answer, so that every operation is sent.

    Each reply needs only the null server's status. Nothing is captured from it: a slot of a captured value becomes
    text, and an operation that needs a captured entity needs none.
    """
    operations = [_operation(operation) for operation in plan["operations"]]
    protocol = plan["transport"]["protocol"]
    batch = None if plan["batch"] is None else _call(plan["batch"], protocol)
    stream = None if plan["stream"] is None else {**plan["stream"], "reply": {}}
    return {**plan, "operations": operations, "batch": batch, "stream": stream}


def _operation(operation: Document) -> Document:
    calls = {
        protocol: None if operation[protocol] is None else _call(operation[protocol], protocol) for protocol in _STATUS
    }
    variants = [_without_captures(variant) for variant in operation["variants"]]
    sent = {name: value for name, value in operation.items() if name not in ("reads", "login")}
    return {**sent, **calls, "variants": variants, "creates": None, "needs": None, "effect": None}


def _call(call: Document, protocol: str) -> Document:
    path = {"path": _without_captures(call["path"])} if isinstance(call.get("path"), list) else {}
    capture: Document = {"capture": {}} if "capture" in call else {}
    templates: Document = {
        member: {name: _without_captures(segments) for name, segments in call[member].items()}
        for member in ("header_templates", "metadata_templates")
        if member in call
    }
    sent = {name: value for name, value in call.items() if name != "reply_templates"}
    return {**sent, **path, **capture, **templates, "expect": _STATUS[protocol], "reply": {}}


def _without_captures(segments: Segments) -> Segments:
    return [
        _CAPTURED if isinstance(segment, dict) and segment["slot"] == "captured" else segment for segment in segments
    ]
