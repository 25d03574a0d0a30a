"""A case over gRPC: its request, and the comparison of the reply."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from bakeoff.conformance.calls import first_of, grpc_table
from bakeoff.conformance.case import (
    Call,
    Case,
    Differences,
    Exchange,
    Frame,
    GrpcExpectation,
    GrpcSide,
    Headers,
    Payload,
)
from bakeoff.conformance.exchange import GrpcReply, GrpcRequest
from bakeoff.conformance.matching import compare_grpc, grpc_differences
from bakeoff.conformance.proto_codec import ProtoCodec, ProtoMismatchError
from bakeoff.conformance.vectors import VectorError
from bakeoff.descriptions.proto_sources import ProtoSource
from bakeoff.documents.checked import Json
from bakeoff.errors import BakeoffError
from bakeoff.workload.declaration import GrpcBatch, GrpcCall, GrpcHealth, GrpcStream
from bakeoff.workload.loader import Workload

SendGrpc = Callable[[GrpcRequest], GrpcReply]
SendGrpcInTurn = Callable[[Sequence[GrpcRequest]], Iterator[GrpcReply]]

_STANDARD_PROTOS = tuple(map(ProtoSource, sorted(Path(__file__).with_name("protos").glob("*.proto"))))
# Keeps the caller from sending the token that it has.
_NO_TOKEN: Headers = {"authorization": ()}
_HEALTH = "grpc.health.v1.Health/Check"


def codec_of(workload: Workload) -> ProtoCodec:
    """The messages of the workload's proto file, and those of the standard services."""
    proto = workload.proto_source
    if proto is None:
        raise BakeoffError(f"{workload.name}: cases go over gRPC only when the workload names a proto file.")
    return ProtoCodec(proto, *_STANDARD_PROTOS)


class GrpcProtocol:
    side = "grpc"

    def __init__(
        self, workload: Workload, codec: ProtoCodec, send: SendGrpc, send_in_turn: SendGrpcInTurn | None = None
    ) -> None:
        self._workload = workload
        self._codec = codec
        self._send = send
        self._send_in_turn = send_in_turn or partial(map, send)

    def store(self, message: Json) -> list[str]:
        return compare_grpc(self._stored, self._send(self._storing(message)), ())

    def store_in_turn(self, messages: Sequence[Json]) -> Iterator[list[str]]:
        replies = self._send_in_turn([self._storing(each) for each in messages])
        return (compare_grpc(self._stored, reply, ()) for reply in replies)

    def _storing(self, message: Json) -> GrpcRequest:
        method = self._single.method
        return GrpcRequest(method, (self._encode(method, Payload(message)),))

    @property
    def _stored(self) -> GrpcExpectation:
        return GrpcExpectation((str(first_of(self._single)),))

    @property
    def _single(self) -> GrpcCall:
        table = grpc_table(self._workload, Call.SINGLE)
        assert isinstance(table, GrpcCall)
        return table

    def exchange(self, case: Case) -> Exchange:
        side = case.grpc
        if side is None:
            raise ValueError(f"{case.name} has no gRPC side")
        request = self.request(case, side)
        reply = self._send(request)
        method = self._codec.method(request.method)
        try:
            replies = [self._codec.decode(method.reply, payload) for payload in reply.payloads if method is not None]
        except ProtoMismatchError as error:
            return Exchange(Differences().with_both(f"body: {error}"))
        differences = grpc_differences(side.expect, reply, replies)
        return Exchange(differences, replies[0] if replies else None, reply.headers)

    def request(self, case: Case, side: GrpcSide) -> GrpcRequest:
        method = side.method
        if method is None:
            table = None if case.call is Call.HEALTH else grpc_table(self._workload, case.call)
            method = _HEALTH if table is None or isinstance(table, GrpcHealth) else table.method
        headers = {**(_NO_TOKEN if case.token else {}), **side.headers}
        try:
            if side.frames is not None:
                body = b"".join(self._framed(method, frame) for frame in side.frames)
                return GrpcRequest(method, (), headers, body)
            payloads = side.payloads if side.payloads is not None else self._usual_payloads(case)
            return GrpcRequest(method, tuple(self._encode(method, payload) for payload in payloads), headers)
        except ProtoMismatchError as error:
            raise VectorError(f'case "{case.name}": grpc: the message {error}.') from error

    def _framed(self, method: str, frame: Frame) -> bytes:
        message = self._encode(method, frame)
        if frame.flag is None:
            return message
        length = len(message) if frame.length is None else frame.length
        return frame.flag.to_bytes(1) + length.to_bytes(4) + message

    def _encode(self, name: str, payload: Payload) -> bytes:
        if payload.content is not None:
            return payload.content
        method = self._codec.method(name)
        if method is None:
            raise ProtoMismatchError(f"cannot be encoded: no proto file declares {name}")
        return self._codec.encode(method.request, payload.document)

    def _usual_payloads(self, case: Case) -> tuple[Payload, ...]:
        table = grpc_table(self._workload, case.call)
        if isinstance(table, GrpcHealth) and case.message is None:
            return (Payload({"service": table.service}),)
        if isinstance(table, GrpcBatch) and table.field is not None:
            return (Payload({table.field: case.messages}),)
        if isinstance(table, GrpcBatch | GrpcStream):
            return tuple(map(Payload, case.messages))
        return (Payload({} if case.message is None else case.message),)
