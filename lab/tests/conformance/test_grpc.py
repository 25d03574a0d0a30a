"""Cases over gRPC, against a real server that answers in bytes."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from key_value_workload import key_value_case, key_value_workload

from bakeoff.conformance.case import (
    Call,
    Differences,
    Frame,
    GrpcExpectation,
    GrpcSide,
    Payload,
)
from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, NoReplyError
from bakeoff.conformance.grpc_caller import GrpcCaller
from bakeoff.conformance.grpc_protocol import GrpcProtocol, codec_of
from bakeoff.conformance.proto_codec import ProtoCodec, ProtoMismatchError
from bakeoff.conformance.vectors import VectorError
from bakeoff.errors import BakeoffError
from bakeoff.processes import ports
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets.access import Access

Serve = Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]


class AnyMethod(grpc.GenericRpcHandler):
    """Serves every method with the same function."""

    def __init__(self, serve: Serve) -> None:
        self._serve = serve

    def service(
        self,
        handler_call_details: grpc.HandlerCallDetails,  # noqa: ARG002 - the name is gRPC's
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        return grpc.stream_stream_rpc_method_handler(self._serve)


@contextmanager
def server(serve: Serve) -> Iterator[int]:
    """A server on a free port."""
    running = grpc.server(ThreadPoolExecutor(2), handlers=[AnyMethod(serve)])
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    try:
        yield port
    finally:
        running.stop(None).wait()


def echo(requests: Iterator[bytes], _: grpc.ServicerContext) -> Iterator[bytes]:
    for request in requests:
        yield request + b"!"


def sent(caller: GrpcCaller, payloads: tuple[bytes, ...]) -> GrpcReply:
    """The reply to a call, without its headers."""
    return replace(caller.send(GrpcRequest("a.B/C", payloads)), headers={})


def test_bytes_go_out_and_come_back(client: RequestClient) -> None:
    with server(echo) as port:
        caller = GrpcCaller(Access("127.0.0.1", port), client)
        caller.check_reachable()

        assert sent(caller, (b"\xff", b"\x00")) == GrpcReply("OK", "", (b"\xff!", b"\x00!"))
        assert sent(caller, ()) == GrpcReply("OK", "", ())


def test_a_status_comes_with_the_replies_before_it(client: RequestClient) -> None:
    def serve(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield next(requests)
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "not so")

    with server(serve) as port:
        caller = GrpcCaller(Access("127.0.0.1", port), client)
        assert sent(caller, (b"1", b"2")) == GrpcReply("INVALID_ARGUMENT", "not so", (b"1",))


def test_metadata_goes_out_value_by_value_and_instead_of_the_token(client: RequestClient) -> None:
    def serve(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        given = dict(context.invocation_metadata())
        tokens = [value for name, value in context.invocation_metadata() if name == "authorization"]
        yield ",".join([*map(str, tokens), str(given.get("a", ""))]).encode()

    with server(serve) as port:
        caller = GrpcCaller(Access("127.0.0.1", port, token="t"), client)
        assert caller.send(GrpcRequest("a.B/C", ())).payloads == (b"Bearer t,",)
        assert caller.send(GrpcRequest("a.B/C", (), {"authorization": ("x", "y"), "a": ("b",)})).payloads == (b"x,y,b",)
        assert caller.send(GrpcRequest("a.B/C", (), {"authorization": ()})).payloads == (b"",)


def test_a_server_that_never_answers_is_left(client: RequestClient) -> None:
    def serve(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        ended = threading.Event()
        context.add_callback(ended.set)
        ended.wait()
        yield from requests

    with server(serve) as port, pytest.raises(NoReplyError, match=r"no reply within 0\.2 s"):
        GrpcCaller(Access("127.0.0.1", port), client, timeout_s=0.2).send(GrpcRequest("a.B/C", ()))


def test_no_server_listens(client: RequestClient) -> None:
    port = ports.free_port()

    caller = GrpcCaller(Access("127.0.0.1", port), client)
    with pytest.raises(BakeoffError, match=rf"No gRPC reply from 127\.0\.0\.1:{port}: the connection was refused"):
        caller.check_reachable()
    with pytest.raises(NoReplyError, match="the connection was refused"):
        caller.send(GrpcRequest("a.B/C", ()))


@pytest.fixture
def codec(tmp_path: Path) -> ProtoCodec:
    return codec_of(key_value_workload(tmp_path))


class Server:
    """Gives one reply, and remembers the request."""

    def __init__(self, reply: GrpcReply) -> None:
        self._reply = reply
        self.request: GrpcRequest | None = None

    def __call__(self, request: GrpcRequest) -> GrpcReply:
        self.request = request
        return self._reply


OK = GrpcReply("OK", "", (b"\x08\x07",))
RECEIPT = {"revision": 7, "isNew": False}


def side(method: str | None = None, payloads: tuple[Payload, ...] | None = None, **expected: Any) -> GrpcSide:
    return GrpcSide(GrpcExpectation(("OK",), **expected), method, stream=payloads)


def framed(*frames: Frame) -> GrpcSide:
    return replace(side(), headers={"a": ("b", "c")}, frames=frames)


PUT, PUT_ALL, PUT_EACH = (f"shop.v1.Store/{name}" for name in ("Put", "PutAll", "PutEach"))
K = {"itemKey": "k"}


@pytest.mark.parametrize(
    ("call", "message", "grpc_side", "request_"),
    [
        (Call.SINGLE, K, side(body=RECEIPT), GrpcRequest(PUT, (b"\x0a\x01k",))),
        (Call.SINGLE, None, side(body=RECEIPT), GrpcRequest(PUT, (b"",))),
        (Call.BATCH, [K, {}], side(), GrpcRequest(PUT_ALL, (b"\x0a\x03\x0a\x01k\x0a\x00",))),
        (Call.STREAM, [K, {}], side(replies=(RECEIPT,)), GrpcRequest(PUT_EACH, (b"\x0a\x01k", b""))),
        (
            Call.STREAM,
            None,
            side(None, (Payload(content=b"\xff"), Payload(K))),
            GrpcRequest(PUT_EACH, (b"\xff", b"\n\1k")),
        ),
        (Call.SINGLE, 1, side(None, (Payload(content=b"\xff"),)), GrpcRequest(PUT, (b"\xff",))),
        (
            Call.SINGLE,
            1,
            framed(Frame(K), Frame(content=b"x", flag=1, length=258), Frame(content=b"\xff", flag=None)),
            GrpcRequest(PUT, (), {"a": ("b", "c")}, b"\0\0\0\0\3\x0a\x01k\1\0\0\1\2x\xff"),
        ),
        (Call.SINGLE, 1, framed(), GrpcRequest(PUT, (), {"a": ("b", "c")}, b"")),
        (Call.SINGLE, 1, side("no.Such/Method", (Payload(content=b""),)), GrpcRequest("no.Such/Method", (b"",))),
    ],
)
def test_the_request_of_a_case(
    call: Call, message: Any, grpc_side: GrpcSide, request_: GrpcRequest, codec: ProtoCodec, tmp_path: Path
) -> None:
    server = Server(OK)
    protocol = GrpcProtocol(key_value_workload(tmp_path), codec, server)

    assert protocol.exchange(key_value_case(call=call, message=message, grpc=grpc_side)).differences == Differences()
    assert server.request == request_


def test_health_asks_the_standard_service(codec: ProtoCodec, tmp_path: Path) -> None:
    server = Server(GrpcReply("OK", "", (b"\x08\x01",)))
    protocol = GrpcProtocol(key_value_workload(tmp_path), codec, server)

    case = key_value_case(call=Call.HEALTH, grpc=side(body={"status": "SERVING"}))
    assert protocol.exchange(case).differences == Differences()
    assert server.request == GrpcRequest("grpc.health.v1.Health/Check", (b"\x0a\x0dshop.v1.Store",))


def test_a_reply_that_is_no_message_is_a_difference(codec: ProtoCodec, tmp_path: Path) -> None:
    protocol = GrpcProtocol(key_value_workload(tmp_path), codec, Server(GrpcReply("OK", "", (b"\xff",))))

    (difference,) = protocol.exchange(key_value_case(grpc=side())).differences.strict

    assert difference.startswith("body: is no shop.v1.Receipt")


def test_a_stored_message_must_be_answered_as_the_workload_says(codec: ProtoCodec, tmp_path: Path) -> None:
    workload = key_value_workload(tmp_path)
    refusal = Server(GrpcReply("INTERNAL", "oops", ()))

    assert GrpcProtocol(workload, codec, Server(OK)).store({"itemKey": "k"}) == []
    assert GrpcProtocol(workload, codec, refusal).store({}) == ['code: expected OK, got INTERNAL ("oops")']


@pytest.mark.parametrize("message", [{"itemKey": 1}, {"other": "x"}, {"itemKey": "\udc00"}, {"value": 10**400}, 5])
def test_a_message_that_does_not_fit_is_an_error_of_the_vector(message: Any, codec: ProtoCodec, tmp_path: Path) -> None:
    protocol = GrpcProtocol(key_value_workload(tmp_path), codec, Server(OK))

    with pytest.raises(VectorError, match=r'case "a-case": grpc: the message does not fit shop\.v1\.Item'):
        protocol.exchange(key_value_case(message=message, grpc=side()))


def test_json_for_a_method_that_is_not_declared_is_an_error_of_the_vector(codec: ProtoCodec, tmp_path: Path) -> None:
    protocol = GrpcProtocol(key_value_workload(tmp_path), codec, Server(OK))

    with pytest.raises(VectorError, match="no proto file declares"):
        protocol.exchange(key_value_case(grpc=side(method="no.Such/Method", payloads=(Payload({}),))))


@pytest.mark.parametrize("value", [None, 0, "", False, [], {}, [None, {"a": [1.5]}]])
def test_values_come_back_as_they_went(value: Any, codec: ProtoCodec) -> None:
    encoded = codec.encode("shop.v1.Item", {"itemKey": "k", "value": value})

    assert codec.decode("shop.v1.Item", encoded) == {"itemKey": "k", "value": value}


def test_fields_that_are_not_sent_are_shown_with_their_default(codec: ProtoCodec) -> None:
    assert codec.decode("shop.v1.Receipt", b"") == {"revision": 0, "isNew": False}
    with pytest.raises(ProtoMismatchError, match=r"is no shop\.v1\.Receipt"):
        codec.decode("shop.v1.Receipt", b"\x08")
