"""A running service as a client sees it: operations are sent one at a time, through the engine's client."""

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from bakeoff.conformance.case import Differences, Exchange
from bakeoff.conformance.exchange import HttpRequest, NoReplyError
from bakeoff.conformance.http_caller import HttpCaller
from bakeoff.conformance.proto_codec import ProtoMismatchError
from bakeoff.conformance.steps import CaptureError, captured_from
from bakeoff.documents.checked import Json
from bakeoff.engines.client import client_of
from bakeoff.targets.access import Access
from bakeoff.workload.bodies import CONTENT_TYPES, ENCODED, encoded
from bakeoff.workload.declaration import GrpcCall, HttpCall, Operation, carried_on, sent_text
from bakeoff.workload.loader import Workload
from bakeoff.workload.plan import BASE_TIME_MS
from bakeoff.workload.random_numbers import RandomNumbers
from bakeoff.workload.rendering import Event, render
from bakeoff.workload.template import parse_template

_TIMEOUT_S = 10.0
_SHOWN = 120
# The request itself belongs elsewhere; 302 and 303 name a result.
_MOVED = (301, 307, 308)
_SEED = 1
# The statuses of gRPC as those of HTTP that mean the same.
_CODES = {
    "OK": 200,
    "INVALID_ARGUMENT": 400,
    "OUT_OF_RANGE": 400,
    "UNAUTHENTICATED": 401,
    "PERMISSION_DENIED": 403,
    "NOT_FOUND": 404,
    "ALREADY_EXISTS": 409,
    "ABORTED": 409,
    "FAILED_PRECONDITION": 412,
    "RESOURCE_EXHAUSTED": 429,
    "UNIMPLEMENTED": 501,
}

Captured = Mapping[str, str]


@dataclass(frozen=True)
class Sent:
    """A request as it goes out: `document` is its message, where that is JSON; `captured` are captures of itself."""

    path: str
    headers: Mapping[str, str]
    message: str
    captured: Mapping[str, str] = field(default_factory=dict)

    @property
    def document(self) -> Json:
        try:
            document: Json = json.loads(self.message)
        except ValueError:
            return None
        return document


@dataclass(frozen=True)
class Reply:
    """`code` is the status as HTTP has it, 0 where there was no reply; `status` as the protocol has it.

    `is_described`: the operation expects the status. `sent` are the captures of its request.
    """

    code: int
    status: int | str
    headers: Mapping[str, str] = field(default_factory=dict)
    document: Json = None
    text: str = ""
    is_described: bool = False
    sent: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_good(self) -> bool:
        """Whether the service did what was asked, or says where the result is."""
        return 200 <= self.code < 400 and not self.moved_to

    @property
    def moved_to(self) -> str:
        """Where the request should have gone, of a redirect that no description expects; otherwise empty."""
        return self.headers.get("location", "") if self.code in _MOVED and not self.is_described else ""

    @property
    def shown(self) -> str:
        """The status, and the first words of what the service says of it."""
        text = " ".join(self.text.split())
        words = f"moved to {self.moved_to}" if self.moved_to else text[:_SHOWN] + "…" * (len(text) > _SHOWN)
        return f"{self.status or 'no reply'}{f': {words}' if words else ''}"

    def captured(self, places: Mapping[str, str]) -> dict[str, str] | None:
        """The values at these places, of a list those of its first item; None where one is missing."""
        sent = {name: self.sent.get(name) for name, place in places.items() if sent_text(place) is not None}
        try:
            first = {name: place.replace("/*", "/0") for name, place in places.items() if name not in sent}
            found = {**captured_from(Exchange(Differences(), self.document, self.headers), first), **sent}
        except CaptureError:
            return None
        if any(each is None or isinstance(each, bool | list | Mapping) for each in found.values()):
            return None
        return {name: str(each) for name, each in found.items()}


class Service:
    """Sends operations, and counts them."""

    def __init__(self, protocol: str, send: Callable[[Operation, Sent], Reply]) -> None:
        self.protocol = protocol
        self.requests = 0
        self._run = secrets.token_hex(4)
        self._send = send

    def call(self, operation: Operation) -> HttpCall | GrpcCall:
        call = operation.call(self.protocol)
        assert call is not None, "a workload of one description has one protocol"
        return call

    def made(self, operation: Operation, captured: Captured, login: Captured) -> Sent:
        """The next request of an operation; its drawn values differ from those of all others."""
        captured = {**dict.fromkeys(carried_on(self.call(operation).capture), ""), **captured}
        numbers = RandomNumbers(_SEED, int(self._run, 16) % 2**20, self.requests)
        event = Event(
            self._run, 0, self.requests, BASE_TIME_MS, captured=_Known(captured), login=_Known(login), values={}
        )
        message = render(parse_template(operation.message_over(self.protocol) or ""), numbers, event)
        call = self.call(operation)
        path = render(parse_template(call.path), numbers, event) if isinstance(call, HttpCall) else ""
        templates = call.headers if isinstance(call, HttpCall) else call.metadata
        headers = {name.lower(): render(parse_template(value), numbers, event) for name, value in templates.items()}
        texts = {name: text for name, place in call.capture.items() if (text := sent_text(place)) is not None}
        sent = {name: render(parse_template(text), numbers, event) for name, text in texts.items()}
        return Sent(path, headers, message, sent)

    def send(self, operation: Operation, captured: Captured, login: Captured) -> Reply:
        return self.send_again(operation, self.made(operation, captured, login))

    def send_again(self, operation: Operation, sent: Sent) -> Reply:
        self.requests += 1
        try:
            reply = self._send(operation, sent)
        except NoReplyError as error:
            return Reply(0, "", text=str(error))
        expect = self.call(operation).expect
        expected = [expect] if isinstance(expect, int | str) else expect
        return replace(reply, is_described=reply.status in expected, sent=sent.captured)


class _Known(dict[str, str]):
    """Captured values; one that is not known yet is a text that no entity has."""

    def __init__(self, known: Captured) -> None:
        super().__init__(known)

    def __bool__(self) -> bool:
        return True

    def __missing__(self, name: str) -> str:
        return f"no-{name}"


def service_at(workload: Workload, protocol: str, access: Access) -> Service:
    """The service at an address, over `http` or `grpc`. Raises BakeoffError where nothing answers."""
    if protocol == "grpc":
        return Service(protocol, _grpc(workload, access))
    caller = HttpCaller(access, client_of(), timeout_s=_TIMEOUT_S)
    caller.check_reachable()
    return Service(protocol, lambda operation, sent: _sent_over_http(caller, operation, sent))


def _sent_over_http(caller: HttpCaller, operation: Operation, sent: Sent) -> Reply:
    assert operation.http is not None
    has_body = operation.message_over("http") is not None
    usual = {"content-type": CONTENT_TYPES[operation.body]} if has_body else {}
    headers = {name: (value,) for name, value in {**usual, **sent.headers}.items()}
    request = HttpRequest(operation.http.method, sent.path, headers, _body(operation, sent) if has_body else None)
    reply = caller.send(request)
    text = reply.body.decode("utf-8", "replace")
    try:
        document: Json = json.loads(text)
    except ValueError:
        document = None
    return Reply(reply.status, reply.status, reply.headers, document, text)


def _body(operation: Operation, sent: Sent) -> bytes:
    if operation.body in ENCODED:
        return encoded(operation.body, sent.message if operation.body == "binary" else sent.document)
    return sent.message.encode()


def _grpc(workload: Workload, access: Access) -> Callable[[Operation, Sent], Reply]:
    # Protocol buffers take a while to load.
    from bakeoff.conformance.exchange import GrpcRequest
    from bakeoff.conformance.grpc_caller import GrpcCaller
    from bakeoff.conformance.grpc_protocol import codec_of

    codec = codec_of(workload)

    def send(operation: Operation, sent: Sent) -> Reply:
        assert operation.grpc is not None
        method = codec.method(operation.grpc.method)
        assert method is not None, "the workload's own check knows the method"
        try:
            payload = codec.encode(method.request, sent.document or {})
        except ProtoMismatchError as error:
            return Reply(0, "", text=str(error))
        headers = {name: (value,) for name, value in sent.headers.items()}
        reply = caller.send(GrpcRequest(operation.grpc.method, (payload,), headers))
        document = codec.decode(method.reply, reply.payloads[0]) if reply.payloads else None
        return Reply(_CODES.get(reply.code, 500), reply.code, reply.headers, document, reply.message)

    caller = GrpcCaller(access, client_of(), timeout_s=_TIMEOUT_S)
    caller.check_reachable()
    return send
