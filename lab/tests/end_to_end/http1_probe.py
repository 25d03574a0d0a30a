"""Requests over HTTP/1.1 that keep to the rules or break them, from suites/http1.toml, and the replies to them."""

import contextlib
import socket
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bakeoff.hostile.witness import SampleRequest
from bakeoff.targets.access import Access

_CASES = Path(__file__).parent / "suites" / "http1.toml"
_SILENCE_S = 5.0
_LARGE = "x" * 100_000


@dataclass(frozen=True)
class Probe:
    """What is sent on one connection, and the outcomes that are allowed."""

    name: str
    send: str
    allowed: Sequence[str]


def probes() -> list[Probe]:
    """All of the file, in its order."""
    return [Probe(**entry) for entry in tomllib.loads(_CASES.read_text("utf-8"))["probes"]]


def outcome(probe: Probe, sample: SampleRequest, access: Access) -> str:
    """The replies that a probe gets: "2xx" and "4xx" as the file describes them, or "silence"."""
    sent = probe.send.format_map(_parts(sample, access)).encode("latin-1")
    received, closed = b"", False
    with socket.create_connection((access.host, access.port), timeout=_SILENCE_S) as connection:
        # A target that refuses may close before it has read everything.
        with contextlib.suppress(OSError):
            connection.sendall(sent)
        try:
            while data := connection.recv(65_536):
                received += data
            closed = True
        except TimeoutError:
            pass
        except OSError:
            closed = True
    replies = [_kind(status) for status in _statuses(received) if status >= 200]
    if replies:
        return " ".join(replies)
    return "4xx" if closed else "silence"


def _parts(sample: SampleRequest, access: Access) -> Mapping[str, str]:
    host = f"{access.host}:{access.port}"
    others = "".join(f"{name}: {value}\r\n" for name, value in sample.fields.items())
    body = sample.body.decode("latin-1")
    return {
        "method": sample.method,
        "method_lower": sample.method.lower(),
        "path": sample.path,
        "host": host,
        "request": f"{sample.method} {sample.path} HTTP/1.1",
        "others": others,
        "fields": f"Host: {host}\r\n{others}",
        "length": str(len(body)),
        "size": f"{len(body):x}",
        "body": body,
        "chunk": f"{len(body):x}\r\n{body}",
        "large": _LARGE,
    }


def _kind(status: int) -> str:
    return "2xx" if status < 300 else "4xx"


def _statuses(received: bytes) -> list[int]:
    """The statuses of replies one after another; what is no reply ends the list."""
    statuses = []
    while received.startswith(b"HTTP/1."):
        head, _, rest = received.partition(b"\r\n\r\n")
        first, *lines = head.split(b"\r\n")
        statuses.append(int(first.split()[1]))
        fields = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
        if b"chunked" in fields.get(b"transfer-encoding", b""):
            rest = _after_chunks(rest)
        else:
            rest = rest[int(fields.get(b"content-length", b"0")) :]
        received = rest
    return statuses


def _after_chunks(content: bytes) -> bytes:
    while True:
        size, _, content = content.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        content = content[length + 2 :]
        if length == 0:
            return content
