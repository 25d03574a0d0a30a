"""What goes to a target and what comes back, as bytes."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class HttpRequest:
    """Headers as they are sent, beside Host, Content-Length and Connection. A body of None sends no Content-Length."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None


@dataclass(frozen=True)
class HttpReply:
    """Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class GrpcRequest:
    """`method` is package.Service/Method; one payload is a unary call, and every call is sent as a stream of them."""

    method: str
    payloads: tuple[bytes, ...]


@dataclass(frozen=True)
class GrpcReply:
    """The name of the status code, its message, and the encoded replies before it."""

    code: str
    message: str
    payloads: tuple[bytes, ...]


class NoReplyError(Exception):
    """The target did not answer a request; the text says in what way."""
