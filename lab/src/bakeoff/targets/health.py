"""Asks a target whether it can work, through the engine's client."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol
from urllib.parse import unquote_to_bytes

from bakeoff.processes import ports
from bakeoff.processes.request_client import ClientReply, RequestClient
from bakeoff.targets.access import Access
from bakeoff.text.redaction import redacted
from bakeoff.workload.loader import Workload

_TIMEOUT_S = 2.0
_ANY_STATUS = 600
_SHOWN_BYTES = 200
REFUSED = "refused"
_SERVING = b"\x08\x01"
# HealthCheckResponse.ServingStatus of grpc.health.v1.
_OTHER_STATUSES = {b"": "UNKNOWN", b"\x08\x02": "NOT_SERVING", b"\x08\x03": "SERVICE_UNKNOWN"}


@dataclass(frozen=True)
class Answer:
    """The answer to a health check: `kind` is its status, or the kind of a failure, and `words` show it to a person."""

    is_healthy: bool
    kind: str = ""
    words: str = ""


HEALTHY = Answer(is_healthy=True)
NO_ANSWER = Answer(is_healthy=False)


class HealthCheck(Protocol):
    """A health check over the target's own protocol."""

    def answer(self, access: Access) -> Answer:
        """Whether the target reports that it is ready, else what it answers. No token is needed."""
        ...


class Listens:
    """Whether the target takes connections: all that a machine without the client can see."""

    def answer(self, access: Access) -> Answer:
        if ports.is_listening(access.host, access.port):
            return HEALTHY
        return Answer(is_healthy=False, kind=REFUSED, words=f"nothing listens on port {access.port}.")


@dataclass(frozen=True)
class HttpHealthCheck:
    """A request that must be answered with the expected status, or without one by any that is below `below`."""

    client: RequestClient
    method: str
    path: str
    expect: int | None
    below: int = 500
    headers: Mapping[str, str] = field(default_factory=dict)

    def answer(self, access: Access) -> Answer:
        headers = list(self.headers.items())
        reply = _asked(self.client, access, "http", self.path, method=self.method, headers=headers)
        request = f"{self.method} {self.path}"
        if reply.failure:
            return _none(request, reply)
        status = int(reply.status)
        if status < self.below if self.expect is None else status == self.expect:
            return HEALTHY
        expected = "" if self.expect is None else f"; expected is {self.expect}"
        return _other(f"{request} got", reply.status, reply.body, expected)


@dataclass(frozen=True)
class GrpcHealthCheck:
    """The standard grpc.health.v1, which must say SERVING; `optional` where a server without it is healthy too."""

    client: RequestClient
    service: str
    optional: bool = False

    def answer(self, access: Access) -> Answer:
        # HealthCheckRequest{service = 1} and HealthCheckResponse{status = 1}, small enough to write by hand.
        name = self.service.encode()
        message = b"\x0a" + bytes([len(name)]) + name if name else b""
        reply = _asked(self.client, access, "grpc", "grpc.health.v1.Health/Check", body=message)
        request = f"grpc.health.v1.Health/Check of {self.service or 'the server'}"
        if reply.failure:
            return _none(request, reply)
        if reply.status == "OK" and reply.body == _SERVING:
            return HEALTHY
        if reply.status == "UNIMPLEMENTED" and self.optional:
            return HEALTHY
        if reply.status == "OK":
            return _other(f"{request} got", _OTHER_STATUSES.get(reply.body, "no status of its service"), b"", "")
        message = unquote_to_bytes(dict(reply.headers).get("grpc-message", "")) or reply.body
        return _other(f"{request} got", reply.status, message, "; expected is SERVING")


def _none(request: str, reply: ClientReply) -> Answer:
    return Answer(is_healthy=False, kind=reply.failure, words=f"{request} got no answer: {reply.reason}.")


def _other(request: str, status: str, content: bytes, expected: str) -> Answer:
    """Another status than the expected one, with the first bytes of what the target says of it."""
    text = redacted(" ".join(content[:_SHOWN_BYTES].decode("utf-8", "replace").split()))
    end = "…" if len(content) > _SHOWN_BYTES else "" if text.endswith((".", "!", "?")) else "."
    return Answer(is_healthy=False, kind=status, words=f"{request} {status}{expected}{text and f': {text}'}{end}")


def _asked(client: RequestClient, access: Access, protocol: str, path: str, **fields: Any) -> ClientReply:
    where, scheme = (access.host, access.port), access.scheme(protocol)
    return client.ask(where, scheme, path, timeout_s=_TIMEOUT_S, **access.tls_fields(), **fields)


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
