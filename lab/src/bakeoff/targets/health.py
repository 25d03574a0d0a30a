"""Asks a target whether it can work."""

import http.client
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload

_TIMEOUT_S = 2.0
_ANY_STATUS = 600
_SHOWN_BYTES = 200


class HealthCheck(Protocol):
    """A health check over the target's own protocol."""

    def is_healthy(self, access: Access) -> bool:
        """Whether the target reports that it is ready. No token is needed."""
        ...


@dataclass(frozen=True)
class HttpHealthCheck:
    """A request that must be answered with the expected status, or without one by any that is below `below`."""

    method: str
    path: str
    expect: int | None
    below: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)

    def is_healthy(self, access: Access) -> bool:
        try:
            status, _ = self._answer(access)
        except (OSError, http.client.HTTPException):
            return False
        return status < self.below if self.expect is None else status == self.expect

    def shown(self, access: Access) -> str:
        """The request, the status and the first bytes of the answer."""
        expected = "" if self.expect is None else f"; expected is {self.expect}"
        try:
            status, body = self._answer(access)
        except (OSError, http.client.HTTPException) as error:
            return f"{self.method} {self.path} got no answer: {str(error) or type(error).__name__}."
        text = " ".join(body.decode("utf-8", "replace").split())
        return f"{self.method} {self.path} got {status}{expected}{f': {text}' if text else '.'}"

    def _answer(self, access: Access) -> tuple[int, bytes]:
        """The status of the answer, and its first bytes."""
        context = access.ssl_context()
        connection = (
            http.client.HTTPConnection(access.host, access.port, timeout=_TIMEOUT_S)
            if context is None
            else http.client.HTTPSConnection(access.host, access.port, timeout=_TIMEOUT_S, context=context)
        )
        try:
            connection.request(self.method, self.path, headers=dict(self.headers))
            reply = connection.getresponse()
            return reply.status, reply.read(_SHOWN_BYTES)
        finally:
            connection.close()


@dataclass(frozen=True)
class GrpcHealthCheck:
    """The standard grpc.health.v1, which must say SERVING; `optional` where a server without it is healthy too."""

    service: str
    optional: bool = False

    def is_healthy(self, access: Access) -> bool:
        status, reply = self._answer(access)
        return reply == b"\x08\x01" or (self.optional and status == "UNIMPLEMENTED")

    def shown(self, access: Access) -> str:
        """The call and its status."""
        status, reply = self._answer(access)
        name = f"grpc.health.v1.Health/Check of {self.service or 'the server'}"
        return f"{name} got {'another answer than SERVING' if reply is not None else status}."

    def _answer(self, access: Access) -> tuple[str, bytes | None]:
        """The name of the status, and the reply where it is OK."""
        import grpc

        from bakeoff.targets.channel import grpc_channel

        # HealthCheckRequest{service = 1} and HealthCheckResponse{status = 1}, small enough to write by hand.
        name = self.service.encode()
        request = b"\x0a" + bytes([len(name)]) + name if name else b""
        with grpc_channel(access) as channel:
            try:
                reply: bytes = channel.unary_unary("/grpc.health.v1.Health/Check", _same, _same)(
                    request, timeout=_TIMEOUT_S
                )
            except grpc.RpcError as error:
                return str(error.code().name), None
        return "OK", reply


def _same(message: bytes) -> bytes:
    return message


def answer_to(check: HealthCheck, access: Access) -> str:
    """The request of a check and what it is answered with, in words; empty where it makes none."""
    return check.shown(access) if isinstance(check, HttpHealthCheck | GrpcHealthCheck) else ""


def health_check(workload: Workload, protocol: str, ready: str = "") -> HealthCheck:
    """The check of a target over its protocol, `rest` or `grpc`.

    It is the target's own `ready`, such as `GET /healthz 204`, or what the workload declares. Where neither is known, a
    target is ready once it answers at all.
    """
    declared = workload.declared.health
    if ready:
        method, path, *status = ready.split()
        return HttpHealthCheck(method, path, int(status[0]) if status else None)
    if protocol == "grpc":
        return GrpcHealthCheck("" if declared.grpc is None else declared.grpc.service, optional=declared.grpc is None)
    if declared.http is None:
        return HttpHealthCheck("GET", "/", None, below=_ANY_STATUS)
    call = declared.http
    return HttpHealthCheck(call.method, call.path, call.expect, headers=call.headers)
