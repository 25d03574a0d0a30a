"""Compiles a workload into the plan that an engine follows."""

import base64
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeVar

from msgspec import Struct
from msgspec.structs import replace

from bakeoff.descriptions.descriptors import compiled_proto
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.text.durations import seconds_of
from bakeoff.workload.bodies import CONTENT_TYPES, ENCODED
from bakeoff.workload.declaration import (
    Declaration,
    DeclaredRead,
    DeclaredSession,
    GrpcBatch,
    GrpcCall,
    GrpcStream,
    HttpBatch,
    HttpCall,
    Operation,
    sent_text,
)
from bakeoff.workload.filler import fill_to
from bakeoff.workload.loader import Workload
from bakeoff.workload.merges import with_merges_numbered
from bakeoff.workload.plan_records import (
    Plan,
    PlannedEffect,
    PlannedGrpc,
    PlannedHttp,
    PlannedKeys,
    PlannedList,
    PlannedOperation,
    PlannedPhase,
    PlannedPick,
    PlannedProto,
    PlannedRead,
    PlannedSession,
    PlannedThresholds,
    PlannedTls,
    PlannedTransport,
)
from bakeoff.workload.reuse import Reuse, parse_pick
from bakeoff.workload.seeded import with_rows
from bakeoff.workload.slots import FillSlot, Segments, slots_of
from bakeoff.workload.template import TemplateError, parse_template, without_white_space

# 2026-01-15T10:30:00Z: event times are part of what is sent, and so must not depend on when a run happens.
BASE_TIME_MS = 1768473000000

THRESHOLDS = PlannedThresholds(p95_ms=2000, p99_ms=5000, error_rate=0.05)


@dataclass(frozen=True)
class Load:
    """The load on a target, in addition to the workload's own rules.

    `phases` are phases as the plan holds them: virtual users for a time or for a number of iterations, or a rate.
    `window` is how many messages a user has in flight in a stream. `headers` go with every request, as HTTP headers or
    gRPC metadata, under lower-case names. `seeded` is how many rows the workload's seed has stored; None: those for
    checks. `preload` is how many rows `preload_statements` has stored before. `mix` is
    one of the workload's named mixes; None takes the weights of its operations. Without
    `keep_alive` each request over HTTP has its own connection. `operations` are those to send; all where empty.
    """

    target: str
    protocol: str
    host: str
    port: int
    mode: str
    phases: Sequence[PlannedPhase]
    payload: str = "default"
    seed: int = 1
    run: str = "00000000"
    connections: int | None = None
    batch: int = 1
    stream: bool = False
    timeout_ms: int = 30_000
    think_time_ms: float = 0
    verify_share: float = 0.01
    ledger: Path | None = None
    window: int = 1
    tls: PlannedTls | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reuse: Reuse = field(default_factory=Reuse)
    preload: int = 0
    seeded: int | None = None
    mix: str | None = None
    operations: Sequence[str] = ()
    keep_alive: bool = True
    http_version: str = "1.1"
    gzip: bool = False
    ping: Mapping[str, int | bool] | None = None


def compile_plan(workload: Workload, load: Load) -> Plan:
    """The plan of formats/plan.schema.json.

    Raises UsageError for what the workload does not have: a payload, a mix, a protocol, a batch, a stream, keys to use
    again.
    """
    workload = dataclasses.replace(workload, declared=with_rows(workload.declared, load.seeded))
    declared = workload.declared
    size = _size(workload, load.payload)
    weights = weights_of(workload, load.mix, load.operations)
    if not any(weights.values()):
        raise BakeoffError(f"{workload.name}: every operation has weight 0. Give at least one a weight.")
    is_chosen = load.mix is not None or bool(load.operations)
    # Before all else: an operation that the protocol does not have is the reason to name.
    operations = [
        # Operations that a mix or the named ones leave out do not arrive at their own rates either.
        replace(planned, rate=None) if is_chosen and planned.weight == 0 else planned
        for planned in (_operation(workload, each, weights[each.name], size, load) for each in declared.operations)
    ]
    return _planned(
        Plan,
        load,
        version=1,
        preload=0 if declared.seed else load.preload,
        workload=workload.name,
        seed=f"{load.seed:016x}",
        base_time_ms=BASE_TIME_MS,
        transport=_planned(PlannedTransport, load),
        proto=_proto(workload) if load.protocol == "grpc" else None,
        thresholds=THRESHOLDS,
        keys=_keys(workload, load.reuse),
        size_bytes=size,
        operations=operations,
        batch=_batch(workload, load) if load.batch > 1 else None,
        stream=_stream(workload, load) if load.stream else None,
        ledger=None if load.ledger is None else str(load.ledger),
        cookies=declared.cookies and load.protocol == "http",
        sessions=tuple(_session(declared, each, weights[each.name]) for each in declared.sessions),
    )


_Planned = TypeVar("_Planned", bound=Struct)


def _planned(kind: type[_Planned], source: object, **own: object) -> _Planned:
    """A record of the plan: members that the source has under the same name, and those given here."""
    shared = {name: getattr(source, name) for name in kind.__struct_fields__ if hasattr(source, name)}
    return kind(**{**shared, **own})


def _size(workload: Workload, payload: str) -> int | None:
    sizes = workload.declared.sizes
    if payload not in sizes:
        raise UsageError(f'There is no payload "{payload}". Payloads of {workload.name}: {", ".join(sizes)}.')
    size = sizes[payload]
    return None if size == "natural" else size


def weights_of(workload: Workload, mix: str | None = None, operations: Sequence[str] = ()) -> Mapping[str, int]:
    """The weight of each operation and session: its own, or that of a mix, which gives 0 to what it does not name.

    Of `operations` (or sessions), where they are named, each has at least 1, and all others 0. Raises UsageError for
    unknown names.
    """
    weights = _weights_of_mix(workload, mix)
    unknown = [name for name in operations if name not in weights]
    if unknown:
        raise UsageError(f'There is no operation "{unknown[0]}". Operations of {workload.name}: {", ".join(weights)}.')
    return {name: max(1, own) if name in operations else 0 for name, own in weights.items()} if operations else weights


def _weights_of_mix(workload: Workload, mix: str | None) -> Mapping[str, int]:
    declared = workload.declared
    sessions = {session.name: session.weight for session in declared.sessions}
    own = {operation.name: operation.weight for operation in declared.operations} | sessions
    mixes = workload.declared.mixes
    if mix is None:
        return own
    if mix not in mixes:
        raise UsageError(f'There is no mix "{mix}". Mixes of {workload.name}: {", ".join(mixes) or "none"}.')
    return {name: mixes[mix].get(name, 0) for name in own}


def _keys(workload: Workload, reuse: Reuse) -> list[PlannedKeys]:
    kinds = workload.declared.keys
    if not reuse.is_empty and all(kind.reuse is None for kind in kinds.values()):
        raise UsageError(
            f"{workload.name} has no operation that updates existing keys: omit the options about updates."
        )
    return [
        PlannedKeys(name=name, format=parse_template(kind.format), reuse=reuse.applied_to(kind.reuse))
        for name, kind in kinds.items()
    ]


def _operation(workload: Workload, operation: Operation, weight: int, size: int | None, load: Load) -> PlannedOperation:
    place = f"{workload.name}: operation {operation.name}"
    if operation.call(load.protocol) is None:
        raise UsageError(f"{place} cannot be sent by {load.protocol}: it has no {load.protocol} table.")
    kinds = workload.declared.keys
    try:
        kind = None if operation.key is None else kinds[operation.key]
        key_format = [] if kind is None else parse_template(kind.format)
        reuse = None if kind is None else load.reuse.applied_to(kind.reuse)
        messages = _messages(workload, operation, size, load, key_format)
        effect, reads = operation.effect, operation.reads
        return _planned(
            PlannedOperation,
            operation,
            weight=weight,
            key=None if operation.key is None else list(kinds).index(operation.key),
            http=None if operation.http is None else _http(operation.http, _content_type(operation)),
            grpc=None if operation.grpc is None else _grpc(operation.grpc),
            variants=[with_merges_numbered(message, reuse) for message in messages],
            effect=None if effect is None else _planned(PlannedEffect, effect, key=_parsed(effect.key)),
            reads=None if reads is None else _read(reads, load.protocol),
            pick=_pick(operation),
            think_time_ms=_milliseconds(operation.think_time),
            body=operation.body if operation.body in ENCODED else None,
        )
    except TemplateError as error:
        raise BakeoffError(f"{place}: {error.message}") from error


def _session(declared: Declaration, session: DeclaredSession, weight: int) -> PlannedSession:
    names = [operation.name for operation in declared.operations]
    steps = [names.index(step) for step in session.steps]
    return PlannedSession(
        name=session.name, weight=weight, steps=steps, think_time_ms=_milliseconds(session.think_time)
    )


def _milliseconds(think_time: str | None) -> float | None:
    return None if think_time is None else seconds_of(think_time) * 1000


def _pick(operation: Operation) -> PlannedPick | None:
    """The choice among the needed entities, where an operation declares one."""
    if operation.needs_of is None and operation.needs_pick is None:
        return None
    pick, exponent = parse_pick(operation.needs_pick or "uniform")
    return PlannedPick(of=operation.needs_of or "own", pick=pick, s=exponent)


def _read(read: DeclaredRead, protocol: str) -> PlannedRead:
    return _planned(PlannedRead, read, key=_parsed(read.key), absent=read.absent_over(protocol))


def _parsed(templates: Sequence[str]) -> list[Segments]:
    return [parse_template(template) for template in templates]


def _content_type(operation: Operation) -> str | None:
    """The content type of an operation's requests; None where they have no body."""
    if operation.message_over("http") is None:
        return None
    return CONTENT_TYPES[operation.body]


def _http(call: HttpCall, content_type: str | None) -> PlannedHttp:
    headers = {} if content_type is None else {"content-type": content_type}
    headers |= {name.lower(): value for name, value in call.headers.items()}
    return _planned(
        PlannedHttp,
        call,
        path=parse_template(call.path),
        headers={name: value for name, value in headers.items() if not _has_slot(value)},
        header_templates=_templates(headers),
        **_checks(call),
    )


def _grpc(call: GrpcCall) -> PlannedGrpc:
    templates = {name: parse_template(value) for name, value in call.metadata.items()}
    return _planned(PlannedGrpc, call, metadata_templates=templates, **_checks(call))


def _checks(call: HttpCall | GrpcCall) -> dict[str, Mapping[str, Json] | Mapping[str, Segments] | PlannedList | None]:
    """The checks of a reply, its members and its list, and what is captured from it and from the request."""
    rule = call.list
    most = None if rule is None or rule.most is None else parse_template(str(rule.most))
    return {
        "reply": {name: value for name, value in call.reply.items() if not _has_slot(value)},
        "reply_templates": _templates(call.reply),
        "capture": {name: place for name, place in call.capture.items() if sent_text(place) is None},
        "capture_templates": {
            name: parse_template(text) for name, place in call.capture.items() if (text := sent_text(place)) is not None
        },
        "list": None if rule is None else _planned(PlannedList, rule, most=most),
    }


def _has_slot(value: Json) -> bool:
    return isinstance(value, str) and "${" in value


def _templates(values: Mapping[str, Json]) -> Mapping[str, Segments]:
    """The values with slots, as segments."""
    return {
        name: parse_template(value) for name, value in values.items() if isinstance(value, str) and _has_slot(value)
    }


def _messages(
    workload: Workload, operation: Operation, size: int | None, load: Load, key_format: Segments
) -> list[Segments]:
    """The variants of an operation's message: JSON without white space, or text as it is written."""
    message = operation.message_over(load.protocol) or ""
    if operation.has_text:
        return [parse_template(message.removesuffix("\n"))]
    return _variants(workload, message, size, load.seed, key_format)


def _variants(workload: Workload, message: str, size: int | None, seed: int, key_format: Segments) -> list[Segments]:
    template = parse_template(without_white_space(message))
    if size is None:
        return [parse_template(without_white_space(message).replace("${fill}", ""))]
    if len(list(slots_of(template, FillSlot))) != 1:
        raise TemplateError(f"a message of {size} bytes needs ${{fill}} in it, once.")
    fill = workload.declared.fill
    if fill is None:
        raise TemplateError("${fill} needs a [fill] table in the workload.")
    return [fill_to(template, size, fill, variant, seed, key_format) for variant in range(fill.variants)]


def _batch(workload: Workload, load: Load) -> HttpBatch | GrpcBatch:
    declared = workload.declared.batch.over(load.protocol)
    if declared is None:
        raise UsageError(f"{workload.name} has no [batch] for {load.protocol}: leave out --batch.")
    other = next((each for each in workload.declared.operations if each.body != "json"), None)
    if other is not None and load.protocol == "http":
        raise UsageError(
            f"{workload.name}: {other.name} has a {other.body} body, which no batch holds: leave out --batch."
        )
    return declared


def _stream(workload: Workload, load: Load) -> GrpcStream:
    declared = workload.declared.stream.over(load.protocol)
    if declared is None:
        raise UsageError(f"{workload.name} has no [stream] for {load.protocol}: leave out --stream.")
    return declared


def _proto(workload: Workload) -> PlannedProto:
    source = workload.proto_source
    if source is None:
        raise BakeoffError(f"{workload.name}: a gRPC target needs proto in the workload.")
    compiled = compiled_proto(source)
    # The folder that its name is relative to, where it lies in one.
    root = source.file.parents[compiled.name.count("/")]
    return PlannedProto(
        file=str(source.file),
        import_path=str(root if root / compiled.name == source.file else source.file.parent),
        descriptor_set=base64.b64encode(compiled.descriptor_set).decode(),
    )
