"""The bytes of hostile connections, against a server that only listens."""

import asyncio
import gzip
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec
import pytest

from bakeoff.hostile.attack import Attack, AttackReport, run
from bakeoff.hostile.http2_client import END_STREAM, HEADERS, PREFACE, RST_STREAM, SETTINGS, frame
from bakeoff.hostile.kinds import Kind, Step, kinds_of

# The preface of HTTP/2 with settings and their acknowledgement has 48.
_BEFORE_A_REQUEST = 60


class Listener(socketserver.ThreadingTCPServer):
    """Keeps what each connection sends; `answer` is sent first, `reply` once a request has begun.

    `most` bytes are taken before it closes.
    """

    daemon_threads = True
    request_queue_size = 512

    def __init__(self, answer: bytes, most: int, reply: bytes) -> None:
        self.received: list[bytearray] = []
        self.answer, self.most, self.reply = answer, most, reply
        super().__init__(("127.0.0.1", 0), _Connection)


class _Connection(socketserver.BaseRequestHandler):
    request: socket.socket
    server: Listener

    def handle(self) -> None:
        own = bytearray()
        self.server.received.append(own)
        self.request.sendall(self.server.answer)
        try:
            while len(own) < self.server.most and (more := self.request.recv(65_536)):
                if len(own) <= _BEFORE_A_REQUEST < len(own) + len(more):
                    self.request.sendall(self.server.reply)
                own += more
        except ConnectionResetError:
            return


@contextmanager
def listening(answer: bytes = b"", most: int = 10**9, reply: bytes = b"") -> Iterator[Listener]:
    with Listener(answer, most, reply) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def attacked(server: Listener, kind: Kind, protocol: str = "http1", *, until_ended: bool = False) -> AttackReport:
    host, port = server.server_address[:2]
    attack = msgspec.convert(
        {
            "kind": kind, "protocol": protocol, "host": host, "port": port, "method": "POST", "path": "/things",
            "fields": {"content-type": "application/json"}, "valid": b"{}", "large_bytes": 100_000,
            "until_ended": until_ended,
        },
        Attack,
    )  # fmt: skip
    report = AttackReport()
    asyncio.run(run(attack, report))
    return report


HEAD = Step(text="{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n")


def test_a_half_sent_body_lacks_a_byte_and_is_held() -> None:
    kind = Kind(name="half", send=[HEAD, Step(body="large", less=1)], connections=3, seconds=1.0)
    with listening() as server:
        report = attacked(server, kind)
    assert (report.connected, report.closed, report.refused) == (3, 0, 0)
    for received in server.received:
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        assert head.startswith(b"POST /things HTTP/1.1\r\nHost: 127.0.0.1:")
        assert b"Content-Length: 100000" in head and len(body) == 99_999
    assert report.sent_bytes == sum(map(len, server.received))


def test_a_kind_connects_again_when_the_target_closes_and_others_do_not() -> None:
    endless = [HEAD, Step(repeat=[Step(text="{{")])]
    with listening(most=1_000) as server:
        again = attacked(server, Kind(name="again", send=endless, connections=2, seconds=1.0, again=True))
        once = attacked(server, Kind(name="once", send=endless, connections=2, seconds=1.0))
    assert again.connected > 2 and again.connected - again.closed <= 2
    assert (once.connected, once.closed) == (2, 2)


def test_a_target_that_is_gone_refuses() -> None:
    with listening() as server:
        pass
    assert attacked(server, Kind(name="gone", send=[], connections=2, seconds=0.5)).refused == 2


def test_a_bomb_is_much_larger_than_what_is_sent() -> None:
    kind = Kind(name="bomb", send=[Step(text="head\r\n"), Step(gzip=1 << 20)], connections=1, seconds=1.0)
    with listening() as server:
        attacked(server, kind)
    _, _, body = bytes(server.received[0]).partition(b"\r\n\r\n")
    assert len(body) < 10_000 and gzip.decompress(body) == bytes(1 << 20)


def test_streams_over_http2_stay_within_the_windows_of_the_server() -> None:
    kind = Kind(name="streams", send=[Step(repeat=[Step(headers=True), Step(body=50_000, less=1)])], seconds=1.0)
    with listening(frame(SETTINGS, 0, 0)) as server:
        attacked(server, kind, "http2")
    assert len(server.received) == 4
    for received in server.received:
        assert received.startswith(PREFACE)
        # The server never enlarges the connection's window of 65,535 bytes; frames and heads are beside them.
        assert 65_535 < len(received) < 75_000


@pytest.mark.parametrize(
    ("protocol", "reply", "most", "ended"),
    [
        ("http1", b"HTTP/1.1 408 Request Timeout\r\n\r\n", 10**9, 1),
        ("http1", b"HTTP/1.1 100 Continue\r\n\r\n", 10**9, 0),
        ("http1", b"", 10**9, 0),
        ("http1", b"", 61, 1),
        ("http2", frame(RST_STREAM, 0, 1, bytes(4)), 10**9, 1),
        ("http2", frame(HEADERS, END_STREAM, 1), 10**9, 1),
        ("http2", b"", 10**9, 0),
    ],
)
def test_a_stalled_request_ends_by_a_reply_or_with_its_connection(
    protocol: str, reply: bytes, most: int, ended: int
) -> None:
    send = [HEAD, Step(body="valid", less=1)] if protocol == "http1" else [Step(headers=True), Step(body=50, less=1)]
    kind = Kind(name="stalls", send=send, connections=1, seconds=30.0 if ended else 0.5)
    with listening(frame(SETTINGS, 0, 0) if protocol == "http2" else b"", most, reply) as server:
        report = attacked(server, kind, protocol, until_ended=True)
    assert (report.connected, report.ended) == (1, ended)


@pytest.mark.parametrize("protocol", ["http1", "http2"])
def test_every_shipped_kind_is_bounded_and_can_be_played(protocol: str) -> None:
    kinds = kinds_of("http1" if protocol == "http1" else "http2")
    assert len({kind.name for kind in kinds}) == len(kinds) >= 12
    assert all(kind.seconds <= 10 and kind.connections <= 5_000 for kind in kinds)
    with listening(frame(SETTINGS, 0, 0) if protocol == "http2" else b"") as server:
        for kind in kinds:
            report = attacked(server, msgspec.structs.replace(kind, seconds=0.2, connections=2), protocol)
            assert report.connected >= 2, kind.name
            assert report.sent_bytes > 0 or not kind.send, kind.name
