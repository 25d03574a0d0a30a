"""Asks a target whether it can work."""

import http.client
from dataclasses import dataclass
from typing import Protocol

from bakeoff.errors import BakeoffError
from bakeoff.targets.access import Access
from bakeoff.workload.loader import Workload

_TIMEOUT_S = 2.0


class HealthCheck(Protocol):
    """A health check over the target's own protocol."""

    def is_healthy(self, access: Access) -> bool:
        """Whether the target reports that it is ready. No token is needed."""
        ...


@dataclass(frozen=True)
class HttpHealthCheck:
    """A request that must be answered with the expected status."""

    method: str
    path: str
    expect: int

    def is_healthy(self, access: Access) -> bool:
        context = access.ssl_context()
        connection = (
            http.client.HTTPConnection(access.host, access.port, timeout=_TIMEOUT_S)
            if context is None
            else http.client.HTTPSConnection(access.host, access.port, timeout=_TIMEOUT_S, context=context)
        )
        try:
            connection.request(self.method, self.path)
            return connection.getresponse().status == self.expect
        except (OSError, http.client.HTTPException):
            return False
        finally:
            connection.close()


@dataclass(frozen=True)
class GrpcHealthCheck:
    """The standard grpc.health.v1, which must say SERVING."""

    service: str

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
            except grpc.RpcError:
                return False
        return reply == b"\x08\x01"


def _same(message: bytes) -> bytes:
    return message


def health_check(workload: Workload, protocol: str) -> HealthCheck:
    """The check that the workload declares for a protocol, `rest` or `grpc`."""
    declared = workload.declared.health
    if protocol == "grpc":
        return GrpcHealthCheck("" if declared.grpc is None else declared.grpc.service)
    if declared.http is None:
        raise BakeoffError(f"{workload.name}: workload.toml needs [health] http, which shows when a target is ready.")
    return HttpHealthCheck(declared.http.method, declared.http.path, declared.http.expect)
