"""Clients that break off, by protocol, as bytes on a connection."""

import contextlib
import json
import socket

from event_clients import event

_HTTP2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_HTTP2_SETTINGS = bytes.fromhex("000000040000000000")
# The first bytes of HEADERS for stream 1, of 64 bytes that do not come.
_HTTP2_PART_OF_HEADERS = bytes.fromhex("000040010400000001") + b"\x83"


def _http_head(length: int) -> bytes:
    return (
        b"POST /api/v1/events HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        b"content-length: %d\r\n\r\n" % length
    )


_EVENT = json.dumps(event("broken-off")).encode()
BODY = "in the body"

# What a client sends before it falls silent, and what the silence is called.
SILENCES = {
    "rest": {
        "in the head": b"POST /api/v1/events HTTP/1.1\r\nhost: loc",
        BODY: _http_head(len(_EVENT)) + _EVENT[: len(_EVENT) // 2],
    },
    "grpc": {
        "before the preface": b"",
        "in the preface": _HTTP2_PREFACE[:10],
        "in the headers": _HTTP2_PREFACE + _HTTP2_SETTINGS + _HTTP2_PART_OF_HEADERS,
    },
}


def connected_after(sent: bytes, port: int) -> socket.socket:
    """A connection over which this was sent."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=10)
    connection.sendall(sent)
    return connection


def is_closed(connection: socket.socket) -> bool:
    """Whether the other end has closed the connection; what it sent before is thrown away."""
    connection.setblocking(False)
    try:
        while connection.recv(65_536):
            pass
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
    return True


def all_received(connection: socket.socket, within_s: float) -> bytes:
    """What the other end sends until it closes the connection, or falls silent for so long."""
    connection.settimeout(within_s)
    received = b""
    with contextlib.suppress(OSError):
        while data := connection.recv(65_536):
            received += data
    return received
