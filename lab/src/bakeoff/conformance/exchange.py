"""Requests to a target and its replies, as bytes."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class HttpRequest:
    """Headers as sent, in addition to Host, Content-Length and Connection; each value is a separate line. A body of
    None sends no Content-Length."""

    method: str
    path: str
    headers: Mapping[str, tuple[str, ...]]
    body: bytes | None


@dataclass(frozen=True)
class HttpReply:
    """Names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class GrpcRequest:
    """`method` is package.Service/Method; one payload is a unary call, and every call is sent as a stream of them.

    A body that is not None goes over the wire as it is, in the place of payloads that a library would frame.
    """

    method: str
    payloads: tuple[bytes, ...]
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    body: bytes | None = None


@dataclass(frozen=True)
class GrpcReply:
    """The name of the status code, its message, and the encoded replies before it.

    Trailers are among the headers. Whether the connection served another call afterwards is known where a body was sent
    as it is.
    """

    code: str
    message: str
    payloads: tuple[bytes, ...]
    headers: Mapping[str, str] = field(default_factory=dict)
    connection_lasted: bool = True


class NoReplyError(Exception):
    """The target did not answer a request; the text gives the reason."""
