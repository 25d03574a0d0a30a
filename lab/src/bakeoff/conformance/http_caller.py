"""Sends any bytes as an HTTP/1.1 request, and takes an answer that comes before the request is complete."""

import contextlib
import http.client
import io
import select
import socket
import ssl
import time
from typing import cast

from bakeoff.conformance.exchange import HttpReply, HttpRequest, NoReplyError
from bakeoff.errors import BakeoffError
from bakeoff.targets.access import Access

_CHUNK_BYTES = 65_536


class HttpCaller:
    """One connection for each request, so that a case cannot suffer from the one before it."""

    def __init__(self, access: Access, *, timeout_s: float = 15.0, user_agent: str | None = None) -> None:
        self._access = access
        self._tls = access.ssl_context()
        self._timeout_s = timeout_s
        self._own = {**access.headers, **({} if user_agent is None else {"user-agent": user_agent})}

    def check_reachable(self) -> None:
        """Raises BakeoffError when no server listens at the address."""
        try:
            self._connected().close()
        except OSError as error:
            raise BakeoffError(
                f"No HTTP reply from {self._access.address}: {error.strerror or error}. Start the target, or correct "
                "its address."
            ) from error

    def send(self, request: HttpRequest) -> HttpReply:
        """The reply; raises NoReplyError when none has come within the timeout, however the target behaves."""
        deadline = time.monotonic() + self._timeout_s
        try:
            with self._connected() as connection:
                if self._tls is None:
                    _send_until_answered(connection, self._encoded(request), deadline)
                else:
                    # A TLS socket is readable for other reasons too: an early reply is read only when sending fails.
                    connection.settimeout(_remaining_s(deadline))
                    with contextlib.suppress(BrokenPipeError, ConnectionResetError, ssl.SSLEOFError):
                        connection.sendall(self._encoded(request))
                return _reply(connection, request.method, deadline)
        except TimeoutError as error:
            raise NoReplyError(f"no reply within {self._timeout_s:g} s") from error
        except ConnectionRefusedError as error:
            raise NoReplyError("the connection was refused") from error
        except (OSError, http.client.HTTPException) as error:
            raise NoReplyError(f"no HTTP reply: {error or type(error).__name__}") from error

    def _connected(self) -> socket.socket:
        connection = socket.create_connection((self._access.host, self._access.port), self._timeout_s)
        if self._tls is None:
            return connection
        return self._tls.wrap_socket(connection, server_hostname=self._access.host)

    def _encoded(self, request: HttpRequest) -> bytes:
        is_chunked = request.headers.get("transfer-encoding") == ("chunked",)
        usual = {"host": self._access.address, "connection": "close", **self._own}
        if request.body is not None and not is_chunked:
            usual["content-length"] = str(len(request.body))
        headers = {name: (value,) for name, value in usual.items()} | dict(request.headers)
        lines = [f"{name}: {value}" for name, values in headers.items() for value in values]
        body = request.body or b""
        if is_chunked:
            chunks = [body[start : start + _CHUNK_BYTES] for start in range(0, len(body), _CHUNK_BYTES)]
            body = b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
        return "\r\n".join([f"{request.method} {request.path} HTTP/1.1", *lines, "", ""]).encode() + body


def _send_until_answered(connection: socket.socket, content: bytes, deadline: float) -> None:
    """A target may refuse a body by its length, answer and close. What is left to send is of no use to it then, and
    an error of sending must not hide the answer, which is still there to read."""
    connection.setblocking(False)
    rest = memoryview(content)
    while rest:
        readable, writable, _ = select.select([connection], [connection], [], _remaining_s(deadline))
        if readable:
            return
        if not writable:
            raise TimeoutError
        try:
            rest = rest[connection.send(rest) :]
        except BlockingIOError:
            continue
        except (BrokenPipeError, ConnectionResetError):
            return


def _reply(connection: socket.socket, method: str, deadline: float) -> HttpReply:
    reader = _ReaderUntil(connection, deadline)
    response = http.client.HTTPResponse(cast(socket.socket, reader), method=method)
    try:
        response.begin()
        body = response.read()
        return HttpReply(response.status, {name.lower(): value for name, value in response.getheaders()}, body)
    finally:
        response.close()


class _ReaderUntil(io.RawIOBase):
    """As much of a socket as HTTPResponse reads from, with one deadline over all of it."""

    def __init__(self, connection: socket.socket, deadline: float) -> None:
        self._connection = connection
        self._deadline = deadline

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(self)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: "memoryview[int]") -> int:  # type: ignore[override]
        self._connection.settimeout(_remaining_s(self._deadline))
        return self._connection.recv_into(buffer)


def _remaining_s(deadline: float) -> float:
    remaining = deadline - time.monotonic()
    if remaining <= 0:
        raise TimeoutError
    return remaining
