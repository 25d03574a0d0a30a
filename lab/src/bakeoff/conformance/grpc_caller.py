"""Sends any bytes as gRPC messages, or as a call's body."""

import contextlib

import grpc

from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, NoReplyError
from bakeoff.conformance.grpc_wire import call_over_wire
from bakeoff.errors import BakeoffError
from bakeoff.targets.access import Access
from bakeoff.targets.channel import grpc_channel

_OPTIONS = [
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    # A target that was restarted is tried again at once.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
]


class GrpcCaller:
    """One channel, closed at the end of the `with` block.

    Every reply is read as a stream of messages: on the wire a unary call is a stream of one. A call whose body must go
    out as it is gets its own connection.
    """

    def __init__(
        self,
        access: Access,
        *,
        timeout_s: float = 15.0,
        connect_timeout_s: float = 5.0,
        user_agent: str | None = None,
    ) -> None:
        self._access = access
        self._connect_timeout_s = connect_timeout_s
        self._timeout_s = timeout_s
        self._user_agent = user_agent
        self._channel = grpc_channel(access, _OPTIONS)

    def __enter__(self) -> "GrpcCaller":
        return self

    def __exit__(self, *_: object) -> None:
        self._channel.close()

    def check_reachable(self) -> None:
        """Raises BakeoffError when nothing speaks HTTP/2 at the address."""
        try:
            grpc.channel_ready_future(self._channel).result(timeout=self._connect_timeout_s)
        except grpc.FutureTimeoutError as error:
            raise BakeoffError(
                f"No gRPC reply from {self._access.address} within {self._connect_timeout_s:g} s. Start the target, or "
                "correct its address."
            ) from error

    def send(self, request: GrpcRequest) -> GrpcReply:
        """The status and the replies before it; raises NoReplyError when the call did not end within the timeout."""
        body = request.body
        if body is None and self._user_agent is not None:
            # The library adds its own name to calls.
            body = b"".join(b"\0" + len(payload).to_bytes(4) + payload for payload in request.payloads)
        if body is not None:
            return call_over_wire(
                self._access, request.method, self._metadata(request), body, timeout_s=self._timeout_s
            )
        call = self._call(request)
        payloads: list[bytes] = []
        # The status is read from the call, and what came before an error counts.
        with contextlib.suppress(grpc.RpcError):
            for payload in call:
                payloads.append(payload)
        code = call.code()
        if code is grpc.StatusCode.DEADLINE_EXCEEDED:
            raise NoReplyError(f"no reply within {self._timeout_s:g} s")
        if code is grpc.StatusCode.UNAVAILABLE:
            raise NoReplyError(f"unavailable: {call.details()}")
        return GrpcReply(code.name, call.details() or "", tuple(payloads))

    def _call(self, request: GrpcRequest) -> "grpc._CallIterator[bytes]":
        method, metadata = f"/{request.method}", self._metadata(request)
        if len(request.payloads) == 1:
            # The library starts a thread for each call that sends a stream.
            one: grpc.UnaryStreamMultiCallable[bytes, bytes] = self._channel.unary_stream(method)
            return one(request.payloads[0], timeout=self._timeout_s, metadata=metadata)
        many: grpc.StreamStreamMultiCallable[bytes, bytes] = self._channel.stream_stream(method)
        return many(iter(request.payloads), timeout=self._timeout_s, metadata=metadata)

    def _metadata(self, request: GrpcRequest) -> tuple[tuple[str, str], ...]:
        own = {**self._access.headers, **({} if self._user_agent is None else {"user-agent": self._user_agent})}
        headers = {name: (value,) for name, value in own.items()} | dict(request.headers)
        return tuple((name, value) for name, values in headers.items() for value in values)
