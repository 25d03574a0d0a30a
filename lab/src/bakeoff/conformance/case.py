"""One conformance case: what is sent, and what must come back and be stored."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from bakeoff.conformance.vector_file import Side, WrittenRow
from bakeoff.documents.checked import Json

_SLOT = "${token}"


class Call(StrEnum):
    """Which of the workload's calls a case makes."""

    SINGLE = "single"
    BATCH = "batch"
    STREAM = "stream"
    HEALTH = "health"


class Profile(StrEnum):
    """How much of the contract a case belongs to. Core decides what is stored and which status is returned."""

    CORE = "core"
    STRICT = "strict"


@dataclass(frozen=True)
class Differences:
    """What was not as a case expects: exactly, and as far as the core profile compares."""

    strict: tuple[str, ...] = ()
    core: tuple[str, ...] = ()

    def in_profile(self, profile: Profile) -> tuple[str, ...]:
        return self.strict if profile is Profile.STRICT else self.core

    def together_with(self, more: Sequence[str]) -> "Differences":
        """With differences that count in both profiles."""
        return Differences((*self.strict, *more), (*self.core, *more))

    def followed_by(self, more: "Differences") -> "Differences":
        """With those of something later, each in its profile."""
        return Differences((*self.strict, *more.strict), (*self.core, *more.core))


@dataclass(frozen=True)
class JsonPayload:
    """A message as JSON text, or as the protobuf message that this JSON stands for."""

    document: Json


@dataclass(frozen=True)
class BytesPayload:
    """A message as these very bytes."""

    content: bytes


Payload = JsonPayload | BytesPayload


@dataclass(frozen=True)
class Frame:
    """A gRPC message as it goes over the wire: its flag, its length and itself. A length of None is the true one."""

    payload: Payload
    flag: int = 0
    length: int | None = None


@dataclass(frozen=True)
class Row:
    """A stored document: its key, and its text as PostgreSQL prints the jsonb."""

    key: tuple[str, ...]
    document: str


@dataclass(frozen=True)
class HttpExpectation:
    """A body of None is not looked at."""

    status: int
    headers: Mapping[str, str | None]
    body: Json


@dataclass(frozen=True)
class HttpSide:
    """How a case goes over HTTP. A method, path or body of None is the usual one of the call; each value of a header
    is a line of its own, so that a header without values is left out."""

    method: str | None
    path: str | None
    headers: Mapping[str, tuple[str, ...]]
    body: Payload | None
    expect: HttpExpectation


@dataclass(frozen=True)
class GrpcExpectation:
    """Any of the codes will do; in the core profile any of `core_codes` too, with whatever message.

    A message, body or replies of None are not compared.
    """

    codes: tuple[str, ...]
    message: str | None = None
    body: Json = None
    replies: tuple[Json, ...] | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    core_codes: tuple[str, ...] = ()


@dataclass(frozen=True)
class GrpcSide:
    """How a case goes over gRPC. Payloads of None are what the case's message stands for.

    Frames are sent in their place when they are not None: what a client's library would not send. Bytes among them
    are no frame at all.
    """

    method: str | None
    payloads: tuple[Payload, ...] | None
    expect: GrpcExpectation
    headers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    frames: tuple[Frame | BytesPayload, ...] | None = None


@dataclass(frozen=True)
class Step:
    """One request of a case of several, as its file says it: `sides` by protocol, `http` or `grpc`, and what is stored
    under keys afterwards. Texts may hold slots, which earlier replies fill.
    """

    operation: str
    message: Json
    sides: Mapping[str, Side]
    rows: Sequence[WrittenRow] = ()
    body: str = "json"


@dataclass(frozen=True)
class Exchange:
    """A request's reply: how it differs from what is expected, its document, None where it has none, and headers."""

    differences: Differences
    document: Json = None
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """One case. A side of None cannot be expressed in that protocol; rows of None are not looked at.

    A case with steps consists of them alone. A case that `needs_token` is for a target that asks for one, and carries
    none but what its headers say. `body` is how its message becomes one; that of the first operation where empty.
    """

    name: str
    subject: str
    rule: str
    call: Call
    given: tuple[Json, ...]
    message: Json
    http: HttpSide | None
    grpc: GrpcSide | None
    rows: tuple[Row, ...] | None
    needs_token: bool = False
    profile: Profile = Profile.CORE
    steps: tuple[Step, ...] = ()
    body: str = ""

    @property
    def messages(self) -> Sequence[Json]:
        """Those of a batch or a stream."""
        return self.message if isinstance(self.message, list) else ()

    def goes_over(self, side: str) -> bool:
        """Whether it can be expressed in a protocol, `http` or `grpc`."""
        if self.steps:
            return all(side in step.sides for step in self.steps)
        return (self.http if side == "http" else self.grpc) is not None

    def owns(self, key: tuple[str, ...]) -> bool:
        """Whether a stored key belongs to this case: an element is its name, or begins with it and a slash."""
        return any(element.split("/", 1)[0] == self.name for element in key)

    def with_token(self, token: str) -> "Case":
        """The case with the token in its place in the headers."""
        return replace(
            self,
            http=self.http and replace(self.http, headers=_filled(self.http.headers, token)),
            grpc=self.grpc and replace(self.grpc, headers=_filled(self.grpc.headers, token)),
        )


def _filled(headers: Mapping[str, tuple[str, ...]], token: str) -> dict[str, tuple[str, ...]]:
    return {name: tuple(value.replace(_SLOT, token) for value in values) for name, values in headers.items()}
