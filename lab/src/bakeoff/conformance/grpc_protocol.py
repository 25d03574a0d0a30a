"""A case over gRPC: its request, and the comparison of the reply."""

from collections.abc import Callable
from pathlib import Path

from bakeoff.conformance.calls import first_of, grpc_batch, grpc_method, grpc_service
from bakeoff.conformance.case import (
    BytesPayload,
    Call,
    Case,
    Differences,
    Exchange,
    Frame,
    GrpcExpectation,
    GrpcSide,
    JsonPayload,
    Payload,
)
from bakeoff.conformance.exchange import GrpcReply, GrpcRequest
from bakeoff.conformance.matching import compare_grpc, grpc_differences
from bakeoff.conformance.proto_codec import ProtoCodec, ProtoMismatchError
from bakeoff.conformance.vectors import VectorError
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.workload.loader import Workload

SendGrpc = Callable[[GrpcRequest], GrpcReply]

_STANDARD_PROTOS = tuple(sorted(Path(__file__).with_name("protos").glob("*.proto")))
# Keeps the caller from sending the token that it has.
_NO_TOKEN: dict[str, tuple[str, ...]] = {"authorization": ()}
_HEALTH = "grpc.health.v1.Health/Check"


def codec_of(workload: Workload) -> ProtoCodec:
    """The messages of the workload's proto file, and those of the standard services."""
    proto = workload.file("proto")
    if proto is None:
        raise BakeoffError(f"{workload.name}: cases go over gRPC only when workload.toml names a proto file.")
    return ProtoCodec(proto, *_STANDARD_PROTOS)


class GrpcProtocol:
    """Sends cases as the workload's grpc tables and its proto file say."""

    side = "grpc"

    def __init__(self, workload: Workload, codec: ProtoCodec, send: SendGrpc) -> None:
        self._workload = workload
        self._codec = codec
        self._send = send

    def expresses(self, case: Case) -> bool:
        """Whether the case has a gRPC side."""
        return case.goes_over(self.side)

    def store(self, message: Json) -> list[str]:
        """Sends a message that a case needs to be there already; differences say why it was not taken."""
        method = grpc_method(self._workload, Call.SINGLE)
        reply = self._send(GrpcRequest(method, (self._encode(method, JsonPayload(message)),)))
        return compare_grpc(GrpcExpectation((self._expected_of_first(),)), reply, ())

    def perform(self, case: Case) -> Differences:
        """Sends the case's request and compares the reply."""
        return self.exchange(case).differences

    def exchange(self, case: Case) -> Exchange:
        """Like `perform`, with the reply."""
        side = case.grpc
        if side is None:
            raise ValueError(f"{case.name} has no gRPC side")
        request = self.request(case, side)
        reply = self._send(request)
        method = self._codec.method(request.method)
        try:
            replies = (
                [] if method is None else [self._codec.decode(method.reply, payload) for payload in reply.payloads]
            )
        except ProtoMismatchError as error:
            return Exchange(Differences().together_with([f"body: {error}"]))
        differences = grpc_differences(side.expect, reply, replies)
        return Exchange(differences, replies[0] if replies else None, reply.headers)

    def request(self, case: Case, side: GrpcSide) -> GrpcRequest:
        """The request of a case, in all its bytes."""
        method = side.method or self._usual_method(case.call)
        headers = {**(_NO_TOKEN if case.needs_token else {}), **side.headers}
        try:
            if side.frames is not None:
                body = b"".join(self._framed(method, frame) for frame in side.frames)
                return GrpcRequest(method, (), headers, body)
            payloads = side.payloads if side.payloads is not None else self._usual_payloads(case)
            return GrpcRequest(method, tuple(self._encode(method, payload) for payload in payloads), headers)
        except ProtoMismatchError as error:
            raise VectorError(f'case "{case.name}": grpc: the message {error}.') from error

    def _framed(self, method: str, frame: Frame | BytesPayload) -> bytes:
        if isinstance(frame, BytesPayload):
            return frame.content
        message = self._encode(method, frame.payload)
        length = len(message) if frame.length is None else frame.length
        return frame.flag.to_bytes(1) + length.to_bytes(4) + message

    def _encode(self, name: str, payload: Payload) -> bytes:
        method = self._codec.method(name)
        if method is not None:
            return self._codec.encode(method.request, payload)
        if isinstance(payload, JsonPayload):
            raise ProtoMismatchError(f"cannot be encoded: no proto file declares {name}")
        return payload.content

    def _usual_method(self, call: Call) -> str:
        return _HEALTH if call is Call.HEALTH else grpc_method(self._workload, call)

    def _usual_payloads(self, case: Case) -> tuple[Payload, ...]:
        if case.call is Call.HEALTH and case.message is None:
            return (JsonPayload({"service": grpc_service(self._workload)}),)
        field = grpc_batch(self._workload).field if case.call is Call.BATCH else None
        if case.call is Call.STREAM or (case.call is Call.BATCH and field is None):
            return tuple(JsonPayload(message) for message in case.messages)
        if field is not None:
            return (JsonPayload({field: case.messages}),)
        return (JsonPayload({} if case.message is None else case.message),)

    def _expected_of_first(self) -> str:
        call = self._workload.declared.operations[0].grpc
        return "OK" if call is None else str(first_of(call))
