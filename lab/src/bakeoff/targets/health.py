"""Asks a target whether it can work, through the engine's client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from bakeoff.processes import ports
from bakeoff.processes.request_client import ClientReply, RequestClient
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


class Listens:
    """Whether the target takes connections: all that a machine without the client can see."""

    def is_healthy(self, access: Access) -> bool:
        return ports.is_listening(access.host, access.port)


@dataclass(frozen=True)
class HttpHealthCheck:
    """A request that must be answered with the expected status, or without one by any that is below `below`."""

    client: RequestClient
    method: str
    path: str
    expect: int | None
    below: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)

    def is_healthy(self, access: Access) -> bool:
        reply = self._reply(access)
        if reply.failure:
            return False
        return int(reply.status) < self.below if self.expect is None else int(reply.status) == self.expect

    def shown(self, access: Access) -> str:
        """The request, the status and the first bytes of the answer."""
        expected = "" if self.expect is None else f"; expected is {self.expect}"
        reply = self._reply(access)
        if reply.failure:
            return f"{self.method} {self.path} got no answer: {reply.reason}."
        text = " ".join(reply.body[:_SHOWN_BYTES].decode("utf-8", "replace").split())
        return f"{self.method} {self.path} got {reply.status}{expected}{f': {text}' if text else '.'}"

    def _reply(self, access: Access) -> ClientReply:
        headers = list(self.headers.items())
        return _asked(self.client, access, "http", self.path, method=self.method, headers=headers)


@dataclass(frozen=True)
class GrpcHealthCheck:
    """The standard grpc.health.v1, which must say SERVING; `optional` where a server without it is healthy too."""

    client: RequestClient
    service: str
    optional: bool = False

    def is_healthy(self, access: Access) -> bool:
        reply = self._reply(access)
        return _is_serving(reply) or (self.optional and reply.status == "UNIMPLEMENTED")

    def shown(self, access: Access) -> str:
        """The call and its status."""
        reply = self._reply(access)
        name = f"grpc.health.v1.Health/Check of {self.service or 'the server'}"
        if reply.failure:
            return f"{name} got no answer: {reply.reason}."
        return f"{name} got {'another answer than SERVING' if reply.status == 'OK' else reply.status}."

    def _reply(self, access: Access) -> ClientReply:
        # HealthCheckRequest{service = 1} and HealthCheckResponse{status = 1}, small enough to write by hand.
        name = self.service.encode()
        request = b"\x0a" + bytes([len(name)]) + name if name else b""
        return _asked(self.client, access, "grpc", "grpc.health.v1.Health/Check", body=request)


def _is_serving(reply: ClientReply) -> bool:
    return reply.status == "OK" and reply.body == b"\x08\x01"


def _asked(client: RequestClient, access: Access, protocol: str, path: str, **fields: Any) -> ClientReply:
    where, scheme = (access.host, access.port), access.scheme(protocol)
    return client.ask(where, scheme, path, timeout_s=_TIMEOUT_S, **access.tls_fields(), **fields)


def answer_to(check: HealthCheck, access: Access) -> str:
    """The request of a check and what it is answered with, in words; empty where it makes none."""
    return check.shown(access) if isinstance(check, HttpHealthCheck | GrpcHealthCheck) else ""


def health_check(workload: Workload, protocol: str, client: RequestClient, ready: str = "") -> HealthCheck:
    """The check of a target over its protocol, `rest` or `grpc`.

    It is the target's own `ready`, such as `GET /healthz 204`, or what the workload declares. Where neither is known, a
    target is ready once it answers at all.
    """
    declared = workload.declared.health
    if ready:
        method, path, *status = ready.split()
        return HttpHealthCheck(client, method, path, int(status[0]) if status else None)
    if protocol == "grpc":
        service = "" if declared.grpc is None else declared.grpc.service
        return GrpcHealthCheck(client, service, optional=declared.grpc is None)
    if declared.http is None:
        return HttpHealthCheck(client, "GET", "/", None, below=_ANY_STATUS)
    call = declared.http
    return HttpHealthCheck(client, call.method, call.path, call.expect, headers=call.headers)
