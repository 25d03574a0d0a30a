"""The optional features of an engine that a workload needs, by their names in engine.toml."""

import re
from collections.abc import Mapping

from bakeoff.documents.checked import Json
from bakeoff.workload.bodies import ENCODED
from bakeoff.workload.declaration import GrpcCall, HttpCall, Operation, sent_text
from bakeoff.workload.loader import Workload

# What is made of a place in a reply.
_MADE = re.compile(r"^(optional|query|count):|/-1(/|$)| while ")


def needed_features(workload: Workload, protocol: str) -> dict[str, str]:
    """Feature → the first operation that needs it, over a protocol."""
    needed: dict[str, str] = {}
    if workload.declared.cookies and protocol == "http":
        needed["cookies"] = workload.declared.operations[0].name
    if workload.declared.sessions:
        needed["sessions"] = workload.declared.sessions[0].steps[0]
    for operation in workload.declared.operations:
        for feature, is_needed in _features_of(operation, operation.call(protocol)).items():
            if is_needed:
                needed.setdefault(feature, operation.name)
    return needed


def _features_of(operation: Operation, call: HttpCall | GrpcCall | None) -> dict[str, bool]:
    needed = {
        "captures": bool(operation.creates or operation.needs),
        "verified-reads": operation.reads is not None,
        "login": operation.login,
        "entity-picks": operation.needs_of is not None or operation.needs_pick is not None,
        "operation-think-time": operation.think_time is not None,
        "operation-rates": operation.rate is not None,
    }
    if call is None:
        return needed
    return {
        "captures": needed.pop("captures") or bool(call.capture),
        "header-captures": any("header:" in place for place in call.capture.values()),
        "accepted-statuses": not isinstance(call.expect, str | int),
        "header-templates": bool(call.metadata) if isinstance(call, GrpcCall) else _has_slots(call.headers),
        "reply-templates": _has_slots(call.reply),
        "encoded-bodies": isinstance(call, HttpCall) and operation.body in ENCODED,
        "list-captures": any("/*" in place for place in call.capture.values()),
        "optional-captures": any(map(_MADE.search, call.capture.values())) or _has_query_part(call),
        "sent-captures": any(sent_text(place) is not None for place in call.capture.values()),
        "list-checks": call.list is not None,
        **needed,
    }


def _has_query_part(call: HttpCall | GrpcCall) -> bool:
    return isinstance(call, HttpCall) and re.search(r"\$\{captured\.[^{} ]+ ", call.path) is not None


def _has_slots(values: Mapping[str, Json]) -> bool:
    return any(isinstance(value, str) and "${" in value for value in values.values())
