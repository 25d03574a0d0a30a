"""A gRPC server that shows its services by reflection, by the names of the service that are given."""

from collections.abc import Iterator, Sequence
from concurrent import futures
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2

from bakeoff.conformance.proto_codec import ProtoCodec
from bakeoff.descriptions.proto_sources import ProtoSource

VERSIONS = ("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection")


class _Empty(grpc.GenericRpcHandler):
    """Answers each method of a proto file with an empty message."""

    def __init__(self, codec: ProtoCodec) -> None:
        self._codec = codec

    def service(self, details: Any) -> Any:
        method = self._codec.method(details.method.lstrip("/"))
        if method is None:
            return None

        def answer(payload: bytes, context: Any) -> bytes:
            self._codec.decode(method.request, payload)
            return b""

        return grpc.unary_unary_rpc_method_handler(answer)


@contextmanager
def reflecting(
    proto: Path, versions: Sequence[str] = VERSIONS, handler: grpc.GenericRpcHandler | None = None
) -> Iterator[str]:
    """Serves a proto file, by `handler` where it is given; yields the address, grpc://host:port."""
    codec = ProtoCodec(ProtoSource(proto))
    server = grpc.server(futures.ThreadPoolExecutor(8))
    server.add_generic_rpc_handlers((handler or _Empty(codec),))
    services = sorted({method.partition("/")[0] for method in codec.methods})
    servicer = reflection.ReflectionServicer([*services, *versions, "grpc.health.v1.Health"], codec.pool)
    for version in versions:
        # Both versions have the same messages.
        shown = grpc.stream_stream_rpc_method_handler(
            servicer.ServerReflectionInfo,
            request_deserializer=reflection_pb2.ServerReflectionRequest.FromString,
            response_serializer=reflection_pb2.ServerReflectionResponse.SerializeToString,
        )
        server.add_generic_rpc_handlers(
            (grpc.method_handlers_generic_handler(version, {"ServerReflectionInfo": shown}),)
        )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"grpc://127.0.0.1:{port}"
    finally:
        server.stop(None).wait()
