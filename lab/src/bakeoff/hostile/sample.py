"""Requests that a target accepts, made of its workload's first operation."""

import json
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
    """Requests of a workload's first operation, each with its own key."""

    def __init__(self, workload: Workload, protocol: str, access: Access) -> None:
        load = Load("hostile", protocol, access.host, access.port, "smoke", phases=[], tls=access.tls)
        self._plan = compile_plan(workload, load)
        self._codec = codec_of(workload) if protocol == "grpc" else None

    def make(self, sequence: int) -> SampleRequest:
        """The request of this number; the same each time."""
        plan, operation = self._plan, self._plan.operations[0]
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
