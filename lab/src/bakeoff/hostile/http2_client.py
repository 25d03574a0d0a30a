"""A client of HTTP/2 that keeps to flow control, and to nothing else unless its script does."""

import asyncio
import struct
from collections.abc import Sequence

import hpack

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 6, 7, 8, 9
END_STREAM = ACK = 0x1
END_HEADERS = 0x4
_MAX_STREAMS, _INITIAL_WINDOW = 3, 4
FRAME_BYTES = 16_384


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    """RFC 9113, section 4.1."""
    return struct.pack(">I", len(payload))[1:] + struct.pack(">BBI", kind, flags, stream) + payload


class Http2Client:
    """The client's side of one connection: what it may send, and the stream that it last opened."""

    def __init__(self, window: int, *, grants: bool) -> None:
        self._window, self._grants = window, grants
        self._encoder = hpack.Encoder()
        self._received = b""
        self._may_send = 65_535
        self._stream_may_send: dict[int, int] = {}
        self._initial = 65_535
        self._changed = asyncio.Event()
        self.max_streams: int | None = None
        self.stream = -1
        self.ended = False

    def opening(self) -> bytes:
        """The preface and the client's settings."""
        return PREFACE + frame(SETTINGS, 0, 0, struct.pack(">HI", _INITIAL_WINDOW, self._window))

    def headers(self, fields: Sequence[tuple[str, str]], *, end: bool, open_block: bool) -> bytes:
        """HEADERS that open the next stream."""
        self.stream += 2
        self._stream_may_send[self.stream] = self._initial
        flags = (END_STREAM if end else 0) | (0 if open_block else END_HEADERS)
        return frame(HEADERS, flags, self.stream, self._encoder.encode(fields))

    def reset(self) -> bytes:
        """RST_STREAM with CANCEL."""
        self._stream_may_send.pop(self.stream, None)
        return frame(RST_STREAM, 0, self.stream, struct.pack(">I", 8))

    @property
    def open_streams(self) -> int:
        """Streams that neither side has ended, as far as the client has read."""
        return len(self._stream_may_send)

    @property
    def first_has_ended(self) -> bool:
        """Whether the server has ended the first stream, or the connection."""
        return self.ended or (self.stream >= 1 and 1 not in self._stream_may_send)

    async def room(self, most: int) -> int:
        """Bytes of DATA that may be sent now on the last stream, at least one; 0 once the stream has ended."""
        while True:
            if self.stream not in self._stream_may_send:
                return 0
            allowed = min(most, FRAME_BYTES, self._may_send, self._stream_may_send[self.stream])
            if allowed > 0:
                self._may_send -= allowed
                self._stream_may_send[self.stream] -= allowed
                return allowed
            await self.change()

    async def change(self) -> None:
        """Waits until the server has sent something."""
        self._changed.clear()
        await self._changed.wait()

    def receive(self, data: bytes) -> bytes:
        """Takes what the server sent; returns what the protocol asks to reply."""
        self._received += data
        reply = b""
        while len(self._received) >= 9:
            length = int.from_bytes(self._received[:3])
            if len(self._received) < 9 + length:
                break
            kind, flags, stream = self._received[3], self._received[4], int.from_bytes(self._received[5:9])
            payload = self._received[9 : 9 + length]
            self._received = self._received[9 + length :]
            reply += self._take(kind, flags, stream, payload)
        self._changed.set()
        return reply

    def _take(self, kind: int, flags: int, stream: int, payload: bytes) -> bytes:
        if (kind in (DATA, HEADERS) and flags & END_STREAM) or kind == RST_STREAM:
            self._stream_may_send.pop(stream, None)
        match kind:
            case _ if kind == SETTINGS and not flags & ACK:
                self._take_settings(payload)
                return frame(SETTINGS, ACK, 0)
            case _ if kind == PING and not flags & ACK:
                return frame(PING, ACK, 0, payload)
            case _ if kind == WINDOW_UPDATE:
                if stream == 0:
                    self._may_send += int.from_bytes(payload)
                elif stream in self._stream_may_send:
                    self._stream_may_send[stream] += int.from_bytes(payload)
            case _ if kind == GOAWAY:
                self.ended = True
            case _ if kind == DATA and payload and self._grants:
                return frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", len(payload)))
        return b""

    def _take_settings(self, payload: bytes) -> None:
        for setting, value in struct.iter_unpack(">HI", payload):
            if setting == _MAX_STREAMS:
                self.max_streams = value
            elif setting == _INITIAL_WINDOW:
                for stream in self._stream_may_send:
                    self._stream_may_send[stream] += value - self._initial
                self._initial = value
