"""Sends any bytes as gRPC messages, or as a call's body, through the engine's client."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar
from urllib.parse import unquote

from google.rpc.code_pb2 import Code

from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, NoReplyError
from bakeoff.conformance.http_caller import answered, answered_in_turn, body_of_next
from bakeoff.errors import BakeoffError
from bakeoff.processes.request_client import ClientReply, RequestClient
from bakeoff.targets.access import Access

_PREFIX_BYTES = 5
_USUAL = (("te", "trailers"), ("content-type", "application/grpc"))
_HEALTH = "/grpc.health.v1.Health/Check"

_Answered = TypeVar("_Answered")


class GrpcCaller:
    """One connection for each call, whose messages go out as the body of an HTTP/2 request.

    Every reply is read as a stream of messages: on the wire a unary call is a stream of one.
    """

    def __init__(
        self, access: Access, client: RequestClient, *, timeout_s: float = 15.0, user_agent: str | None = None
    ) -> None:
        self._access = access
        self._client = client
        self._timeout_s = timeout_s
        self._user_agent = user_agent

    def check_reachable(self) -> None:
        """Raises BakeoffError when nothing speaks HTTP/2 at the address."""
        try:
            answered(
                self._client,
                self._access,
                _HEALTH,
                self._timeout_s,
                method="POST",
                headers=_USUAL,
                body=bytes(_PREFIX_BYTES),
                http_version="2",
            )
        except NoReplyError as error:
            raise BakeoffError(
                f"No gRPC reply from {self._access.address}: {error}. Start the target, or correct its address."
            ) from error

    def send(self, request: GrpcRequest) -> GrpcReply:
        """The status and the replies before it; raises NoReplyError when the call did not end within the timeout."""
        # What a server answers to what follows does not count, but whether it does.
        then = [] if request.body is None else [{"path": _HEALTH, **body_of_next(bytes(_PREFIX_BYTES))}]
        reply = self._asked(answered, request, then)
        return _grpc_reply(reply, lasted=not any(each.failure for each in reply.then))

    def send_in_turn(self, requests: Sequence[GrpcRequest]) -> Iterator[GrpcReply]:
        """The replies to calls that differ in their messages alone, on one connection while the target keeps it.

        Raises NoReplyError in the place of the first reply that did not come; what follows it was not sent.
        """
        first, *rest = requests
        return map(_grpc_reply, self._asked(answered_in_turn, first, [body_of_next(_body_of(each)) for each in rest]))

    def _asked(
        self, ask: Callable[..., _Answered], request: GrpcRequest, then: Sequence[Mapping[str, str]]
    ) -> _Answered:
        own = {**self._access.headers, **({} if self._user_agent is None else {"user-agent": self._user_agent})}
        headers = {name: (value,) for name, value in own.items()} | dict(request.headers)
        return ask(
            self._client,
            self._access,
            f"/{request.method}",
            self._timeout_s,
            method="POST",
            headers=[*_USUAL, *((name, value) for name, values in headers.items() for value in values)],
            body=_body_of(request),
            http_version="2",
            then=then,
        )


def _body_of(request: GrpcRequest) -> bytes:
    if request.body is not None:
        return request.body
    return b"".join(b"\0" + len(payload).to_bytes(4) + payload for payload in request.payloads)


def _grpc_reply(reply: ClientReply, *, lasted: bool = True) -> GrpcReply:
    found = {name.lower(): value for name, value in reply.headers}
    status = found.get("grpc-status", "")
    if not status.isdecimal():
        raise NoReplyError(f"no gRPC status: HTTP status {reply.status}")
    name = Code.Name(int(status)) if int(status) in Code.values() else status
    message = unquote(found.get("grpc-message", ""))
    return GrpcReply(name, message, tuple(_messages(reply.body)), found, lasted)


def _messages(body: bytes) -> Iterator[bytes]:
    while body:
        length = int.from_bytes(body[1:_PREFIX_BYTES])
        message, body = body[_PREFIX_BYTES : _PREFIX_BYTES + length], body[_PREFIX_BYTES + length :]
        if len(message) < length:
            raise NoReplyError("the reply is truncated inside a message")
        yield message
