"""Asks a target whether it can work."""

import http.client
from dataclasses import dataclass
from typing import Protocol

from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload

_TIMEOUT_S = 2.0
_ANY_STATUS = 600


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

    def is_healthy(self, access: Access) -> bool:
        context = access.ssl_context()
        connection = (
            http.client.HTTPConnection(access.host, access.port, timeout=_TIMEOUT_S)
            if context is None
            else http.client.HTTPSConnection(access.host, access.port, timeout=_TIMEOUT_S, context=context)
        )
        try:
            connection.request(self.method, self.path)
            status = connection.getresponse().status
        except (OSError, http.client.HTTPException):
            return False
        else:
            return status < self.below if self.expect is None else status == self.expect
        finally:
            connection.close()


@dataclass(frozen=True)
class GrpcHealthCheck:
    """The standard grpc.health.v1, which must say SERVING; `optional` where a server without it is healthy too."""

    service: str
    optional: bool = False

    def is_healthy(self, access: Access) -> bool:
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
                return self.optional and error.code() is grpc.StatusCode.UNIMPLEMENTED
        return reply == b"\x08\x01"


def _same(message: bytes) -> bytes:
    return message


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
    return HttpHealthCheck(declared.http.method, declared.http.path, declared.http.expect)
