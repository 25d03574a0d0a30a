"""One gRPC call over HTTP/2 with any bytes as its body: what no gRPC library lets a client send."""

import socket
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from urllib.parse import unquote

import grpc
import h2.config
import h2.connection
import h2.events
import h2.exceptions

from bakeoff.conformance.exchange import GrpcReply, NoReplyError
from bakeoff.targets.access import Access

Headers = Sequence[tuple[str, str]]

_PREFIX_BYTES = 5
_READ_BYTES = 65_536
_CODES = {code.value[0]: code.name for code in grpc.StatusCode}
_EMPTY_MESSAGE = bytes(_PREFIX_BYTES)


def call_over_wire(access: Access, method: str, headers: Headers, body: bytes, *, timeout_s: float) -> GrpcReply:
    """The status of the call and what came before it, and whether its connection then served a health check.

    Raises NoReplyError when the call did not end with a status within the timeout.
    """
    try:
        with _WireConnection(access, timeout_s) as connection:
            reply = connection.call(method, headers, body)
            return replace(reply, connection_lasted=connection.lasts())
    except TimeoutError as error:
        raise NoReplyError(f"no reply within {timeout_s:g} s") from error
    except (OSError, h2.exceptions.ProtocolError) as error:
        raise NoReplyError(f"no HTTP/2 reply: {error or type(error).__name__}") from error


@dataclass
class _Answer:
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    has_ended: bool = False
    reset: int | None = None


class _WireConnection:
    """One connection with one call after another; it has one deadline, and is closed at the end of the block."""

    def __init__(self, access: Access, timeout_s: float) -> None:
        self._deadline = time.monotonic() + timeout_s
        self._scheme = "http" if access.tls is None else "https"
        self._authority = access.address
        self._socket = socket.create_connection((access.host, access.port), timeout_s)
        tls = access.ssl_context()
        if tls is not None:
            tls.set_alpn_protocols(["h2"])
            self._socket = tls.wrap_socket(self._socket, server_hostname=access.host)
        self._state = h2.connection.H2Connection(h2.config.H2Configuration(header_encoding="utf-8"))
        self._state.initiate_connection()

    def __enter__(self) -> "_WireConnection":
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def call(self, method: str, headers: Headers, body: bytes) -> GrpcReply:
        """Sends the whole call, unless the answer ends before that."""
        stream = self._state.get_next_available_stream_id()
        answer = _Answer()
        usual = {
            ":method": "POST",
            ":scheme": self._scheme,
            ":path": f"/{method}",
            ":authority": self._authority,
            "te": "trailers",
            "content-type": "application/grpc",
        }
        self._state.send_headers(stream, [*usual.items(), *headers])
        self._send_body(stream, body, answer)
        while not answer.has_ended:
            self._receive(stream, answer)
        return _reply(answer)

    def lasts(self) -> bool:
        """Whether the connection still serves calls; what it answers to one does not count."""
        try:
            self.call("grpc.health.v1.Health/Check", (), _EMPTY_MESSAGE)
        except (OSError, h2.exceptions.ProtocolError, NoReplyError):
            return False
        return True

    def _send_body(self, stream: int, body: bytes, answer: _Answer) -> None:
        rest = memoryview(body)
        while rest and not answer.has_ended:
            window = min(self._state.local_flow_control_window(stream), self._state.max_outbound_frame_size)
            if window:
                self._state.send_data(stream, rest[:window].tobytes())
                rest = rest[window:]
            else:
                self._receive(stream, answer)
        if not answer.has_ended:
            self._state.end_stream(stream)
            self._flush()

    def _receive(self, stream: int, answer: _Answer) -> None:
        self._flush()
        self._socket.settimeout(self._remaining_s())
        received = self._socket.recv(_READ_BYTES)
        if not received:
            raise NoReplyError("the connection was closed before the call ended")
        for event in self._state.receive_data(received):
            if getattr(event, "stream_id", None) == stream:
                self._take(event, answer)
        # A server that has replied may have disconnected; the rest goes out with the next call.
        if not answer.has_ended:
            self._flush()

    def _take(self, event: h2.events.Event, answer: _Answer) -> None:
        match event:
            case h2.events.ResponseReceived(headers=headers) | h2.events.TrailersReceived(headers=headers):
                answer.headers |= {str(name): str(value) for name, value in headers or ()}
            case h2.events.DataReceived(data=data, flow_controlled_length=length, stream_id=stream):
                answer.body += data or b""
                self._state.acknowledge_received_data(length or 0, stream or 0)
            case h2.events.StreamEnded():
                answer.has_ended = True
            case h2.events.StreamReset(error_code=code):
                answer.has_ended = True
                answer.reset = int(code or 0)

    def _flush(self) -> None:
        self._socket.settimeout(self._remaining_s())
        self._socket.sendall(self._state.data_to_send())

    def _remaining_s(self) -> float:
        remaining = self._deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError
        return remaining


def _reply(answer: _Answer) -> GrpcReply:
    status = answer.headers.get("grpc-status", "")
    if not status.isdecimal():
        how = f"HTTP status {answer.headers.get(':status', 'unknown')}"
        raise NoReplyError(f"no gRPC status: {how if answer.reset is None else f'stream reset, error {answer.reset}'}")
    message = unquote(answer.headers.get("grpc-message", ""))
    return GrpcReply(_CODES.get(int(status), status), message, tuple(_messages(answer.body)), answer.headers)


def _messages(body: bytes) -> Iterator[bytes]:
    while body:
        length = int.from_bytes(body[1:_PREFIX_BYTES])
        message, body = body[_PREFIX_BYTES : _PREFIX_BYTES + length], body[_PREFIX_BYTES + length :]
        if len(message) < length:
            raise NoReplyError("the reply is truncated inside a message")
        yield message
