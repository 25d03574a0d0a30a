"""One conformance case: what is sent, and what must come back and be stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Call(StrEnum):
    """Which of the workload's calls a case makes."""

    SINGLE = "single"
    BATCH = "batch"
    STREAM = "stream"
    HEALTH = "health"


@dataclass(frozen=True)
class JsonPayload:
    """A message as JSON text, or as the protobuf message that this JSON stands for."""

    document: Any


@dataclass(frozen=True)
class BytesPayload:
    """A message as these very bytes."""

    content: bytes


Payload = JsonPayload | BytesPayload


@dataclass(frozen=True)
class Row:
    """A stored document: its key, and its text as PostgreSQL prints the jsonb."""

    key: tuple[str, ...]
    document: str


@dataclass(frozen=True)
class HttpExpectation:
    """A body of None is not looked at."""

    status: int
    headers: Mapping[str, str]
    body: Any


@dataclass(frozen=True)
class HttpSide:
    """How a case goes over HTTP. A method, path or body of None is the usual one of the call; a header of None is
    left out."""

    method: str | None
    path: str | None
    headers: Mapping[str, str | None]
    body: Payload | None
    expect: HttpExpectation


@dataclass(frozen=True)
class GrpcExpectation:
    """A message, body or replies of None are not looked at."""

    code: str
    message: str | None
    body: Any
    replies: tuple[Any, ...] | None


@dataclass(frozen=True)
class GrpcSide:
    """How a case goes over gRPC. Payloads of None are what the case's message stands for."""

    method: str | None
    payloads: tuple[Payload, ...] | None
    expect: GrpcExpectation


@dataclass(frozen=True)
class Case:
    """One case. A side of None cannot be expressed in that protocol; rows of None are not looked at."""

    name: str
    subject: str
    rule: str
    call: Call
    given: tuple[Any, ...]
    message: Any
    http: HttpSide | None
    grpc: GrpcSide | None
    rows: tuple[Row, ...] | None

    def owns(self, key: tuple[str, ...]) -> bool:
        """Whether a stored key belongs to this case: an element is its name, or begins with it and a slash."""
        return any(element.split("/", 1)[0] == self.name for element in key)
