"""The same request from another client: a target must not treat a load generator in a way of its own."""

from collections.abc import Callable
from dataclasses import replace

from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, HttpReply, HttpRequest

# What load generators send, and clients of other kinds. The native engine sends the first over gRPC, none over HTTP.
USER_AGENTS = (
    "bakeoff-load/0.1.0",
    "Grafana k6/1.8.1",
    "k6/1.8.1 (https://k6.io/)",
    "grpc-go/1.70.0",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
)


def http_sender(send: Callable[[HttpRequest], HttpReply], user_agent: str | None) -> Callable[[HttpRequest], HttpReply]:
    """Sends requests under a name; without one as they are."""
    if user_agent is None:
        return send
    return lambda request: send(replace(request, headers={**request.headers, "user-agent": (user_agent,)}))


def grpc_sender(send: Callable[[GrpcRequest], GrpcReply], user_agent: str | None) -> Callable[[GrpcRequest], GrpcReply]:
    """Sends calls under a name. They go over the wire as bytes: a library adds its own name."""
    if user_agent is None:
        return send

    def sent(request: GrpcRequest) -> GrpcReply:
        headers = {**request.headers, "user-agent": (user_agent,)}
        if request.body is not None:
            return send(replace(request, headers=headers))
        framed = b"".join(b"\0" + len(payload).to_bytes(4) + payload for payload in request.payloads)
        return send(GrpcRequest(request.method, (), headers, framed))

    return sent
