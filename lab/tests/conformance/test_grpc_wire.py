"""Calls over the wire: to a real gRPC server, and to servers that do what no gRPC library would do."""

import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import grpc
import h2.config
import h2.connection
import h2.events
import pytest

from bakeoff.conformance.exchange import GrpcReply, GrpcRequest, NoReplyError
from bakeoff.conformance.grpc_caller import GrpcCaller
from bakeoff.processes import ports
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets.access import Access

TIMEOUT_S = 30.0
Answer = Callable[[h2.connection.H2Connection, int], None]


class Echo(grpc.GenericRpcHandler):
    """Answers each message with itself, and ends as its metadata says."""

    def service(
        self,
        handler_call_details: grpc.HandlerCallDetails,  # noqa: ARG002 - the name is gRPC's
    ) -> "grpc.RpcMethodHandler[bytes, bytes]":
        return grpc.stream_stream_rpc_method_handler(self._echo)

    def _echo(self, requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        yield from requests
        if "refuse" in dict(context.invocation_metadata()):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "é: not so")


@pytest.fixture
def echo() -> Iterator[Access]:
    running = grpc.server(ThreadPoolExecutor(2), handlers=[Echo()])
    port = running.add_insecure_port("127.0.0.1:0")
    running.start()
    try:
        yield Access("127.0.0.1", port)
    finally:
        running.stop(None).wait()


@contextmanager
def server(answer: Answer) -> Iterator[Access]:
    """Answers the calls of one connection when all of each has come, until the client has closed it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            connection, _ = listener.accept()
            with connection:
                _serve(connection, answer)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield Access("127.0.0.1", listener.getsockname()[1])
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()


def _serve(connection: socket.socket, answer: Answer) -> None:
    state = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    state.initiate_connection()
    connection.sendall(state.data_to_send())
    while received := connection.recv(65_536):
        for event in state.receive_data(received):
            if isinstance(event, h2.events.StreamEnded):
                assert event.stream_id is not None
                answer(state, event.stream_id)
        connection.sendall(state.data_to_send())
        if state.state_machine.state is h2.connection.ConnectionState.CLOSED:
            connection.shutdown(socket.SHUT_WR)
            _drain(connection)
            return


def _drain(connection: socket.socket) -> None:
    """Reads to the end: a socket that is closed with bytes unread takes back what it has sent."""
    while connection.recv(65_536):
        pass


Call = Callable[..., GrpcReply]


@pytest.fixture
def call(client: RequestClient) -> Call:
    """Sends a call with these bytes as its body."""

    def send(
        access: Access, body: bytes = b"", headers: Mapping[str, tuple[str, ...]] | None = None, timeout_s: float = 30.0
    ) -> GrpcReply:
        caller = GrpcCaller(access, client, timeout_s=timeout_s)
        return caller.send(GrpcRequest("a.B/C", (), headers or {}, body))

    return send


def frame(message: bytes) -> bytes:
    return bytes(1) + len(message).to_bytes(4) + message


def test_frames_go_out_and_messages_come_back(echo: Access, call: Call) -> None:
    reply = call(echo, frame(b"one") + frame(b""))

    assert (reply.code, reply.payloads, reply.connection_lasted) == ("OK", (b"one", b""), True)
    assert reply.headers["content-type"] == "application/grpc"


def test_a_call_without_messages(echo: Access, call: Call) -> None:
    assert call(echo).payloads == ()


def test_bodies_beyond_the_flow_control_window_arrive(echo: Access, call: Call) -> None:
    message = b"x" * 1_000_000

    assert call(echo, frame(message)).payloads == (message,)


def test_the_status_comes_with_its_message(echo: Access, call: Call) -> None:
    reply = call(echo, frame(b"x"), {"refuse": ("yes",)})

    assert (reply.code, reply.message, reply.payloads) == ("INVALID_ARGUMENT", "é: not so", (b"x",))


TRAILERS_ONLY = [(":status", "200"), ("content-type", "application/grpc"), ("grpc-status", "12")]


def test_a_connection_that_ends_after_the_reply_is_noticed(call: Call) -> None:
    def answer(state: h2.connection.H2Connection, stream: int) -> None:
        state.send_headers(stream, TRAILERS_ONLY, end_stream=True)
        state.close_connection()

    with server(answer) as access:
        reply = call(access)

    assert (reply.code, reply.connection_lasted) == ("UNIMPLEMENTED", False)


def test_a_connection_that_serves_on_is_noticed(call: Call) -> None:
    with server(lambda state, stream: state.send_headers(stream, TRAILERS_ONLY, end_stream=True)) as access:
        assert call(access).connection_lasted


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (lambda state, stream: state.reset_stream(stream, 2), "the target ended the call without a status"),
        (
            lambda state, stream: state.send_headers(stream, [(":status", "415")], end_stream=True),
            "no gRPC status: HTTP status 415",
        ),
        (lambda state, _: state.close_connection(), "the target"),
    ],
)
def test_what_is_no_status_is_said_to_be_none(answer: Answer, complaint: str, call: Call) -> None:
    with server(answer) as access, pytest.raises(NoReplyError, match=complaint):
        call(access)


def test_a_reply_that_breaks_off_is_none(call: Call) -> None:
    def answer(state: h2.connection.H2Connection, stream: int) -> None:
        state.send_headers(stream, [(":status", "200"), ("content-type", "application/grpc")])
        state.send_data(stream, frame(b"whole")[:-1])
        state.send_headers(stream, [("grpc-status", "0")], end_stream=True)

    with server(answer) as access, pytest.raises(NoReplyError, match="truncated"):
        call(access)


def test_a_server_that_never_answers_is_left(call: Call) -> None:
    with server(lambda *_: None) as access, pytest.raises(NoReplyError, match=r"no reply within 0\.2 s"):
        call(access, timeout_s=0.2)


def test_no_server_listens(call: Call) -> None:
    with pytest.raises(NoReplyError, match="the connection was refused"):
        call(Access("127.0.0.1", ports.free_port()))
