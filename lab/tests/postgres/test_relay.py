"""A relay passes bytes on, can be cut so that nothing goes through, and comes back at the same address."""

import socket
import threading
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from bakeoff.postgres.relay import DatabaseRelay, can_be_relayed
from bakeoff.postgres.server import Server


@pytest.fixture
def echo() -> Iterator[Server]:
    """A server that sends back what it gets, in the place of a database."""
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(connection: socket.socket) -> None:
        with connection:
            while content := connection.recv(1000):
                connection.sendall(content)

    def accept() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(connection,), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    yield Server(f"postgresql://u:p@127.0.0.1:{listener.getsockname()[1]}/name?sslmode=disable", None, embedded=False)
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def answer(address: tuple[str, int]) -> bytes:
    with socket.create_connection(address, timeout=5) as client:
        client.sendall(b"hello")
        return client.recv(5)


def test_a_way_that_is_cut_and_restored(echo: Server) -> None:
    with DatabaseRelay(echo) as relay:
        parts = urlsplit(relay.server.url)
        assert (parts.username, parts.password, parts.path, parts.query) == ("u", "p", "/name", "sslmode=disable")
        address = ("127.0.0.1", parts.port or 0)
        assert answer(address) == b"hello"
        with socket.create_connection(address, timeout=5) as open_client:
            open_client.sendall(b"open")
            assert open_client.recv(4) == b"open"
            relay.cut()
            assert open_client.recv(1) == b""
            with pytest.raises(ConnectionRefusedError):
                answer(address)
        relay.restore()
        assert answer(address) == b"hello"
    with pytest.raises(ConnectionRefusedError):
        answer(address)


def test_round_trips_are_counted_by_turns_of_the_client(echo: Server) -> None:
    with DatabaseRelay(echo) as relay:
        address = ("127.0.0.1", urlsplit(relay.server.url).port or 0)
        with socket.create_connection(address, timeout=5) as client:
            for number in range(1, 4):
                client.sendall(b"hello")
                assert client.recv(5) == b"hello"
                assert relay.round_trips == number


def test_what_a_client_sends_without_a_wait_for_the_reply_is_one_round_trip() -> None:
    replied, second_received = threading.Event(), threading.Event()

    def serve(listener: socket.socket) -> None:
        connection, _ = listener.accept()
        with connection:
            connection.sendall(connection.recv(5))
            received = connection.recv(5)
            second_received.set()
            connection.sendall(received)

    def on_reply() -> None:
        replied.set()
        assert second_received.wait(5)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        threading.Thread(target=serve, args=(listener,), daemon=True).start()
        server = Server(f"postgresql://u:p@127.0.0.1:{listener.getsockname()[1]}/name", None, embedded=False)
        with DatabaseRelay(server, before_reply=on_reply) as relay:
            port = urlsplit(relay.server.url).port or 0
            with socket.create_connection(("127.0.0.1", port), timeout=5) as client, client.makefile("rb") as replies:
                client.sendall(b"begin")
                assert replied.wait(5)
                client.sendall(b"query")
                assert replies.read(10) == b"beginquery"
                assert relay.round_trips == 1


@pytest.mark.parametrize(
    ("url", "can"),
    [
        ("postgresql://u:p@127.0.0.1:5432/d", True),
        ("postgresql://u:p@database/d?sslmode=require", True),
        ("postgresql:///d?host=/run/postgresql", False),
        ("postgresql://u@one:1,two:2/d", False),
        ("postgresql://u@host/d?sslmode=verify-full", False),
    ],
)
def test_which_servers_it_can_stand_in_for(url: str, can: bool) -> None:
    assert can_be_relayed(Server(url, None, embedded=False)) is can
