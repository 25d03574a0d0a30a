"""The caller against servers that do what no HTTP library would do."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from bakeoff.conformance.exchange import HttpRequest, NoReplyError
from bakeoff.conformance.http_caller import HttpCaller
from bakeoff.errors import BakeoffError
from bakeoff.processes import ports
from bakeoff.processes.request_client import RequestClient
from bakeoff.targets.access import Access

REPLY = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
TIMEOUT_S = 30.0


@contextmanager
def server(serve: Callable[[socket.socket], None]) -> Iterator[int]:
    """Serves one connection on a free port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def accept() -> None:
            connection, _ = listener.accept()
            with connection:
                serve(connection)

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(TIMEOUT_S)
        assert not thread.is_alive()


def read_until(connection: socket.socket, end: bytes) -> bytes:
    received = b""
    while end not in received:
        chunk = connection.recv(65_536)
        assert chunk, f"closed after {received!r}"
        received += chunk
    return received


def post(body: bytes | None, **headers: str) -> HttpRequest:
    return HttpRequest("POST", "/things?a=1", {name: (value,) for name, value in headers.items()}, body)


def test_the_request_goes_out_byte_by_byte(client: RequestClient) -> None:
    received: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        received.append(read_until(connection, b"\xffend"))
        connection.sendall(REPLY)

    with server(serve) as port:
        reply = HttpCaller(Access("127.0.0.1", port), client).send(post(b"\x00\xffend", accept="x/y"))

    assert (reply.status, reply.headers, reply.body) == (200, {"content-length": "2"}, b"ok")
    head, _, body = received[0].partition(b"\r\n\r\n")
    assert head.startswith(b"POST /things?a=1 HTTP/1.1\r\n")
    assert set(head.split(b"\r\n")[1:]) == {
        b"host: 127.0.0.1:%d" % port,
        b"connection: close",
        b"content-length: 5",
        b"accept: x/y",
    }
    assert body == b"\x00\xffend"


def test_requests_in_turn_share_a_connection_until_one_gets_no_reply(client: RequestClient) -> None:
    received: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        for _ in range(2):
            received.append(read_until(connection, b"end"))
            connection.sendall(REPLY)
        # Not sent a second time: a target that loses a request must not look as if it had answered.
        read_until(connection, b"end")

    requests = [post(b"%d end" % number) for number in range(4)]
    with server(serve) as port:
        caller = HttpCaller(Access("127.0.0.1", port), client, user_agent="some")
        replies = caller.send_in_turn(requests)
        assert [next(replies).body, next(replies).body] == [b"ok", b"ok"]
        with pytest.raises(NoReplyError, match="no HTTP reply"):
            next(replies)
        assert next(replies, None) is None

    assert [each.rpartition(b"\r\n")[2] for each in received] == [b"0 end", b"1 end"]
    assert all(b"user-agent: some\r\n" in each.lower() for each in received)


def test_each_value_of_a_header_is_a_line_and_none_leaves_it_out(client: RequestClient) -> None:
    received: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        received.append(read_until(connection, b"\r\n\r\n"))
        connection.sendall(REPLY)

    with server(serve) as port:
        caller = HttpCaller(Access("127.0.0.1", port, token="t"), client)
        caller.send(HttpRequest("GET", "/", {"authorization": ("a", "b"), "connection": ()}, None))

    lines = received[0].split(b"\r\n")
    assert [line for line in lines if line.startswith(b"authorization")] == [b"authorization: a", b"authorization: b"]
    assert not any(line.startswith(b"connection") for line in lines)


def test_a_body_goes_out_in_chunks(client: RequestClient) -> None:
    received: list[bytes] = []

    def serve(connection: socket.socket) -> None:
        received.append(read_until(connection, b"\r\n0\r\n\r\n"))
        connection.sendall(REPLY)

    with server(serve) as port:
        HttpCaller(Access("127.0.0.1", port), client).send(post(b"x" * 65_537, **{"transfer-encoding": "chunked"}))

    head, _, body = received[0].partition(b"\r\n\r\n")
    assert b"content-length" not in head
    assert body == b"10000\r\n" + b"x" * 65_536 + b"\r\n1\r\nx\r\n0\r\n\r\n"


def test_an_answer_that_comes_before_the_end_of_the_request_counts(client: RequestClient) -> None:
    def serve(connection: socket.socket) -> None:
        read_until(connection, b"\r\n\r\n")
        connection.sendall(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")

    with server(serve) as port:
        reply = HttpCaller(Access("127.0.0.1", port), client).send(post(b"x" * 50_000_000))

    assert reply.status == 413


def test_chunked_replies_are_put_together(client: RequestClient) -> None:
    def serve(connection: socket.socket) -> None:
        read_until(connection, b"\r\n\r\n")
        connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n")

    with server(serve) as port:
        assert HttpCaller(Access("127.0.0.1", port), client).send(post(None)).body == b"abc"


@pytest.mark.parametrize(
    "answer",
    [b"", b"garbage\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nshort"],
    ids=["none", "garbage", "cut"],
)
def test_what_is_no_reply_is_said_to_be_none(answer: bytes, client: RequestClient) -> None:
    def serve(connection: socket.socket) -> None:
        read_until(connection, b"\r\n\r\n")
        connection.sendall(answer)

    with server(serve) as port, pytest.raises(NoReplyError, match="no HTTP reply"):
        HttpCaller(Access("127.0.0.1", port), client).send(post(None))


def test_a_server_that_never_answers_is_left(client: RequestClient) -> None:
    done = threading.Event()

    def serve(connection: socket.socket) -> None:
        read_until(connection, b"\r\n\r\n")
        done.wait(TIMEOUT_S)

    with server(serve) as port:
        with pytest.raises(NoReplyError, match=r"no reply within 0\.1 s"):
            HttpCaller(Access("127.0.0.1", port), client, timeout_s=0.1).send(post(b"x"))
        done.set()


def test_a_server_that_never_reads_is_left(client: RequestClient) -> None:
    done = threading.Event()

    def serve(_: socket.socket) -> None:
        done.wait(TIMEOUT_S)

    with server(serve) as port:
        with pytest.raises(NoReplyError, match=r"no reply within 0\.1 s"):
            HttpCaller(Access("127.0.0.1", port), client, timeout_s=0.1).send(post(b"x" * 50_000_000))
        done.set()


def test_a_server_that_drips_is_left(client: RequestClient) -> None:
    done = threading.Event()

    def serve(connection: socket.socket) -> None:
        read_until(connection, b"\r\n\r\n")
        connection.sendall(b"HTTP/1.1 200 OK\r\n")
        with suppress(OSError):  # the caller has left
            while not done.wait(0.01):
                connection.sendall(b"x")

    with server(serve) as port:
        with pytest.raises(NoReplyError, match=r"no reply within 0\.1 s"):
            HttpCaller(Access("127.0.0.1", port), client, timeout_s=0.1).send(post(None))
        done.set()


def test_a_refused_connection_is_said_to_be_one(client: RequestClient) -> None:
    caller = HttpCaller(Access("127.0.0.1", ports.free_port()), client)

    with pytest.raises(NoReplyError, match="refused"):
        caller.send(post(None))
    with pytest.raises(BakeoffError, match=r"No HTTP reply from 127\.0\.0\.1:\d+: Connection refused"):
        caller.check_reachable()
