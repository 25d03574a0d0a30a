"""The kinds of hostile connections: http1.toml and http2.toml of this package, read into records."""

from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Literal

import msgspec


class Step(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that a connection sends. Exactly one member says which; the others refine it.

    Over HTTP/1: `text` with {method}, {path}, {host}, {headers}, {length}; `body`. Over HTTP/2: `headers` opens a
    stream, which the steps after it are about, with `also` as further fields and `extra` as fields of so many bytes.
    `body` is "valid", "large" or a number of bytes; `less` leaves out its last bytes. `gzip` is so many zeros,
    compressed. `repeat` sends steps `times` times, or until the end.
    """

    text: str | None = None
    body: Literal["valid", "large"] | int | None = None
    less: int = 0
    gzip: int | None = None
    repeat: Sequence["Step"] = ()
    times: int | None = None
    pause_s: float | None = None
    headers: bool = False
    also: Mapping[str, str] = {}
    extra: Mapping[str, str] = {}
    fields: int = 0
    end: bool = False
    open_block: bool = False
    continuation: int | None = None
    data: int | None = None
    reset: bool = False
    ping: bool = False
    settings: bool = False


class Kind(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One kind: `connections` connections do the same at once for `seconds`.

    `pace` sends one byte each so many seconds. Where a connection `reads` nothing, replies stay in the kernel's
    buffers. `window` is the initial HTTP/2 window for replies, which no update enlarges unless it `grants` more.
    `again` connects again when the target closes. `tls` begins a handshake with a target that is started with TLS.
    """

    name: str
    send: Sequence[Step]
    connections: int = 4
    seconds: float = 4.0
    large: bool = False
    reads: bool = True
    again: bool = False
    pace: float | None = None
    window: int = 65_535
    grants: bool = True
    tls: bool = False
    honours_limit: bool = True


def kinds_of(protocol: Literal["http1", "http2"]) -> Sequence[Kind]:
    """All kinds over a protocol, in the order of the file."""
    text = (files("bakeoff.hostile") / f"{protocol}.toml").read_bytes()
    return msgspec.toml.decode(text, type=dict[Literal["kinds"], Sequence[Kind]])["kinds"]
