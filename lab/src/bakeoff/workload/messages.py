"""Which message an operation sends."""

from bakeoff.closed_toml import Place
from bakeoff.documents import Document


def message_of(operation: Document, protocol: str) -> str | None:
    """The template of its message over `http` or `grpc`: the protocol's own before the operation's; None for none."""
    message: str | None = operation.get(protocol, {}).get("message", operation.get("message"))
    return message


def place_of_message(operation: Document, protocol: str) -> Place:
    """Where that message stands in the operation."""
    return (protocol, "message") if "message" in operation.get(protocol, {}) else ("message",)
