"""A client that behaves while others do not: how long it waits, and which of its writes are acknowledged."""

import http.client
import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from bakeoff.conformance.grpc_protocol import codec_of
from bakeoff.targets.access import Access
from bakeoff.workload.bodies import encoded
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import Load, compile_plan
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render


@dataclass(frozen=True)
class SampleRequest:
    """One request. Over gRPC `path` is the method's and `body` a message without its frame; `key` is the entity's."""

    method: str
    path: str
    fields: dict[str, str]
    body: bytes
    key: str


class SampleRequests:
    """Requests of a workload's first operation that has a message and needs no other, each with its own key.

    The very first operation where there is none.
    """

    def __init__(self, workload: Workload, protocol: str, access: Access) -> None:
        load = Load("hostile", protocol, access.host, access.port, "smoke", phases=[], tls=access.tls)
        self._plan = compile_plan(workload, load)
        alone = (each for each in self._plan.operations if each.weight and each.needs is None and any(each.variants))
        self._operation = next(alone, self._plan.operations[0])
        self._codec = codec_of(workload) if protocol == "grpc" else None

    def make(self, sequence: int) -> SampleRequest:
        """The request of this number; the same each time."""
        plan, operation = self._plan, self._operation
        numbers = RandomNumbers(int(plan.seed, 16), 0, sequence)
        key_format = [] if operation.key is None else plan.keys[operation.key].format
        key = render(key_format, numbers, Event(plan.run, 0, sequence, plan.base_time_ms))
        event = Event(plan.run, 0, sequence, plan.base_time_ms, key=key)
        message = render(operation.variants[0], numbers, event)
        if self._codec is not None:
            assert operation.grpc is not None
            method = self._codec.method(operation.grpc.method)
            assert method is not None
            content = self._codec.encode(method.request, json.loads(message))
            fields = {"te": "trailers", "content-type": "application/grpc"}
            return SampleRequest("POST", f"/{operation.grpc.method}", fields, content, key)
        assert operation.http is not None
        content = message.encode()
        if operation.body is not None:
            content = encoded(operation.body, message if operation.body == "binary" else json.loads(message))
        path = render(operation.http.path, numbers, event)
        return SampleRequest(operation.http.method, path, dict(operation.http.headers), content, key)


_PAUSE_S = 0.02
_TIMEOUT_S = 5.0
# Enough for a runtime that compiles as it runs; the connections come to a target at work, not to one that starts.
_WARM_UP_REQUESTS = 500
_WARM_UP_S = 3.0


class Witness:
    """Sends a request, waits for its reply and pauses, in a thread while the block lasts, after a warm-up."""

    def __init__(self, requests: SampleRequests, protocol: str, access: Access) -> None:
        self._requests = requests
        self._ask = _over_grpc(access) if protocol == "grpc" else _over_http(access)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self.slowest_s = 0.0
        self.sent = 0
        # Without a positive reply, after the warm-up: what is refused before is not the connections' work.
        self.unanswered = 0
        self.acknowledged: list[str] = []

    def __enter__(self) -> "Witness":
        ends = time.monotonic() + _WARM_UP_S
        while self.sent < _WARM_UP_REQUESTS and time.monotonic() < ends:
            self._send()
        self.slowest_s, self.unanswered = 0.0, 0
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(2 * _TIMEOUT_S)

    def _work(self) -> None:
        while not self._stopped.is_set():
            self._send()
            self._stopped.wait(_PAUSE_S)

    def _send(self) -> None:
        request = self._requests.make(self.sent)
        began = time.monotonic()
        if self._ask(request):
            self.acknowledged.append(request.key)
        else:
            self.unanswered += 1
        self.sent += 1
        self.slowest_s = max(self.slowest_s, time.monotonic() - began)


def _connection(access: Access) -> http.client.HTTPConnection:
    tls = access.ssl_context()
    if tls is None:
        return http.client.HTTPConnection(access.host, access.port, timeout=_TIMEOUT_S)
    return http.client.HTTPSConnection(access.host, access.port, timeout=_TIMEOUT_S, context=tls)


def _over_http(access: Access) -> Callable[[SampleRequest], bool]:
    kept: list[http.client.HTTPConnection] = []

    def ask(request: SampleRequest) -> bool:
        connection = kept.pop() if kept else _connection(access)
        try:
            connection.request(request.method, request.path, request.body, request.fields)
            reply = connection.getresponse()
            reply.read()
        except (OSError, http.client.HTTPException):
            connection.close()
            return False
        kept.append(connection)
        return 200 <= reply.status < 300

    return ask


def _over_grpc(access: Access) -> Callable[[SampleRequest], bool]:
    import grpc

    from bakeoff.targets.channel import grpc_channel

    channel = grpc_channel(access)

    def ask(request: SampleRequest) -> bool:
        call: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(request.path)
        try:
            call(request.body, timeout=_TIMEOUT_S)
        except grpc.RpcError:
            return False
        return True

    return ask
