"""Sends any bytes as an HTTP request, through the engine's client."""

import base64
import socket
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from bakeoff.conformance.exchange import HttpReply, HttpRequest, NoReplyError
from bakeoff.errors import BakeoffError
from bakeoff.processes.request_client import ClientReply, RequestClient
from bakeoff.targets.access import Access

_CHUNK_BYTES = 65_536


class HttpCaller:
    """One connection for each request, so that a case cannot suffer from the one before it."""

    def __init__(
        self, access: Access, client: RequestClient, *, timeout_s: float = 15.0, user_agent: str | None = None
    ) -> None:
        self._access = access
        self._client = client
        self._timeout_s = timeout_s
        self._own = {**access.headers, **({} if user_agent is None else {"user-agent": user_agent})}

    def check_reachable(self) -> None:
        """Raises BakeoffError when no server listens at the address."""
        try:
            socket.create_connection((self._access.host, self._access.port), self._timeout_s).close()
        except OSError as error:
            raise BakeoffError(
                f"No HTTP reply from {self._access.address}: {error.strerror or error}. Start the target, or correct "
                "its address."
            ) from error

    def send(self, request: HttpRequest) -> HttpReply:
        """The reply; raises NoReplyError when none has come within the timeout, however the target behaves."""
        is_chunked = request.headers.get("transfer-encoding") == ("chunked",)
        body = request.body
        usual = {"host": self._access.address, "connection": "close", **self._own}
        if body is not None and not is_chunked:
            usual["content-length"] = str(len(body))
        headers = {name: (value,) for name, value in usual.items()} | dict(request.headers)
        reply = answered(
            self._client,
            self._access,
            request.path,
            self._timeout_s,
            method=request.method,
            headers=[(name, value) for name, values in headers.items() for value in values],
            body=_chunked(body or b"") if is_chunked else body,
        )
        return _http_reply(reply)

    def send_in_turn(self, requests: Sequence[HttpRequest]) -> Iterator[HttpReply]:
        """The replies to requests that differ in their bodies alone, on one connection while the target keeps it.

        Raises NoReplyError in the place of the first reply that did not come; what follows it was not sent.
        """
        first, *rest = requests
        own = {name: (value,) for name, value in self._own.items()} | dict(first.headers)
        replies = answered_in_turn(
            self._client,
            self._access,
            first.path,
            self._timeout_s,
            method=first.method,
            headers=[(name, value) for name, values in own.items() for value in values],
            body=first.body,
            then=[body_of_next(each.body or b"") for each in rest],
            exact=False,
        )
        return map(_http_reply, replies)


def _http_reply(reply: ClientReply) -> HttpReply:
    return HttpReply(int(reply.status), {name.lower(): value for name, value in reply.headers}, reply.body)


def body_of_next(body: bytes) -> Mapping[str, str]:
    """A request that follows, with this body."""
    return {"body_base64": base64.b64encode(body).decode()}


def answered(
    client: RequestClient, access: Access, path: str, timeout_s: float, *, exact: bool = True, **fields: Any
) -> ClientReply:
    """The reply to a request, by default with these very headers. Raises NoReplyError for none."""
    where = (access.host, access.port)
    return _with_status(
        client.ask(
            where, access.scheme("http"), path, timeout_s=timeout_s, exact=exact, **access.tls_fields(), **fields
        ),
        timeout_s,
    )


def answered_in_turn(
    client: RequestClient, access: Access, path: str, timeout_s: float, **fields: Any
) -> Iterator[ClientReply]:
    """The replies to a request and those that follow it, up to the first that did not come: a NoReplyError."""
    first = answered(client, access, path, timeout_s, reconnects=True, **fields)
    yield first
    for reply in first.then:
        yield _with_status(reply, timeout_s)


def _with_status(reply: ClientReply, timeout_s: float) -> ClientReply:
    if reply.failure in ("timeout", "connect_timeout"):
        raise NoReplyError(f"no reply within {timeout_s:g} s")
    if reply.failure == "refused":
        raise NoReplyError("the connection was refused")
    if reply.failure:
        raise NoReplyError(f"no HTTP reply: {reply.reason}")
    return reply


def _chunked(body: bytes) -> bytes:
    chunks = [body[start : start + _CHUNK_BYTES] for start in range(0, len(body), _CHUNK_BYTES)]
    return b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in [*chunks, b""])
