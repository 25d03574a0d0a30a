"""The hostile client keeps to flow control and to the server's settings."""

import asyncio
import struct

from bakeoff.hostile.http2_client import (
    ACK,
    DATA,
    END_STREAM,
    FRAME_BYTES,
    GOAWAY,
    HEADERS,
    PING,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    Http2Client,
    frame,
)

FIELDS = [(":method", "POST")]


def settings(**values: int) -> bytes:
    numbers = {"streams": 3, "window": 4}
    payload = b"".join(struct.pack(">HI", numbers[name], value) for name, value in values.items())
    return frame(SETTINGS, 0, 0, payload)


def test_settings_and_pings_are_acknowledged_also_in_parts() -> None:
    client = Http2Client(0, grants=False)
    sent = settings(streams=7, window=10) + frame(PING, 0, 0, b"12345678")
    assert client.receive(sent[:11]) == b""
    assert client.receive(sent[11:]) == frame(SETTINGS, ACK, 0) + frame(PING, ACK, 0, b"12345678")
    assert client.max_streams == 7
    assert client.opening().endswith(frame(SETTINGS, 0, 0, struct.pack(">HI", 4, 0)))


def test_streams_are_open_until_either_side_ends_them() -> None:
    client = Http2Client(65_535, grants=True)
    for _ in range(3):
        client.headers(FIELDS, end=False, open_block=False)
    assert (client.stream, client.open_streams) == (5, 3)
    client.receive(frame(HEADERS, END_STREAM, 1) + frame(RST_STREAM, 0, 3, bytes(4)))
    assert client.open_streams == 1
    client.reset()
    assert client.open_streams == 0
    client.receive(frame(GOAWAY, 0, 0, bytes(8)))
    assert client.ended


def test_data_waits_for_the_windows_of_connection_and_stream() -> None:
    async def room() -> list[int]:
        client = Http2Client(65_535, grants=True)
        client.receive(settings(window=FRAME_BYTES + 10))
        client.headers(FIELDS, end=False, open_block=False)
        found = [await client.room(10**6), await client.room(10**6)]
        waiting = asyncio.ensure_future(client.room(10**6))
        await asyncio.sleep(0)
        assert not waiting.done()
        client.receive(frame(WINDOW_UPDATE, 0, 1, struct.pack(">I", 5)))
        found.append(await waiting)
        client.receive(frame(RST_STREAM, 0, 1, bytes(4)))
        return [*found, await client.room(1)]

    assert asyncio.run(room()) == [FRAME_BYTES, 10, 5, 0]


def test_replies_are_granted_room_where_the_kind_grants_it() -> None:
    reply = frame(DATA, 0, 1, b"abc")
    assert Http2Client(65_535, grants=True).receive(reply) == frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 3))
    assert Http2Client(0, grants=False).receive(reply) == b""
