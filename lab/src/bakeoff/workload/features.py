"""What a workload needs of an engine beyond plain requests, by the feature's name in engine.toml."""

from collections.abc import Mapping

from bakeoff.documents import Document
from bakeoff.workload.loader import Workload


def needed_features(workload: Workload, protocol: str) -> dict[str, str]:
    """Feature → the first operation that needs it, over a protocol."""
    needed: dict[str, str] = {}
    for entry in workload.document.get("operations", ()):
        for feature, is_needed in _features_of(entry, entry.get(protocol, {})).items():
            if is_needed:
                needed.setdefault(feature, entry["name"])
    return needed


def _features_of(entry: Document, call: Document) -> dict[str, bool]:
    return {
        "captures": bool(entry.get("creates") or entry.get("needs") or call.get("capture")),
        "header-captures": any(str(place).startswith("header:") for place in call.get("capture", {}).values()),
        "accepted-statuses": isinstance(call.get("expect"), list),
        "header-templates": _has_slots(call.get("headers", {})) or bool(call.get("metadata")),
        "reply-templates": _has_slots(call.get("reply", {})),
        "verified-reads": "reads" in entry,
        "login": bool(entry.get("login")),
    }


def _has_slots(values: Mapping[str, object]) -> bool:
    return any(isinstance(value, str) and "${" in value for value in values.values())
