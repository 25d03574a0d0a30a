"""Compiles a workload into the plan that an engine follows."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bakeoff.documents import Document
from bakeoff.errors import BakeoffError, UsageError
from bakeoff.workload.descriptors import descriptor_set
from bakeoff.workload.filler import fill_to
from bakeoff.workload.loader import Workload
from bakeoff.workload.messages import message_of
from bakeoff.workload.reuse import Reuse
from bakeoff.workload.template import (
    Segments,
    TemplateError,
    parse_template,
    slots_named,
    without_white_space,
)

Plan = dict[str, Any]

# 2026-01-15T10:30:00Z: event times are part of what is sent, and so must not depend on when a run happens.
BASE_TIME_MS = 1768473000000

THRESHOLDS = {"p95_ms": 2000, "p99_ms": 5000, "error_rate": 0.05}


@dataclass(frozen=True)
class Way:
    """A transport mode: protocol, messages in a request, one long stream or not, messages in flight in a stream."""

    protocol: str
    batch: int = 1
    stream: bool = False
    window: int = 1

    @property
    def transport(self) -> str:
        """Its name in the metrics database."""
        if self.stream:
            return f"{self.protocol}-stream" if self.window == 1 else f"{self.protocol}-stream-{self.window}"
        return f"{self.protocol}-batch-{self.batch}" if self.batch > 1 else self.protocol

    @property
    def options(self) -> str:
        """The command line's options for it, each with a space before it."""
        window = f" --window {self.window}" if self.window > 1 else ""
        return (f" --batch {self.batch}" if self.batch > 1 else "") + (f" --stream{window}" if self.stream else "")


@dataclass(frozen=True)
class Tls:
    """How a target that is reached by TLS proves who it is: by the system's authorities and its host where None."""

    ca_file: Path | None = None
    server_name: str | None = None

    def planned(self) -> Document:
        """As the plan holds it."""
        members = {"ca_file": self.ca_file, "server_name": self.server_name}
        return {name: str(value) for name, value in members.items() if value is not None}


@dataclass(frozen=True)
class Load:
    """What to send to where, beyond what the workload says.

    `phases` are phases as the plan holds them: virtual users for a time or for a number of iterations, or a rate.
    `window` is how many messages a user has in flight in a stream. `headers` go with every request, as HTTP headers or
    gRPC metadata, under lower-case names. `preload` is how many rows `preload_statements` has stored before. `mix` is
    one of the workload's named mixes; None takes the weights of its operations. Without
    `keep_alive` each request over HTTP has a connection of its own. `operations` are those to send; all where empty.
    """

    target: str
    protocol: str
    host: str
    port: int
    mode: str
    phases: Sequence[Mapping[str, Any]]
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
    tls: Tls | None = None
    headers: Mapping[str, str] = field(default_factory=dict)
    reuse: Reuse = field(default_factory=Reuse)
    preload: int = 0
    mix: str | None = None
    operations: Sequence[str] = ()
    keep_alive: bool = True


def compile_plan(workload: Workload, load: Load) -> Plan:
    """The plan, as contract/schemas/plan.schema.json says.

    Raises UsageError for what the workload does not have: a payload, a mix, a protocol, a batch, a stream, keys to use
    again.
    """
    document = workload.document
    size = _size(workload, load.payload)
    keys = list(document.get("keys", {}))
    weights = weights_of(workload, load.mix, load.operations)
    if not any(weights.values()):
        raise BakeoffError(f"{workload.name}: every operation has weight 0. Give at least one a weight.")
    operations = [
        {**_operation(workload, entry, keys, size, load), "weight": weights[entry["name"]]}
        for entry in document["operations"]
    ]
    return {
        "version": 1,
        "workload": workload.name,
        "target": load.target,
        "mode": load.mode,
        "payload": load.payload,
        "run": load.run,
        "seed": f"{load.seed:016x}",
        "base_time_ms": BASE_TIME_MS,
        "transport": _transport(load),
        "proto": _proto(workload) if load.protocol == "grpc" else None,
        "phases": [dict(phase) for phase in load.phases],
        "think_time_ms": load.think_time_ms,
        "thresholds": THRESHOLDS,
        "keys": _keys(workload, load.reuse),
        "size_bytes": size,
        "operations": operations,
        "batch": _batch(workload, load) if load.batch > 1 else None,
        "stream": _stream(workload, load) if load.stream else None,
        "ledger": None if load.ledger is None else str(load.ledger),
        "verify_share": load.verify_share,
        "preload": load.preload,
    }


def _transport(load: Load) -> Document:
    transport = {
        "protocol": load.protocol,
        "host": load.host,
        "port": load.port,
        "connections": load.connections,
        "batch": load.batch,
        "stream": load.stream,
        "window": load.window,
        "timeout_ms": load.timeout_ms,
        "headers": dict(load.headers),
    }
    if not load.keep_alive:
        transport["keep_alive"] = False
    return transport if load.tls is None else {**transport, "tls": load.tls.planned()}


def _size(workload: Workload, payload: str) -> int | None:
    sizes = workload.document.get("sizes", {"default": "natural"})
    if payload not in sizes:
        raise UsageError(f'There is no payload "{payload}". Payloads of {workload.name}: {", ".join(sizes)}.')
    size = sizes[payload]
    return None if size == "natural" else int(size)


def weights_of(workload: Workload, mix: str | None = None, operations: Sequence[str] = ()) -> dict[str, int]:
    """The weight of each operation: its own, or that of a mix, which gives 0 to operations that it does not name.

    Of `operations`, where they are named, each has at least 1, and all others 0. Raises UsageError for unknown names.
    """
    weights = _weights_of_mix(workload, mix)
    unknown = [name for name in operations if name not in weights]
    if unknown:
        raise UsageError(f'There is no operation "{unknown[0]}". Operations of {workload.name}: {", ".join(weights)}.')
    return {name: max(1, own) if name in operations else 0 for name, own in weights.items()} if operations else weights


def _weights_of_mix(workload: Workload, mix: str | None) -> dict[str, int]:
    own = {entry["name"]: int(entry["weight"]) for entry in workload.document["operations"]}
    mixes = workload.document.get("mixes", {})
    if mix is None:
        return own
    if mix not in mixes:
        raise UsageError(f'There is no mix "{mix}". Mixes of {workload.name}: {", ".join(mixes) or "none"}.')
    return {name: int(mixes[mix].get(name, 0)) for name in own}


def _keys(workload: Workload, reuse: Reuse) -> list[Document]:
    kinds: dict[str, Document] = workload.document.get("keys", {})
    if not reuse.is_empty and not any("reuse" in kind for kind in kinds.values()):
        raise UsageError(
            f"{workload.name} has no operation that updates existing keys: omit the options about updates."
        )
    return [
        {"name": name, "format": parse_template(kind["format"]), "reuse": reuse.applied_to(kind.get("reuse"))}
        for name, kind in kinds.items()
    ]


def _operation(workload: Workload, entry: Document, keys: list[str], size: int | None, load: Load) -> Document:
    place = f"{workload.name}: operation {entry['name']}"
    if load.protocol not in entry:
        raise UsageError(f"{place} cannot be sent by {load.protocol}: workload.toml gives it no {load.protocol} table.")
    try:
        key_format = parse_template(workload.document["keys"][entry["key"]]["format"]) if "key" in entry else []
        return {
            "name": entry["name"],
            "weight": entry["weight"],
            "key": keys.index(entry["key"]) if "key" in entry else None,
            "http": _http(entry["http"], _content_type(entry)) if "http" in entry else None,
            "grpc": _grpc(entry["grpc"]) if "grpc" in entry else None,
            "variants": _messages(workload, entry, size, load, key_format),
            "creates": entry.get("creates"),
            "needs": entry.get("needs"),
            "effect": _effect(entry["effect"]) if "effect" in entry else None,
            **({"reads": _effect(entry["reads"])} if "reads" in entry else {}),
            **({"login": True} if entry.get("login") else {}),
        }
    except TemplateError as error:
        raise BakeoffError(f"{place}: {error.message}") from error


def _content_type(entry: Document) -> str | None:
    """What the body of an operation's requests is; None where they have none."""
    if message_of(entry, "http") is None:
        return None
    return "text/plain; charset=utf-8" if entry.get("body") == "text" else "application/json"


def _http(entry: Document, content_type: str | None) -> Document:
    headers = {} if content_type is None else {"content-type": content_type}
    headers |= {name.lower(): value for name, value in entry.get("headers", {}).items()}
    constant, templates = _constants_and_templates(headers)
    return {
        "capture": {},
        **{name: value for name, value in entry.items() if name not in ("headers", "message")},
        **_reply(entry),
        "path": parse_template(entry["path"]),
        "headers": constant,
        **({"header_templates": templates} if templates else {}),
    }


def _grpc(entry: Document) -> Document:
    metadata = {name: parse_template(value) for name, value in entry.get("metadata", {}).items()}
    return {
        "capture": {},
        **{name: value for name, value in entry.items() if name not in ("metadata", "message")},
        **_reply(entry),
        **({"metadata_templates": metadata} if metadata else {}),
    }


def _reply(entry: Document) -> Document:
    """What a reply must hold: constant values, and texts with slots."""
    constant, templates = _constants_and_templates(entry.get("reply", {}))
    return {"reply": constant, **({"reply_templates": templates} if templates else {})}


def _constants_and_templates(values: Mapping[str, Any]) -> tuple[Document, dict[str, Segments]]:
    """Values by name: those without slots as they are, and those with slots as segments."""
    has_slot = {name: isinstance(value, str) and "${" in value for name, value in values.items()}
    constant = {name: value for name, value in values.items() if not has_slot[name]}
    return constant, {name: parse_template(value) for name, value in values.items() if has_slot[name]}


def _messages(
    workload: Workload, entry: Document, size: int | None, load: Load, key_format: Segments
) -> list[Segments]:
    """The variants of an operation's message: JSON without white space, or text as it is written."""
    message = message_of(entry, load.protocol) or ""
    if entry.get("body") == "text":
        return [parse_template(message.removesuffix("\n"))]
    return _variants(workload, message, size, load.seed, key_format)


def _variants(workload: Workload, message: str, size: int | None, seed: int, key_format: Segments) -> list[Segments]:
    template = parse_template(without_white_space(message))
    grows = slots_named(template, "fill")
    if size is None:
        return [parse_template(without_white_space(message).replace("${fill}", ""))]
    if len(grows) != 1:
        raise TemplateError(f"a message of {size} bytes needs ${{fill}} in it, once.")
    fill = workload.document.get("fill")
    if fill is None:
        raise TemplateError("${fill} needs a [fill] table in workload.toml.")
    return [fill_to(template, size, fill, variant, seed, key_format) for variant in range(fill["variants"])]


def _effect(entry: Document) -> Document:
    return {**entry, "key": [parse_template(part) for part in entry["key"]]}


def _batch(workload: Workload, load: Load) -> Document:
    entry = workload.document.get("batch", {}).get(load.protocol)
    if entry is None:
        raise UsageError(f"{workload.name} has no [batch] for {load.protocol}: leave out --batch.")
    return {"reply": {}, **entry}


def _stream(workload: Workload, load: Load) -> Document:
    entry = workload.document.get("stream", {}).get(load.protocol)
    if entry is None:
        raise UsageError(f"{workload.name} has no [stream] for {load.protocol}: leave out --stream.")
    return {"reply": {}, **entry}


def _proto(workload: Workload) -> Document:
    path = workload.file("proto")
    if path is None:
        raise BakeoffError(f"{workload.name}: a gRPC target needs proto in workload.toml.")
    return {
        "file": str(path),
        "import_path": str(path.parent),
        "descriptor_set": base64.b64encode(descriptor_set(path)).decode(),
    }
