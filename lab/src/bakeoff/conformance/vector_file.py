"""A file of conformance cases as records. contract/schemas/vectors.schema.json says what each member means.

Members that may be any JSON, null included, are UNSET where they are absent.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec
from msgspec import UNSET, UnsetType

from bakeoff.documents.checked import Json

Header = str | None | Sequence[str]
Side = Mapping[str, Json]


class _Written(msgspec.Struct, frozen=True, kw_only=True):
    pass


class Part(_Written, frozen=True):
    """A text that is repeated, or bytes as hexadecimal digits."""

    repeat: str | None = None
    hex: str | None = None
    times: int = 1


Parts = Sequence[str | Part]


class WrittenPayload(_Written, frozen=True):
    """A message as JSON, or as bytes in parts."""

    json: Json | UnsetType = UNSET
    parts: Parts | None = None


class WrittenFrame(WrittenPayload, frozen=True):
    """A gRPC message with its flag and length, or bytes that are no frame."""

    flag: int = 0
    length: int | None = None
    bytes: Parts | None = None


class WrittenHttpExpectation(_Written, frozen=True):
    """The reply over HTTP."""

    status: int
    headers: Mapping[str, str | None] = {}
    body: Json = None


class WrittenHttp(_Written, frozen=True):
    """A case over HTTP."""

    expect: WrittenHttpExpectation
    method: str | None = None
    path: str | None = None
    headers: Mapping[str, Header] = {}
    body: WrittenPayload | None = None


class WrittenGrpcExpectation(_Written, frozen=True):
    """The reply over gRPC."""

    code: str | Sequence[str]
    core_code: str | Sequence[str] = ()
    message: str | None = None
    headers: Mapping[str, str | None] = {}
    body: Json = None
    replies: Sequence[Json] | None = None


class WrittenGrpc(_Written, frozen=True):
    """A case over gRPC."""

    expect: WrittenGrpcExpectation
    method: str | None = None
    headers: Mapping[str, Header] = {}
    message: Json | UnsetType = UNSET
    body: WrittenPayload | None = None
    stream: Sequence[WrittenPayload] | None = None
    frames: Sequence[WrittenFrame] | None = None


class WrittenRow(_Written, frozen=True):
    """A stored row; parts of its key and its document may be abbreviated."""

    key: Sequence[Json]
    document: Json


class WrittenStep(_Written, frozen=True):
    """A step of a case; its sides are completed by the workload's operation."""

    operation: str
    message: Json = None
    http: Side | None = None
    grpc: Side | None = None
    rows: Sequence[WrittenRow] = ()


class WrittenCase(_Written, frozen=True):
    """A case."""

    name: str
    rule: str
    profile: str
    given: Sequence[Json] = ()
    call: Literal["single", "batch", "stream", "health"] = "single"
    token: bool = False
    message: Json = None
    http: WrittenHttp | None = None
    grpc: WrittenGrpc | None = None
    rows: Sequence[WrittenRow] | UnsetType | None = UNSET
    steps: Sequence[WrittenStep] = ()


class VectorFile(_Written, frozen=True):
    """Cases of one subject."""

    subject: str
    cases: Sequence[WrittenCase]
