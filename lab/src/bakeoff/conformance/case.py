"""A conformance case: a request, the expected reply and the expected rows. Cases are read from vector files.

formats/vectors.schema.json describes each member.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from msgspec import UNSET, UnsetType

from bakeoff.documents.checked import Json

_SLOT = "${token}"

Side = Mapping[str, Json]
Headers = Mapping[str, tuple[str, ...]]


class Call(StrEnum):
    """A kind of call that a workload declares."""

    SINGLE = "single"
    BATCH = "batch"
    STREAM = "stream"
    HEALTH = "health"


class Profile(StrEnum):
    """A level of the contract. Core decides what is stored and which status is returned."""

    CORE = "core"
    STRICT = "strict"


@dataclass(frozen=True)
class Differences:
    """Deviations from a case: exactly, and as far as the core profile compares."""

    strict: tuple[str, ...] = ()
    core: tuple[str, ...] = ()

    def in_profile(self, profile: Profile) -> tuple[str, ...]:
        return self.strict if profile is Profile.STRICT else self.core

    def with_both(self, *more: str) -> "Differences":
        """Adds differences that count in both profiles."""
        return Differences((*self.strict, *more), (*self.core, *more))

    def followed_by(self, more: "Differences", place: str = "") -> "Differences":
        """Adds those of a later step, each in its profile, with a place before each."""
        strict, core = ([place + each for each in found] for found in (more.strict, more.core))
        return Differences((*self.strict, *strict), (*self.core, *core))


@dataclass(frozen=True)
class Payload:
    """A message: JSON text, or the protobuf message of this JSON; the bytes of `content` where not None."""

    document: Json = None
    content: bytes | None = None


@dataclass(frozen=True)
class Frame(Payload):
    """A gRPC message with its flag and length; a length of None is the true one. With a flag of None, the bytes are no
    frame."""

    flag: int | None = 0
    length: int | None = None


@dataclass(frozen=True)
class Row:
    """A stored document: its key, and its text as PostgreSQL prints the jsonb. A step may expect other JSON."""

    key: tuple[str, ...]
    document: Json


@dataclass(frozen=True)
class HttpExpectation:
    """The expected reply over HTTP. A body of None is not compared."""

    status: int
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: Json = None


@dataclass(frozen=True)
class HttpSide:
    """A case over HTTP. A method, path or body of None is that of the call. Each value of a header is sent on its own
    line, so a header without values is left out."""

    expect: HttpExpectation
    method: str | None = None
    path: str | None = None
    headers: Headers = field(default_factory=dict)
    body: Payload | None = None


@dataclass(frozen=True)
class GrpcExpectation:
    """The expected reply over gRPC, with any of the codes; in core also any of `core_code`, with any message.

    A message, body or replies of None are not compared.
    """

    code: tuple[str, ...]
    message: str | None = None
    body: Json = None
    replies: tuple[Json, ...] | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    core_code: tuple[str, ...] = ()


@dataclass(frozen=True)
class GrpcSide:
    """A case over gRPC. `frames`, where not None, replace the payloads: bytes that no client library sends."""

    expect: GrpcExpectation
    method: str | None = None
    headers: Headers = field(default_factory=dict)
    message: Json | UnsetType = UNSET
    body: Payload | None = None
    stream: tuple[Payload, ...] | None = None
    frames: tuple[Frame, ...] | None = None

    @property
    def payloads(self) -> tuple[Payload, ...] | None:
        """The messages that replace the case's own; None where they do not."""
        if self.stream is not None or self.body is not None:
            return self.stream if self.body is None else (self.body,)
        return None if isinstance(self.message, UnsetType) else (Payload(self.message),)


@dataclass(frozen=True)
class CaseStep:
    """One request of a case of several. Texts may contain slots, which earlier replies fill."""

    operation: str
    message: Json = None
    http: Side | None = None
    grpc: Side | None = None
    rows: tuple[Row, ...] = ()
    body: str = "json"

    @property
    def sides(self) -> dict[str, Side]:
        """Its sides by protocol, as the file has them."""
        return {side: entry for side, entry in (("http", self.http), ("grpc", self.grpc)) if entry is not None}


@dataclass(frozen=True)
class Exchange:
    """A reply: its differences from the expectation, its document, None where it has none, and its headers."""

    differences: Differences
    document: Json = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One case. A side of None cannot be expressed in that protocol; rows of None are not compared.

    A case with steps has no request outside them. A case with `token` is for a target that requires one, and sends
    none except in its headers. `body` is the kind of its body; that of the first operation where empty.
    """

    name: str
    subject: str
    rule: str
    call: Call = Call.SINGLE
    given: tuple[Json, ...] = ()
    message: Json = None
    http: HttpSide | None = None
    grpc: GrpcSide | None = None
    rows: tuple[Row, ...] | None = None
    token: bool = False
    profile: Profile = Profile.CORE
    steps: tuple[CaseStep, ...] = ()
    body: str = ""
    why: str = ""

    @property
    def messages(self) -> Sequence[Json]:
        return self.message if isinstance(self.message, list) else ()

    def goes_over(self, side: str) -> bool:
        """Whether it can be expressed in a protocol, `http` or `grpc`."""
        if self.steps:
            return all(side in step.sides for step in self.steps)
        return (self.http if side == "http" else self.grpc) is not None

    def owns(self, key: tuple[str, ...]) -> bool:
        """Whether a stored key belongs to this case: an element is its name, or starts with it and a slash."""
        return any(element.split("/", 1)[0] == self.name for element in key)

    def with_token(self, token: str) -> "Case":
        """The case with the token in its place in the headers."""
        return replace(
            self,
            http=self.http and replace(self.http, headers=_filled(self.http.headers, token)),
            grpc=self.grpc and replace(self.grpc, headers=_filled(self.grpc.headers, token)),
        )


def _filled(headers: Headers, token: str) -> Headers:
    return {name: tuple(value.replace(_SLOT, token) for value in values) for name, values in headers.items()}
