"""Sends events over either protocol and names their outcomes alike."""

import contextlib
import http.client
import json
import socket
import ssl
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from enum import Enum
from types import TracebackType
from typing import Any

import grpc

from bakeoff.conformance.calls import grpc_table, http_table
from bakeoff.conformance.case import Call
from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.workload.declaration import GrpcCall
from bakeoff.workload.loader import Workload

# Longer than anything that a target may take; only a target that hangs is waited for so long.
_TIMEOUT_S = 60.0


class Outcome(Enum):
    """The outcome that a reply names, whichever the protocol."""

    STORED = (200, "OK")
    OVERLOADED = (429, "RESOURCE_EXHAUSTED")
    UNAVAILABLE = (503, "UNAVAILABLE")
    UNAUTHENTICATED = (401, "UNAUTHENTICATED")
    NO_REPLY = (0, "")
    OTHER = (-1, "other")


@dataclass(frozen=True)
class Answer:
    """The reply to an event. `retry_after` is the header's text."""

    outcome: Outcome
    message: str
    retry_after: str | None = None


def event(entity: str, attributes: Any = None) -> dict[str, Any]:
    """An event that updates one entity."""
    return {
        "eventHeader": {"uuid": "550e8400-e29b-41d4-a716-446655440000", "eventName": "Tried"},
        "eventBody": {
            "entities": [{"entityType": "Trial", "entityId": entity, "updatedAttributes": attributes or {"value": 1}}]
        },
    }


class EventClients:
    """As many clients at once as events are sent; over gRPC they share a channel. Closed at the end of the block."""

    def __init__(
        self,
        workload: Workload,
        protocol: str,
        port: int,
        *,
        at_once: int = 64,
        tls: "TlsTrust | None" = None,
        token: str | None = None,
    ) -> None:
        authorization = {} if token is None else {"authorization": f"Bearer {token}"}
        self._sender: _HttpSender | _GrpcSender
        if protocol == "grpc":
            self._sender = _GrpcSender(workload, port, tls, authorization)
        else:
            self._sender = _HttpSender(workload, port, tls, authorization)
        self._threads = ThreadPoolExecutor(at_once)

    def __enter__(self) -> "EventClients":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._sender.close()
        self._threads.shutdown()

    def send(self, events: Sequence[Any]) -> list["Future[Answer]"]:
        """Sends events, each from its own client."""
        return [self._threads.submit(self._sender.send, event) for event in events]

    def hang_up(self) -> None:
        """Closes the connections, whatever is still in flight on them."""
        self._sender.close()

    def answer(self, event: Any) -> Answer:
        """Sends an event and waits for its answer."""
        return self._sender.send(event)


@dataclass(frozen=True)
class TlsTrust:
    """A certificate that clients trust, as PEM."""

    certificate: bytes

    def context(self, *protocols: str) -> ssl.SSLContext:
        """The TLS context of a client's connections; protocols are offered by ALPN."""
        context = ssl.create_default_context(cadata=self.certificate.decode())
        if protocols:
            context.set_alpn_protocols(list(protocols))
        return context

    def channel(self, port: int, options: Sequence[tuple[str, Any]]) -> grpc.Channel:
        """A gRPC channel over TLS."""
        return grpc.secure_channel(f"127.0.0.1:{port}", grpc.ssl_channel_credentials(self.certificate), options=options)


class _HttpSender:
    def __init__(self, workload: Workload, port: int, tls: TlsTrust | None, headers: dict[str, str]) -> None:
        self._table = http_table(workload, Call.SINGLE)
        self._port = port
        self._context = None if tls is None else tls.context()
        self._headers = {"content-type": "application/json", **headers}
        self._open: set[http.client.HTTPConnection] = set()

    def send(self, event: Any) -> Answer:
        connection = self._connection()
        self._open.add(connection)
        try:
            connection.request(self._table.method, self._table.path, json.dumps(event), self._headers)
            response = connection.getresponse()
            reply = json.loads(response.read())
        except (OSError, http.client.HTTPException) as error:
            return Answer(Outcome.NO_REPLY, str(error))
        finally:
            self._open.discard(connection)
            connection.close()
        return Answer(_outcome(response.status, 0), str(reply["message"]), response.getheader("retry-after"))

    def close(self) -> None:
        for connection in list(self._open):
            if connection.sock is not None:
                with contextlib.suppress(OSError):
                    # Closing alone would not wake the thread that reads.
                    connection.sock.shutdown(socket.SHUT_RDWR)

    def _connection(self) -> http.client.HTTPConnection:
        if self._context is None:
            return http.client.HTTPConnection("127.0.0.1", self._port, timeout=_TIMEOUT_S)
        return http.client.HTTPSConnection("127.0.0.1", self._port, timeout=_TIMEOUT_S, context=self._context)


class _GrpcSender:
    def __init__(self, workload: Workload, port: int, tls: TlsTrust | None, metadata: dict[str, str]) -> None:
        table = grpc_table(workload, Call.SINGLE)
        assert isinstance(table, GrpcCall)
        method = table.method
        codec = codec_of(workload)
        declared = codec.method(method)
        assert declared is not None
        # Loopback must not go through a proxy that the environment names, and a connection is of these clients alone.
        options = [("grpc.enable_http_proxy", 0), ("grpc.use_local_subchannel_pool", 1)]
        self._channel = (
            grpc.insecure_channel(f"127.0.0.1:{port}", options=options) if tls is None else tls.channel(port, options)
        )
        self._metadata = tuple(metadata.items())
        self._call: grpc.UnaryUnaryMultiCallable[Any, Any] = self._channel.unary_unary(
            f"/{method}",
            lambda event: codec.encode(declared.request, event),
            lambda reply: codec.decode(declared.reply, reply),
        )

    def send(self, event: Any) -> Answer:
        try:
            reply = self._call(event, timeout=_TIMEOUT_S, metadata=self._metadata)
        except grpc.RpcError as error:
            return self._refusal(error)
        except ValueError as error:
            # The channel was closed while the event was in flight.
            return Answer(Outcome.NO_REPLY, str(error))
        return Answer(Outcome.STORED, str(reply["message"]))

    def close(self) -> None:
        self._channel.close()

    @staticmethod
    def _refusal(error: Any) -> Answer:
        message = str(error.details())
        # grpc-python says UNAVAILABLE for a connection that it could not make or that ended, too.
        came_from_target = ": " in message and message.split(":")[0] in ("database", "server")
        if error.code() is grpc.StatusCode.UNAVAILABLE and not came_from_target:
            return Answer(Outcome.NO_REPLY, message)
        if error.code() in (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED):
            return Answer(Outcome.NO_REPLY, message)
        return Answer(_outcome(error.code().name, 1), message)


def _outcome(status: int | str, protocol: int) -> Outcome:
    return next((outcome for outcome in Outcome if outcome.value[protocol] == status), Outcome.OTHER)
