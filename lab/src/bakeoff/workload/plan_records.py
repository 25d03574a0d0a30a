"""A plan as records: the document that an engine follows. formats/plan.schema.json describes it.

A member without a default is always written, null included; one with a default is left out where it has that.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from bakeoff.documents.checked import Json
from bakeoff.workload.declaration import GrpcBatch, GrpcStream, HttpBatch, OwnMembers
from bakeoff.workload.slots import Segments


class _Planned(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    pass


class PlannedTls(_Planned, frozen=True):
    """Which authorities to trust, and the name that the certificate is for; those of system and host where None."""

    ca_file: str | None = None
    server_name: str | None = None


class PlannedTransport(_Planned, frozen=True):
    protocol: str
    host: str
    port: int
    connections: int | None
    batch: int
    stream: bool
    window: int
    timeout_ms: int
    headers: Mapping[str, str]
    tls: PlannedTls | None = None
    keep_alive: bool = True
    http_version: str = "1.1"
    gzip: bool = False
    ping: Mapping[str, int | bool] | None = None


class PlannedProto(_Planned, frozen=True):
    file: str
    import_path: str
    descriptor_set: str


class UntilSteady(_Planned, frozen=True):
    """The rule by which a phase ends early."""

    window_s: int
    tolerance: float


class PlannedPhase(_Planned, frozen=True):
    """Virtual users for a time or a number of iterations; or, with `rate`, arrivals a second for a time."""

    name: str
    virtual_users: int | None = None
    duration_ms: int | None = None
    iterations: int | None = None
    rate: float | None = None
    arrival: str | None = None
    max_virtual_users: int | None = None
    until_steady: UntilSteady | None = None


class PlannedThresholds(_Planned, frozen=True):
    p95_ms: float
    p99_ms: float
    error_rate: float


class PlannedReuse(_Planned, frozen=True):
    """Which operations update existing keys, and which keys those are."""

    share: float
    pick: str
    s: float | None = None
    shared: int | None = None


class PlannedKeys(_Planned, frozen=True):
    name: str
    format: Segments
    reuse: PlannedReuse | None


class PlannedList(_Planned, frozen=True):
    items: str
    most: Segments | None = None
    order: str | None = None
    descending: bool = False
    id: str | None = None
    own: OwnMembers | None = None
    complete: bool = False
    total: str | None = None
    pages: str | None = None


class PlannedPick(_Planned, frozen=True):
    pick: str
    of: str = "own"
    s: float | None = None


class PlannedHttp(_Planned, frozen=True):
    method: str
    path: Segments
    headers: Mapping[str, str]
    expect: int | Sequence[int]
    reply: Mapping[str, Json]
    capture: Mapping[str, str]
    capture_templates: Mapping[str, Segments] = {}
    reply_templates: Mapping[str, Segments] = {}
    header_templates: Mapping[str, Segments] = {}
    list: PlannedList | None = None


class PlannedGrpc(_Planned, frozen=True):
    method: str
    expect: str | Sequence[str]
    reply: Mapping[str, Json]
    capture: Mapping[str, str]
    capture_templates: Mapping[str, Segments] = {}
    reply_templates: Mapping[str, Segments] = {}
    metadata_templates: Mapping[str, Segments] = {}
    list: PlannedList | None = None


class PlannedEffect(_Planned, frozen=True):
    """An operation's effect on stored state; a deletion has no `document`."""

    kind: str
    key: Sequence[Segments]
    document: str | None = None
    members: Sequence[str] = ()


class PlannedRead(_Planned, frozen=True):
    document: str
    key: Sequence[Segments]
    absent: int | str | None = None


class PlannedOperation(_Planned, frozen=True):
    """One kind of request; `key` is an index into the plan's keys, `variants` are its messages."""

    name: str
    weight: int
    key: int | None
    http: PlannedHttp | None
    grpc: PlannedGrpc | None
    variants: Sequence[Segments]
    creates: str | None
    needs: str | None
    effect: PlannedEffect | None
    reads: PlannedRead | None = None
    login: bool = False
    pick: PlannedPick | None = None
    think_time_ms: float | None = None
    body: str | None = None
    rate: float | None = None


class PlannedSession(_Planned, frozen=True):
    """Operations in order; `steps` are indices."""

    name: str
    weight: int
    steps: Sequence[int]
    think_time_ms: float | None = None


class Plan(_Planned, frozen=True):
    version: Literal[1]
    workload: str
    target: str
    mode: str
    payload: str
    run: str
    seed: str
    base_time_ms: int
    transport: PlannedTransport
    proto: PlannedProto | None
    phases: Sequence[PlannedPhase]
    think_time_ms: float
    thresholds: PlannedThresholds
    keys: Sequence[PlannedKeys]
    size_bytes: int | None
    operations: Sequence[PlannedOperation]
    batch: HttpBatch | GrpcBatch | None
    stream: GrpcStream | None
    ledger: str | None
    verify_share: float
    preload: int
    cookies: bool = False
    sessions: Sequence[PlannedSession] = ()

    def encoded(self) -> bytes:
        return msgspec.json.encode(self)
