"""How a model takes the messages of a gRPC call from its body."""

from collections.abc import Callable, Mapping, Sequence

from events import Rules
from reference import BrokenRuleError

_PREFIX_BYTES = 5


def check_encoding(headers: Mapping[str, tuple[str, ...]], rules: Rules) -> None:
    """Raises BrokenRuleError for a call whose messages may be compressed."""
    encoding = headers.get("grpc-encoding", ())
    is_identity = encoding == ("identity",)
    if (is_identity and "identity-encoding" not in rules) or (
        encoding and not is_identity and "message-encoding" in rules
    ):
        raise BrokenRuleError("not accepted", "grpc-encoding", {"grpc-accept-encoding": "identity"})


def unframed(body: bytes, size_problem: Callable[[int], BrokenRuleError | None], rules: Rules) -> list[bytes]:
    """The messages, each without its prefix."""
    messages = []
    while body:
        flag, length = body[0], int.from_bytes(body[1:_PREFIX_BYTES])
        problem = size_problem(length)
        if problem is not None:
            raise problem
        message, rest = body[_PREFIX_BYTES : _PREFIX_BYTES + length], body[_PREFIX_BYTES + length :]
        is_whole = len(body) >= _PREFIX_BYTES + length
        if (flag and "compressed-flag" in rules) or (not is_whole and "whole-frames" in rules):
            raise BrokenRuleError("broken framing", "frame")
        messages.append(message)
        body = rest
    return messages


def only_message(messages: Sequence[bytes], rules: Rules) -> bytes:
    """The message of a unary call."""
    if len(messages) != 1 and "one-message" in rules:
        raise BrokenRuleError("broken framing", "messages")
    return messages[0] if messages else b""
