"""A workload.toml as records. formats/workload.schema.json describes each member."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from bakeoff.documents.checked import Json
from bakeoff.documents.toml_lines import Place
from bakeoff.results.mode_names import SMOKE_MODE

Protocol = Literal["http", "grpc"]
PROTOCOLS: Sequence[Protocol] = ("http", "grpc")
_SENT = "sent:"


class _Declared(msgspec.Struct, frozen=True, kw_only=True):
    pass


class OwnMembers(_Declared, frozen=True):
    """A kind of captured entities, and the captured value that is found at a list's `id`."""

    kind: str
    capture: str


class ListCheck(_Declared, frozen=True):
    """The check of a list in a reply; `most` is a number, or a template of one."""

    items: str
    most: int | str | None = None
    order: str | None = None
    descending: bool = False
    id: str | None = None
    own: OwnMembers | None = None
    complete: bool = False
    total: str | None = None
    pages: str | None = None


def carried_on(capture: Mapping[str, str]) -> list[str]:
    """The values that a call captures for the next page of its session: they are empty in the first request."""
    return [name for name, place in capture.items() if place.startswith("optional:") or " while " in place]


def sent_text(place: str) -> str | None:
    """The template of a captured value that is a text of the request; None for a place in the reply."""
    return place.removeprefix(_SENT) if place.startswith(_SENT) else None


class HttpCall(_Declared, frozen=True):
    """A request over HTTP; `path` and `headers` are templates."""

    method: str
    path: str
    expect: int | Sequence[int]
    reply: Mapping[str, Json] = {}
    capture: Mapping[str, str] = {}
    headers: Mapping[str, str] = {}
    message: str | None = None
    list: ListCheck | None = None


class GrpcCall(_Declared, frozen=True):
    """A call over gRPC; `metadata` are templates."""

    method: str
    expect: str | Sequence[str]
    reply: Mapping[str, Json] = {}
    capture: Mapping[str, str] = {}
    metadata: Mapping[str, str] = {}
    message: str | None = None
    list: ListCheck | None = None


class DeclaredEffect(_Declared, frozen=True):
    """An operation's effect on stored state; a deletion has no `document`. No `members`: all are stored."""

    kind: Literal["merge", "put", "delete"]
    key: Sequence[str]
    document: str | None = None
    members: Sequence[str] = ()


class DeclaredRead(_Declared, frozen=True):
    document: str
    key: Sequence[str]
    absent: int | str | Sequence[int | str] | None = None

    def absent_over(self, protocol: str) -> int | str | None:
        """The status of a missing document: a number over HTTP, a name over gRPC."""
        statuses = [self.absent] if isinstance(self.absent, int | str) else self.absent or []
        return next((each for each in statuses if isinstance(each, str) == (protocol == "grpc")), None)


class Operation(_Declared, frozen=True):
    name: str
    weight: int = 1
    key: str | None = None
    http: HttpCall | None = None
    grpc: GrpcCall | None = None
    message: str | None = None
    creates: str | None = None
    needs: str | None = None
    needs_of: Literal["own", "any"] | None = None
    needs_pick: str | None = None
    think_time: str | None = None
    rate: float | None = None
    effect: DeclaredEffect | None = None
    reads: DeclaredRead | None = None
    login: bool = False
    body: Literal["json", "text", "form", "multipart", "binary"] = "json"

    @property
    def has_text(self) -> bool:
        return self.body in ("text", "binary")

    def message_over(self, protocol: str) -> str | None:
        """The template of its message: the protocol's own before the operation's; None for none."""
        call = self.call(protocol)
        return self.message if call is None or call.message is None else call.message

    def place_of_message(self, protocol: str) -> Place:
        call = self.call(protocol)
        return ("message",) if call is None or call.message is None else (protocol, "message")

    def call(self, protocol: str) -> HttpCall | GrpcCall | None:
        """How it is sent over a protocol; None where it is not."""
        return self.grpc if protocol == "grpc" else self.http


class DeclaredSession(_Declared, frozen=True):
    """Operations that a user sends one after the other, with what their replies capture."""

    name: str
    weight: int
    steps: Sequence[str]
    think_time: str | None = None


class DeclaredReuse(_Declared, frozen=True):
    """Which operations update existing keys: a `share` of them, picked uniformly or by Zipf's law with exponent `s`."""

    share: float
    pick: Literal["uniform", "zipf"]
    s: float | None = None


class KeyKind(_Declared, frozen=True):
    """Keys of one format; those without `reuse` are never used again."""

    format: str
    reuse: DeclaredReuse | None = None


class HttpBatch(_Declared, frozen=True):
    """Many messages in one request over HTTP: `open`, the messages with `separator` between them, `close`."""

    method: str
    path: str
    expect: int
    open: str
    separator: str
    close: str
    reply: Mapping[str, Json] = {}


class GrpcBatch(_Declared, frozen=True):
    """Many messages in one call over gRPC: elements of one field, or without it a stream of them."""

    method: str
    expect: str
    field: str | None = None
    reply: Mapping[str, Json] = {}


class GrpcStream(_Declared, frozen=True):
    """Many messages over one call, each answered in order."""

    method: str
    reply: Mapping[str, Json] = {}


class Batch(_Declared, frozen=True):
    """How each protocol carries many messages at once."""

    http: HttpBatch | None = None
    grpc: GrpcBatch | None = None
    largest_bytes: int | None = None

    def over(self, protocol: str) -> HttpBatch | GrpcBatch | None:
        return self.grpc if protocol == "grpc" else self.http


class Stream(_Declared, frozen=True):
    """How gRPC carries a stream of messages; HTTP has none."""

    grpc: GrpcStream | None = None

    def over(self, protocol: str) -> GrpcStream | None:
        return self.grpc if protocol == "grpc" else None


class HttpHealth(_Declared, frozen=True):
    """The request that a target answers with `expect` once it is ready."""

    method: str
    path: str
    expect: int
    headers: Mapping[str, str] = {}


class GrpcHealth(_Declared, frozen=True):
    """The service with the health of the target."""

    service: str = ""


class Health(_Declared, frozen=True):
    """How a target shows that it is ready, and whether the contract promises that this includes its database."""

    http: HttpHealth | None = None
    grpc: GrpcHealth | None = None
    asks_database: bool = False


class FillList(_Declared, frozen=True):
    name: str
    item: str


class Fill(_Declared, frozen=True):
    variants: int
    lists: Sequence[FillList]
    padding: str
    members: Sequence[str] = ()


class DeclaredOverlay(_Declared, frozen=True):
    """Another layout of the tables: an SQL file, when it is applied, and the server's extensions that it uses.

    `durability` is an SQL file too, which queries other servers with parts of the tables.
    """

    sql: str
    when: Literal["before-schema", "after-schema"]
    extensions: Sequence[str] = ()
    durability: str | None = None


class DeclaredSeed(_Declared, frozen=True):
    """What is stored before a run: an SQL file, and its number of rows; `rows_for_checks` where nothing is measured."""

    sql: str
    rows: int
    rows_for_checks: int

    def rows_in(self, mode: str) -> int:
        return self.rows_for_checks if mode == SMOKE_MODE else self.rows


class Declaration(_Declared, frozen=True):
    """A workload.toml as a whole. Members that name files are relative to its folder."""

    database: Literal["postgresql", "none"] = "none"
    name: str = ""
    operations: Sequence[Operation] = ()
    sessions: Sequence[DeclaredSession] = ()
    title: str = ""
    default: bool = True
    proto: str | None = None
    proto_paths: Sequence[str] = ()
    schema: str | None = None
    seed: DeclaredSeed | None = None
    reset: str | None = None
    audit: str | None = None
    upsert: str | None = None
    upsert_one: str | None = None
    vectors: str | None = None
    hostile: str | None = None
    overlays: Mapping[str, DeclaredOverlay] = {}
    health: Health = Health()
    sizes: Mapping[str, int | Literal["natural"]] = msgspec.field(default_factory=lambda: {"default": "natural"})
    keys: Mapping[str, KeyKind] = {}
    batch: Batch = Batch()
    stream: Stream = Stream()
    fill: Fill | None = None
    mixes: Mapping[str, Mapping[str, int]] = {}
    cookies: bool = False
    read_back: str | Sequence[str] = ()

    @property
    def reads_back(self) -> Sequence[str]:
        """The operations that read entities back, each the entities with the key of its `reads`."""
        return [self.read_back] if isinstance(self.read_back, str) else self.read_back
