"""A way to a database that can be cut: what a client sees then is a server that is gone."""

import contextlib
import socket
import threading
from collections.abc import Callable
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

from bakeoff.postgres.server import LOOPBACK, POSTGRESQL_PORT, Server, at_port

_CHUNK_BYTES = 65_536
# With these a URL leads past the relay, or a client refuses its address.
_ELSEWHERE = {"host", "hostaddr", "port", "service"}


def can_be_relayed(server: Server) -> bool:
    """Whether the server's URL names one TCP address, of which clients ask no certificate."""
    parts = urlsplit(server.url)
    parameters = parse_qs(parts.query)
    one_address = bool(parts.hostname) and "," not in parts.netloc and not _ELSEWHERE & parameters.keys()
    return one_address and parameters.get("sslmode") != ["verify-full"]


class _Turns:
    """Which side of a connection has sent last."""

    client_was_last = False


class DatabaseRelay:
    """Passes bytes between clients and a server while the `with` block lasts, except between `cut` and `restore`.

    `before_reply` runs before each part of a reply is passed on: a pause there is the latency of a network.
    """

    def __init__(self, server: Server, before_reply: Callable[[], object] = lambda: None) -> None:
        parts = urlsplit(server.url)
        self._address = (parts.hostname or LOOPBACK, parts.port or POSTGRESQL_PORT)
        self._before_reply = before_reply
        self._lock = threading.Lock()
        self._connections: set[socket.socket] = set()
        self._round_trips = 0
        self._listener = socket.create_server((LOOPBACK, 0))
        self._port = int(self._listener.getsockname()[1])
        # Targets keep the role that they have: what another one makes could not be changed by theirs.
        targets_url = None if server.targets_url is None else at_port(server.targets_url, self._port)
        self.server = replace(server, url=at_port(server.url, self._port), targets_url=targets_url)

    def __enter__(self) -> "DatabaseRelay":
        self._listen()
        return self

    def __exit__(self, *_: object) -> None:
        self.cut()

    @property
    def round_trips(self) -> int:
        """How often clients have sent something after what the server had sent them last."""
        with self._lock:
            return self._round_trips

    def cut(self) -> None:
        """Ends all connections and refuses new ones."""
        with self._lock:
            open_now, self._connections = self._connections, set()
            # Wakes the thread that waits for connections; closing alone does not.
            with contextlib.suppress(OSError):
                self._listener.shutdown(socket.SHUT_RDWR)
            self._listener.close()
        for connection in open_now:
            _end(connection)

    def restore(self) -> None:
        """Takes connections again, at the same address."""
        self._listener = socket.create_server((LOOPBACK, self._port))
        self._listen()

    def _listen(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            try:
                server = socket.create_connection(self._address)
            except OSError:
                client.close()
                continue
            with self._lock:
                self._connections |= {client, server}
            turns = _Turns()
            for source, sink, from_client in ((client, server, True), (server, client, False)):
                arguments = (source, sink, turns, from_client)
                threading.Thread(target=self._pass_on, args=arguments, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket, turns: "_Turns", from_client: bool) -> None:
        with contextlib.suppress(OSError):
            while chunk := source.recv(_CHUNK_BYTES):
                if not from_client:
                    self._before_reply()
                with self._lock:
                    self._round_trips += from_client and not turns.client_was_last
                    turns.client_was_last = from_client
                sink.sendall(chunk)
        for connection in (source, sink):
            _end(connection)
            with self._lock:
                self._connections.discard(connection)


def _end(connection: socket.socket) -> None:
    """Ends it for both sides; the thread that reads from it wakes."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
    connection.close()
