"""The model over gRPC."""

from collections.abc import Callable, Sequence
from typing import Any

from events import Rules, WithoutKind
from google.protobuf.message import DecodeError, Message
from google.protobuf.unknown_fields import UnknownFieldSet
from grpc_framing import check_encoding, only_message, unframed
from json_reader import Members, Number
from reference import INTERNAL, STORED, BrokenRuleError, BulkEvent, Reference
from stored_state import NotStorableError, shortest

from bakeoff.conformance.exchange import GrpcReply, GrpcRequest
from bakeoff.conformance.proto_codec import ProtoCodec

_SERVICE = "com.example.grpc.EventService"
_HEALTH = "grpc.health.v1.Health"
_REFLECTION = "grpc.reflection.v1.ServerReflection"
_LIST = f"{_HEALTH}/List"
_HEALTH_METHODS = (f"{_SERVICE}/HealthCheck", f"{_HEALTH}/Check", _LIST)
_CODES = {
    "invalid": "INVALID_ARGUMENT",
    "too large": "RESOURCE_EXHAUSTED",
    "unauthenticated": "UNAUTHENTICATED",
    "not accepted": "UNIMPLEMENTED",
    "broken framing": "INTERNAL",
}

Handler = Callable[[str, Sequence[bytes]], GrpcReply]


class GrpcReference:
    """Answers gRPC requests as the contract says, less the rules that the model lacks."""

    def __init__(self, reference: Reference, codec: ProtoCodec) -> None:
        self._reference = reference
        self._rules: Rules = reference.rules
        self._codec = codec
        self._handlers: dict[str, Handler] = {
            f"{_SERVICE}/ProcessEvent": self._single,
            f"{_SERVICE}/ProcessEventBatch": self._batch,
            f"{_SERVICE}/StreamEvents": self._stream,
            f"{_SERVICE}/HealthCheck": lambda method, _: self._ok(method, reference.health()),
            f"{_HEALTH}/Check": self._standard_health,
            f"{_REFLECTION}/ServerReflectionInfo": self._reflection,
        }

    def send(self, request: GrpcRequest) -> GrpcReply:
        """The status of one call and the replies before it."""
        try:
            if not self._is_exempt(request.method):
                self._reference.check_token(request.headers.get("authorization", ()))
            handler = self._handlers.get(request.method)
            if handler is None:
                return GrpcReply("UNIMPLEMENTED" if "unknown-rpc" in self._rules else "OK", "", ())
            return handler(request.method, self._payloads(request))
        except BrokenRuleError as broken:
            return GrpcReply(_CODES[broken.kind], broken.message, (), broken.headers)
        except NotStorableError:
            return GrpcReply("INTERNAL", INTERNAL, ())

    def _is_exempt(self, method: str) -> bool:
        """Whether a call needs no token."""
        if "health-without-token" not in self._rules:
            return False
        if "health-path-without-token" not in self._rules:
            return "Health" in method
        return method in _HEALTH_METHODS and not (method == _LIST and "health-list-without-token" not in self._rules)

    def _payloads(self, request: GrpcRequest) -> Sequence[bytes]:
        check_encoding(request.headers, self._rules)
        if request.body is None:
            return request.payloads
        is_bulk = request.method.endswith("Batch")
        payloads = unframed(request.body, lambda size: self._reference.size_problem(size, is_bulk=is_bulk), self._rules)
        return payloads if request.method.endswith("/StreamEvents") else [only_message(payloads, self._rules)]

    def _single(self, method: str, payloads: Sequence[bytes]) -> GrpcReply:
        event = self._decoded(method, payloads[0], is_bulk=False)
        if event is not None:
            self._reference.process(_event(event, self._rules))
        return self._ok(method, {"success": True, "message": STORED})

    def _batch(self, method: str, payloads: Sequence[bytes]) -> GrpcReply:
        batch: Any = self._decoded(method, payloads[0], is_bulk=True)
        if batch is None:
            return self._ok(method, {})
        events = [BulkEvent(_event(event, self._rules), event.ByteSize()) for event in batch.events]
        return self._ok(method, self._reference.process_bulk(events))

    def _stream(self, method: str, payloads: Sequence[bytes]) -> GrpcReply:
        replies = []
        status = ("OK", "")
        for payload in payloads:
            try:
                event = self._decoded(method, payload, is_bulk=False)
            except BrokenRuleError as broken:
                status = (_CODES[broken.kind], broken.message)
                break
            outcome = self._outcome(event)
            replies.append(outcome)
            if not outcome["success"] and "stream-goes-on" not in self._rules:
                status = ("INVALID_ARGUMENT", str(outcome["message"]))
                break
        if "stream-in-order" not in self._rules:
            replies.sort(key=lambda reply: not reply["success"])
        if "stream-answers-each" not in self._rules:
            replies = [{"success": True, "message": STORED}]
        return GrpcReply(*status, tuple(self._encoded(method, reply) for reply in replies))

    def _outcome(self, event: Message | None) -> dict[str, object]:
        try:
            if event is not None:
                self._reference.process(_event(event, self._rules))
        except BrokenRuleError as broken:
            return {"success": False, "message": broken.message}
        return {"success": True, "message": STORED}

    def _standard_health(self, method: str, payloads: Sequence[bytes]) -> GrpcReply:
        if "standard-health" not in self._rules:
            return GrpcReply("UNIMPLEMENTED", "", ())
        request: Any = self._codec.parse("grpc.health.v1.HealthCheckRequest", payloads[0])
        if request.service not in ("", _SERVICE) and "unknown-health-service" in self._rules:
            return GrpcReply("NOT_FOUND", "", ())
        return self._ok(method, {"status": "SERVING"})

    def _reflection(self, method: str, _: Sequence[bytes]) -> GrpcReply:
        if "reflection" not in self._rules:
            return GrpcReply("UNIMPLEMENTED", "", ())
        services = [{"name": name} for name in (_SERVICE, _HEALTH, _REFLECTION)]
        return self._ok(method, {"listServicesResponse": {"service": services}})

    def _decoded(self, method: str, payload: bytes, *, is_bulk: bool) -> Message | None:
        """The request, or None where a target without the rule takes broken bytes for an event."""
        problem = self._reference.size_problem(len(payload), is_bulk=is_bulk)
        if problem is not None:
            raise problem
        declared = self._codec.method(method)
        assert declared is not None
        try:
            message = self._codec.parse(declared.request, payload)
        except DecodeError:
            if "protobuf-syntax" in self._rules:
                raise BrokenRuleError("invalid", "body: not a valid message") from None
            return None
        if "unknown-fields-ignored" not in self._rules and len(UnknownFieldSet(message)):
            raise BrokenRuleError("invalid", "body: unknown field")
        return message

    def _ok(self, method: str, reply: dict[str, Any]) -> GrpcReply:
        return GrpcReply("OK", "", (self._encoded(method, reply),))

    def _encoded(self, method: str, reply: dict[str, Any]) -> bytes:
        declared = self._codec.method(method)
        assert declared is not None
        return self._codec.encode(declared.reply, reply)


def _event(event: Any, rules: Rules) -> Members:
    """The message as the JSON object that says the same. Scalars that are absent are empty."""
    members = Members()
    if event.HasField("event_header"):
        header = event.event_header
        names = {"uuid": "uuid", "eventName": "event_name", "createdDate": "created_date"}
        names |= {"savedDate": "saved_date", "eventType": "event_type"}
        pairs = [(name, getattr(header, field)) for name, field in names.items() if getattr(header, field)]
        members.pairs.append(("eventHeader", Members(pairs)))
    if event.HasField("event_body"):
        entities = [_entity(entity, rules) for entity in event.event_body.entities]
        members.pairs.append(("eventBody", Members([("entities", entities)])))
    return members


def _entity(entity: Any, rules: Rules) -> Members:
    attributes = Members([(name, _value(value, rules)) for name, value in entity.updated_attributes.items()])
    names = (("entityType", entity.entity_type), ("entityId", entity.entity_id))
    return Members([*(pair for pair in names if pair[1]), ("updatedAttributes", attributes)])


def _value(value: Any, rules: Rules) -> Any:
    match value.WhichOneof("kind"):
        case "null_value":
            return None
        case "number_value":
            return Number(shortest(value.number_value, rules))
        case "string_value":
            return value.string_value
        case "bool_value":
            return value.bool_value
        case "struct_value":
            return Members([(name, _value(member, rules)) for name, member in value.struct_value.fields.items()])
        case "list_value":
            return [_value(element, rules) for element in value.list_value.values]
    return WithoutKind()
