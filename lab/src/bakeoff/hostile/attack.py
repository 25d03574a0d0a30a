"""The process that opens hostile connections: `python -m bakeoff.hostile.attack`, an `Attack` as JSON on stdin.

It sends to the address that it is given, with at most the kind's connections and for at most its seconds, and prints an
`AttackReport` as JSON.
"""

import asyncio
import contextlib
import itertools
import os
import re
import resource
import sys
import time
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial

import msgspec

from bakeoff.hostile.http2_client import CONTINUATION, DATA, END_STREAM, PING, SETTINGS, Http2Client, frame
from bakeoff.hostile.kinds import Kind, Protocol, Step

_NICENESS = 10
_CONNECT_TIMEOUT_S = 5.0
# Connections that a kind with `again` opens in all, for each of its connections.
_MOST_AGAIN = 200
_BLOCK = 65_536
# Then the others' turn comes.
_WRITES_IN_A_ROW = 32
_STATUS_LINE_BYTES = 64
# A reply, but none of those that only precede one.
_FINAL_STATUS = re.compile(rb"HTTP/1\.\d [2-5]\d\d")
_TLS_HELLO = bytes.fromhex("160301020001000001fc0303")


class Attack(msgspec.Struct, frozen=True):
    """A kind, and a request that the target accepts: `fields` are its header fields, `valid` its body.

    With `until_ended` a connection is watched until the target ends its first request, and does nothing more.
    """

    kind: Kind
    protocol: Protocol
    host: str
    port: int
    method: str
    path: str
    fields: Mapping[str, str]
    valid: bytes
    large_bytes: int
    until_ended: bool = False


class AttackReport(msgspec.Struct):
    """Sums over all connections. `closed` were ended by the target, `refused` never opened.

    The target has ended the first request of `ended` of them, by a reply or with its connection, the last one after
    `ended_s`.
    """

    connected: int = 0
    refused: int = 0
    closed: int = 0
    sent_bytes: int = 0
    ended: int = 0
    ended_s: float = 0.0


class _Connection(asyncio.Protocol):
    """One connection: what it has sent and received, and when it may go on."""

    def __init__(self, attack: Attack, report: AttackReport) -> None:
        self.attack, self.report = attack, report
        self.closed = asyncio.Event()
        self.ended = asyncio.Event()
        self._received = b""
        self._in_unit = False
        self._writable = asyncio.Event()
        self._writable.set()
        self._writes = 0
        self.http2: Http2Client | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=2 * _BLOCK)
        self.report.connected += 1
        # A server may send its settings first: they are read once the client of HTTP/2 is there.
        if not self.attack.kind.reads or (self.attack.protocol == "http2" and not self.attack.kind.tls):
            transport.pause_reading()

    def data_received(self, data: bytes) -> None:
        if self.http2 is None:
            self._received = (self._received + data)[:_STATUS_LINE_BYTES]
            if _FINAL_STATUS.match(self._received):
                self.ended.set()
            return
        reply = self.http2.receive(data)
        # One that sends byte by byte is in the middle of a frame, and replies to nothing.
        if reply and not self._in_unit:
            self.transport.write(reply)
        if self.http2.first_has_ended:
            self.ended.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 — asyncio passes it by name
        self.closed.set()
        self.ended.set()
        self._writable.set()
        if self.http2 is not None:
            self.http2.ended = True
            self.http2.receive(b"")

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def send(self, data: bytes) -> None:
        """Writes at once, or byte by byte at the pace of the kind."""
        pace = self.attack.kind.pace
        if pace is None:
            await self.write(data)
            return
        self._in_unit = True
        for byte in data:
            await self.write(bytes([byte]))
            await asyncio.sleep(pace)
        self._in_unit = False

    async def write(self, data: bytes) -> None:
        await self._writable.wait()
        if self.closed.is_set() or self.transport.is_closing():
            raise ConnectionResetError
        self.transport.write(data)
        self.report.sent_bytes += len(data)
        self._writes += 1
        if self._writes % _WRITES_IN_A_ROW == 0:
            await asyncio.sleep(0)


async def run(attack: Attack, report: AttackReport) -> None:
    """Opens all connections and ends them when the time is over; counts them in `report`."""
    kind = msgspec.structs.replace(attack.kind, send=_rendered(attack, attack.kind.send))
    attack = msgspec.structs.replace(attack, kind=kind)
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_attacker(attack, report)) for _ in range(attack.kind.connections)]
        await asyncio.wait(tasks, timeout=attack.kind.seconds)
        for task in tasks:
            task.cancel()


async def _attacker(attack: Attack, report: AttackReport) -> None:
    loop = asyncio.get_running_loop()
    for _ in range(_MOST_AGAIN if attack.kind.again else 1):
        opened = partial(_Connection, attack, report)
        try:
            async with asyncio.timeout(_CONNECT_TIMEOUT_S):
                _, connection = await loop.create_connection(opened, attack.host, attack.port)
        except OSError:
            report.refused += 1
            continue
        try:
            if attack.until_ended:
                await _until_ended(connection, report)
                return
            await _play(connection)
            await connection.closed.wait()
            report.closed += 1
        except ConnectionError:
            report.closed += 1
        finally:
            if not connection.closed.is_set():
                connection.transport.abort()
        await asyncio.sleep(0)


async def _until_ended(connection: _Connection, report: AttackReport) -> None:
    began = time.monotonic()
    playing = asyncio.ensure_future(_play(connection))
    try:
        await connection.ended.wait()
    finally:
        playing.cancel()
    report.ended += 1
    report.ended_s = max(report.ended_s, time.monotonic() - began)
    with contextlib.suppress(asyncio.CancelledError, ConnectionError):
        await playing


async def _play(connection: _Connection) -> None:
    attack = connection.attack
    if attack.kind.tls:
        await connection.write(_TLS_HELLO)
        return
    if attack.protocol == "http2":
        client = connection.http2 = Http2Client(attack.kind.window, grants=attack.kind.grants)
        await connection.write(client.opening())
        if attack.kind.reads:
            connection.transport.resume_reading()
        if attack.kind.send and attack.kind.reads:
            await client.change()
    await _send_script(connection, attack.kind.send)


async def _send_script(connection: _Connection, steps: Sequence[Step]) -> None:
    for step in steps:
        if step.repeat:
            for _ in itertools.count() if step.times is None else range(step.times):
                await _send_script(connection, step.repeat)
        elif step.pause_s is not None:
            await asyncio.sleep(step.pause_s)
        elif connection.http2 is not None:
            await _send_http2(connection, connection.http2, step)
        else:
            for data in _http1(connection.attack, step):
                await connection.send(data)


def _http1(attack: Attack, step: Step) -> Sequence[bytes]:
    if step.text is not None:
        return [step.text.encode()]
    if step.gzip is not None:
        bomb = _bomb(step.gzip)
        return [b"Content-Length: %d\r\n\r\n" % len(bomb) + bomb]
    size, content = _body(attack, step)
    full, rest = divmod(size - step.less, _BLOCK)
    return [content] if content else [b" " * _BLOCK] * full + [b" " * rest] * bool(rest)


def _rendered(attack: Attack, steps: Sequence[Step]) -> list[Step]:
    """The steps with their texts filled in."""
    fields = "".join(f"{name}: {value}\r\n" for name, value in attack.fields.items())
    known = {
        "method": attack.method,
        "path": attack.path,
        "headers": f"Host: {attack.host}:{attack.port}\r\n{fields}",
        "length": attack.large_bytes if attack.kind.is_large else len(attack.valid),
    }
    return [
        msgspec.structs.replace(
            step,
            text=None if step.text is None else step.text.format(**known),
            repeat=_rendered(attack, step.repeat),
        )
        for step in steps
    ]


def _body(attack: Attack, step: Step) -> tuple[int, bytes]:
    """How long a body is, and its content where it is a valid one."""
    if step.body == "valid":
        return len(attack.valid), attack.valid
    return (attack.large_bytes if step.body == "large" else step.body or 0), b""


@lru_cache(maxsize=2)
def _bomb(size: int) -> bytes:
    """Zeros by gzip: a thousandth of `size` bytes."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    return b"".join([*(packer.compress(bytes(1 << 20)) for _ in range(size >> 20)), packer.flush()])


async def _send_http2(connection: _Connection, client: Http2Client, step: Step) -> None:
    attack, kind = connection.attack, connection.attack.kind
    if client.ended:
        raise ConnectionResetError
    if step.headers:
        while kind.honours_limit and client.max_streams is not None and client.open_streams >= client.max_streams:
            await client.change()
            if client.ended:
                raise ConnectionResetError
        await connection.send(client.headers(_fields(attack, step), end=step.end, open_block=step.open_block))
    elif step.body is not None:
        size, content = _body(attack, step)
        message = b"\0" + size.to_bytes(4) + (content or bytes(size - step.less))
        await _send_data(connection, client, message, end=step.end)
    elif step.gzip is not None:
        bomb = _bomb(step.gzip)
        await _send_data(connection, client, b"\1" + len(bomb).to_bytes(4) + bomb, end=step.end)
    elif step.data is not None:
        await _send_data(connection, client, bytes(step.data), end=step.end)
    elif step.continuation is not None:
        block = _LITERAL * (step.continuation // len(_LITERAL))
        await connection.send(frame(CONTINUATION, 0, client.stream, block))
    elif step.reset:
        await connection.send(client.reset())
    elif step.ping:
        await connection.send(frame(PING, 0, 0, bytes(8)) * 500)
    elif step.settings:
        await connection.send(frame(SETTINGS, 0, 0) * 500)


# A literal field without indexing, "x-a: 0123456789".
_LITERAL = b"\0\x03x-a\x0a0123456789"


def _fields(attack: Attack, step: Step) -> list[tuple[str, str]]:
    pseudo = {
        ":method": attack.method, ":scheme": "http", ":path": attack.path, ":authority": f"{attack.host}:{attack.port}",
    }  # fmt: skip
    extra = [(name, "x" * int(size)) for name, size in step.extra.items()] * max(step.fields, 1)
    return [*pseudo.items(), *attack.fields.items(), *step.also.items(), *extra]


async def _send_data(connection: _Connection, client: Http2Client, content: bytes, *, end: bool) -> None:
    if not content:
        await connection.send(frame(DATA, END_STREAM if end else 0, client.stream) * (1 if end else 500))
    rest = memoryview(content)
    while rest:
        room = await client.room(len(rest))
        if room == 0 or client.ended:
            return
        last = end and room == len(rest)
        await connection.send(frame(DATA, END_STREAM if last else 0, client.stream, bytes(rest[:room])))
        rest = rest[room:]


def main() -> None:
    """One attack."""
    # On a host of their own, clients would take no CPU from the target.
    os.nice(_NICENESS)
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    attack = msgspec.json.decode(sys.stdin.buffer.read(), type=Attack)
    report = AttackReport()
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(run(attack, report))
    sys.stdout.buffer.write(msgspec.json.encode(report))


if __name__ == "__main__":
    main()
