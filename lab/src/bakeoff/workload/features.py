"""What a workload needs of an engine beyond plain requests, by the feature's name in engine.toml."""

from collections.abc import Mapping

from bakeoff.documents import Json
from bakeoff.workload.declaration import GrpcCall, HttpCall, Operation
from bakeoff.workload.loader import Workload


def needed_features(workload: Workload, protocol: str) -> dict[str, str]:
    """Feature → the first operation that needs it, over a protocol."""
    needed: dict[str, str] = {}
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
    }
    if call is None:
        return needed
    return {
        "captures": needed.pop("captures") or bool(call.capture),
        "header-captures": any(place.startswith("header:") for place in call.capture.values()),
        "accepted-statuses": not isinstance(call.expect, str | int),
        "header-templates": bool(call.metadata) if isinstance(call, GrpcCall) else _has_slots(call.headers),
        "reply-templates": _has_slots(call.reply),
        **needed,
    }


def _has_slots(values: Mapping[str, Json]) -> bool:
    return any(isinstance(value, str) and "${" in value for value in values.values())
